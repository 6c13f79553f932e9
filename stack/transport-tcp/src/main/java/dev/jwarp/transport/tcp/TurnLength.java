package dev.jwarp.transport.tcp;

import java.util.concurrent.TimeUnit;

/**
 * How busy the connections of one owner are: whether more than one had octets lately. While one has the owner to itself its turns
 * may be long; where others may wait they are short. Owner thread only.
 */
final class TurnLength {
    /** Work of a turn, in FPDUs, where no other connection had anything to do lately, and where one had. */
    static final int ALONE = 1024;

    static final int TOGETHER = 256;

    /** FPDUs of one write where others had something to do lately. */
    static final int WRITE_TOGETHER = 256;

    /** Writes of one turn where no other connection had anything to do lately; 1 where one had. */
    private static final int WRITES_ALONE = 4;

    /** Octets of one write where so many had something to do lately. */
    private static final int WRITE_OF_MANY = 1 << 16;

    static final int MANY = 16;

    private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(10);

    private boolean running;
    private long window = 1;
    private long began;
    private int busy;
    private int busyBefore;

    /**
     * A connection has octets, from its peer or to it.
     *
     * @param seen what this answered when it last had some; 0 if it never had
     * @return to be handed in the next time
     */
    long work(long seen, long nowNanos) {
        if (!running || nowNanos - began >= WINDOW) { // the clock may begin anywhere
            running = true;
            busyBefore = nowNanos - began >= 2 * WINDOW ? 0 : busy;
            busy = 0;
            began = nowNanos;
            window++;
        }
        if (seen != window) {
            busy++;
        }
        return window;
    }

    /** {@return whether several connections were busy in this window or the one before} */
    boolean together() {
        return Math.max(busy, busyBefore) > 1;
    }

    /** {@return FPDUs of one turn} */
    int quantum() {
        return together() ? TOGETHER : ALONE;
    }

    /** {@return octets of one write, or one FPDU more} */
    int writeOctets() {
        return Math.max(busy, busyBefore) >= MANY ? WRITE_OF_MANY : Integer.MAX_VALUE;
    }

    /** {@return FPDUs of one write} */
    int writeQuantum() {
        return together() ? WRITE_TOGETHER : Integer.MAX_VALUE;
    }

    /** {@return writes of one turn} */
    int writes() {
        return together() ? 1 : WRITES_ALONE;
    }
}
