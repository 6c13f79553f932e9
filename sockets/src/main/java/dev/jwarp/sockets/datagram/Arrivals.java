package dev.jwarp.sockets.datagram;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Datagrams that have come to a socket and were not read yet. Bounded in bytes; what finds no room is dropped. Guarded by its end; allocates nothing while they stay in their slots. */
final class Arrivals {
    /** What a datagram counts beside its bytes. */
    private static final int EACH = 64;
    /** Kept to be used again. */
    private static final int SPARE = 64;

    /** One that has come. */
    static final class Arrival {
        /** Where it is; -1: in {@link #copy}. */
        int slot;

        byte @Nullable [] copy;
        int length;

        @Nullable
        SocketPeer from;
    }

    private final ArrayDeque<Arrival> all = new ArrayDeque<>();
    private final ArrayDeque<Arrival> spare = new ArrayDeque<>();
    private long bytes;
    private final int most;

    /** @param most bytes that can wait */
    Arrivals(int most) {
        this.most = most;
    }

    /** {@return whether there is room for one of that length} The first one always finds it. */
    boolean hasRoom(int length) {
        return all.isEmpty() || bytes + length + EACH <= most;
    }

    /**
     * Adds one.
     *
     * @param slot where it is; -1: in {@code copy}
     */
    void add(int slot, byte @Nullable [] copy, int length, SocketPeer from) {
        Arrival added = spare.isEmpty() ? new Arrival() : spare.remove();
        added.slot = slot;
        added.copy = copy;
        added.length = length;
        added.from = from;
        bytes += length + EACH;
        all.add(added);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** {@return the one that came first; null if there is none} It is to be given back with {@link #done}. */
    @Nullable
    Arrival poll() {
        Arrival first = all.poll();
        if (first != null) {
            bytes -= first.length + EACH;
        }
        return first;
    }

    /** It was read. */
    void done(Arrival one) {
        one.copy = null;
        one.from = null;
        if (spare.size() < SPARE) {
            spare.add(one);
        }
    }
}
