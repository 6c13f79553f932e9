package dev.jwarp.tools.traffic;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One queue pair of an end, with its counts. Counts are never reset, so both ends can compare them. */
final class Lane {
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    final int index;
    final QueuePair pair;
    /** The destination of datagrams; null for a connection. */
    final @Nullable AddressHandle peer;

    /** Messages posted, counted from 1. */
    long posted;
    /** Messages that are known to be complete at this end. */
    long completed;
    /** Messages that count as lost. */
    long lost;
    /** Messages of the other end that arrived whole. */
    long taken;
    /** The latest count of those that was sent to the other end. */
    long told;
    /** The latest count of messages that the other end has taken, and the time of its arrival. */
    long heard;

    long heardAt;
    /**
     * The number of the last question to or from the other end, 16 bits. A question asks for the count of all messages
     * that have arrived.
     */
    int question;
    /** Whether this end waits for the answer. */
    boolean asked;

    /** Messages posted before this step. */
    long began;
    /** The number of the last message of this step. */
    long target;
    /** The time of the next message, if there is a rate. */
    double due;

    /** Times of the posting of signaled messages, by their number. */
    private long[] times = new long[0];

    private SendWorkRequest[] list = new SendWorkRequest[0];
    private final SendWorkRequest note = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

    Lane(int index, QueuePair pair, @Nullable AddressHandle peer) {
        this.index = index;
        this.pair = pair;
        this.peer = peer;
    }

    /** Makes room for lists, and for the times of messages in flight. */
    void prepare(int listLength, int depth) {
        if (list.length < listLength) {
            list = new SendWorkRequest[listLength];
            for (int i = 0; i < listLength; i++) {
                list[i] = new SendWorkRequest();
            }
        }
        int slots = Integer.highestOneBit(Math.max(1, depth)) * 4;
        if (times.length < slots) {
            times = new long[slots];
        }
    }

    SendWorkRequest request(int place) {
        return list[place];
    }

    SendWorkRequest[] list() {
        return list;
    }

    /** {@return a cleared request with its destination, for messages that are not measured} */
    SendWorkRequest aside() {
        note.clear();
        if (peer != null) {
            note.destination(peer);
        }
        return note;
    }

    ReceiveWorkRequest receive() {
        return receive.clear();
    }

    /** {@return the number of messages in flight} */
    long underWay() {
        return posted - heard - lost;
    }

    /** Notes that the other end has taken so many messages. */
    void hear(long told, long now) {
        long more = Math.min(told, posted);
        if (more > heard) {
            heard = more;
            heardAt = now;
            lost = Math.min(lost, posted - heard);
        }
    }

    /**
     * {@return whether so much time has passed without a count that messages in flight are lost, or the other end has
     * to be asked}
     */
    boolean quiet(long now) {
        return now - heardAt >= STALL_NANOS;
    }

    /** Counts all messages in flight as lost, so that they take no place in the window. */
    void giveUp() {
        lost = posted - heard;
    }

    void time(long number, long nanos) {
        times[(int) number & (times.length - 1)] = nanos;
    }

    long time(long number) {
        return times[(int) number & (times.length - 1)];
    }
}
