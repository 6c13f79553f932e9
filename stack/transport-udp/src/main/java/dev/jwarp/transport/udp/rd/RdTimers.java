package dev.jwarp.transport.udp.rd;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When which channel has to be looked at: a binary heap of the channels themselves. A time is only ever moved forward to an
 * earlier moment; a channel that is looked at too early says anew when. So nothing is moved for each datagram.
 */
final class RdTimers {
    private @Nullable RdChannel[] heap = new RdChannel[16];
    private int size;

    /** {@return the earliest time, or {@link Long#MAX_VALUE}} */
    long next() {
        return size == 0 ? Long.MAX_VALUE : at(0).wakeAt;
    }

    /** {@return the channel whose time is the earliest and has come, which is taken out, or null} */
    @Nullable
    RdChannel poll(long nowNanos) {
        if (size == 0 || at(0).wakeAt > nowNanos) {
            return null;
        }
        RdChannel first = at(0);
        remove(first);
        return first;
    }

    /** The channel has to be looked at no later than that. */
    void noLaterThan(RdChannel channel, long nanos) {
        if (channel.heapIndex < 0) {
            if (nanos == Long.MAX_VALUE) {
                return;
            }
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size * 2);
            }
            channel.wakeAt = nanos;
            up(channel, size++);
        } else if (nanos < channel.wakeAt) {
            channel.wakeAt = nanos;
            up(channel, channel.heapIndex);
        }
    }

    void remove(RdChannel channel) {
        int hole = channel.heapIndex;
        if (hole < 0) {
            return;
        }
        channel.heapIndex = -1;
        RdChannel last = at(--size);
        heap[size] = null;
        if (last != channel) {
            if (hole > 0 && last.wakeAt < at((hole - 1) / 2).wakeAt) {
                up(last, hole);
            } else {
                down(last, hole);
            }
        }
    }

    private void up(RdChannel channel, int from) {
        int index = from;
        while (index > 0) {
            RdChannel parent = at((index - 1) / 2);
            if (parent.wakeAt <= channel.wakeAt) {
                break;
            }
            place(parent, index);
            index = (index - 1) / 2;
        }
        place(channel, index);
    }

    private void down(RdChannel channel, int from) {
        int index = from;
        for (int child = 2 * index + 1; child < size; child = 2 * index + 1) {
            if (child + 1 < size && at(child + 1).wakeAt < at(child).wakeAt) {
                child++;
            }
            if (at(child).wakeAt >= channel.wakeAt) {
                break;
            }
            place(at(child), index);
            index = child;
        }
        place(channel, index);
    }

    private void place(RdChannel channel, int index) {
        heap[index] = channel;
        channel.heapIndex = index;
    }

    private RdChannel at(int index) {
        RdChannel channel = heap[index];
        if (channel == null) {
            throw new IllegalStateException("the heap has no entry " + index);
        }
        return channel;
    }
}
