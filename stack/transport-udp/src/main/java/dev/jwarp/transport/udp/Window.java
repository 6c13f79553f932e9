package dev.jwarp.transport.udp;

import java.util.concurrent.TimeUnit;

/** A limit of so many events in a second that begins with the first of them. Owner thread only. */
final class Window {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long began;
    private int count;

    /** Forgets what was counted. */
    void clear() {
        count = 0;
    }

    /** {@return whether one more would be within the limit} */
    boolean hasRoom(int limit, long nowNanos) {
        return count < limit || (limit > 0 && nowNanos - began >= SECOND);
    }

    /** Counts one. */
    void count(long nowNanos) {
        if (count == 0 || nowNanos - began >= SECOND) {
            began = nowNanos;
            count = 0;
        }
        count++;
    }
}
