package dev.jwarp.transport.udp.engine;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Plain datagrams of UDP that wait to go out, in the order in which they were added. Bounded: what finds no room is not taken. Any thread adds, the owner sends; has
 * memory once it was used.
 */
final class PlainQueue {
    /** Octets of the largest UDP payload over IPv6. */
    static final int LARGEST = 65_527;

    private static final int OCTETS = 4 * LARGEST;
    private static final int ENTRIES = 256;

    private @Nullable ByteBuffer memory;
    /** The same for who adds: position and limit of the other one are the driver's. */
    private @Nullable ByteBuffer adding;

    private final int[] offsets = new int[ENTRIES];
    private final int[] lengths = new int[ENTRIES];
    private final DatagramAddress[] destinations = new DatagramAddress[ENTRIES];
    private int head;
    private int size;
    /** Behind the one added last. */
    private int end;

    /** {@return whether there was room for it} Its position is where its limit is then. */
    synchronized boolean add(ByteBuffer octets, DatagramAddress to) {
        int length = octets.remaining();
        int at = place(length);
        if (at < 0) {
            return false;
        }
        ByteBuffer into = adding;
        if (into == null) {
            memory = ByteBuffer.allocateDirect(OCTETS);
            into = memory.duplicate();
            adding = into;
        }
        into.put(at, octets, octets.position(), length);
        octets.position(octets.limit());
        int entry = (head + size++) % ENTRIES;
        offsets[entry] = at;
        lengths[entry] = length;
        if (destinations[entry] == null) {
            destinations[entry] = new DatagramAddress();
        }
        destinations[entry].set(to);
        end = at + length;
        return true;
    }

    /** {@return where so many octets fit in one piece; -1 if nowhere} */
    private int place(int length) {
        if (size == 0) {
            return 0;
        }
        int first = offsets[head];
        if (size == ENTRIES) {
            return -1;
        }
        if (end > first && end + length <= OCTETS) {
            return end;
        }
        int from = end > first ? 0 : end;
        return from + length <= first ? from : -1;
    }

    /** {@return whether there was one, which {@code out} is now} It stays until {@link #done}. */
    synchronized boolean next(DatagramBatch out) {
        ByteBuffer from = memory;
        if (size == 0 || from == null) {
            return false;
        }
        out.set(destinations[head], from, offsets[head], lengths[head], lengths[head]);
        out.allowCut(); // as of any program's
        return true;
    }

    /** The first one has left, or never will. */
    synchronized void done() {
        head = (head + 1) % ENTRIES;
        size--;
    }
}
