package dev.jwarp.tools.traffic;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One queue pair of an end, and how far it is. Counts never start anew: what one end has counted the other can trust. */
final class Lane {
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    final int index;
    final QueuePair pair;
    /** Where datagrams go; null for a connection. */
    final @Nullable AddressHandle peer;

    /** Messages posted, counted from 1. */
    long posted;
    /** Messages of which it is known that they are done, at this end. */
    long completed;
    /** Messages that will never be known to have come. */
    long lost;
    /** Messages of the other end that came whole. */
    long taken;
    /** How many of those the other end was told of. */
    long told;
    /** How many messages the other end had taken when the last count came, and when that was. */
    long heard;

    long heardAt;
    /** The last question that was asked of the other end, or by it, whether all that came is told: 16 bits. */
    int question;
    /** Whether this end waits for the answer. */
    boolean asked;

    /** Messages posted before this step. */
    long began;
    /** Where this step's messages end. */
    long target;
    /** When the next message is due, if there is a rate. */
    double due;

    /** When messages were posted, by their number, as far as completions were asked for. */
    private long[] times = new long[0];

    private SendWorkRequest[] list = new SendWorkRequest[0];
    private final SendWorkRequest note = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

    Lane(int index, QueuePair pair, @Nullable AddressHandle peer) {
        this.index = index;
        this.pair = pair;
        this.peer = peer;
    }

    /** Makes room for lists, and for the times of messages under way. */
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

    /** {@return a request for what is not measured: cleared, with its destination} */
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

    /** {@return messages that may still come at the other end} */
    long underWay() {
        return posted - heard - lost;
    }

    /** The other end has taken so many. */
    void hear(long told, long now) {
        long more = Math.min(told, posted);
        if (more > heard) {
            heard = more;
            heardAt = now;
            lost = Math.min(lost, posted - heard);
        }
    }

    /** {@return whether no count has come for so long that what is under way is lost, or the other end is to be asked} */
    boolean quiet(long now) {
        return now - heardAt >= STALL_NANOS;
    }

    /** What is under way will not come any more: it holds no place. */
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
