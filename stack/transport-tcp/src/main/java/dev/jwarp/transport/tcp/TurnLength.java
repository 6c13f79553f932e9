package dev.jwarp.transport.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Whether more than one connection of an owner had octets lately. Turns are long while only one connection is busy, and
 * short while others may wait. Owner thread only.
 */
final class TurnLength {
    /** FPDUs of one turn, if no other connection was busy lately, and if one was. */
    static final int ALONE = 1024;

    static final int TOGETHER = 256;

    /** FPDUs of one write if others were busy lately. */
    static final int WRITE_TOGETHER = 256;

    /** Writes of one turn if no other connection was busy lately; 1 if one was. */
    private static final int WRITES_ALONE = 4;

    /** Octets of one write, by the number of connections that were busy lately. */
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
     * @param seen the result of the connection's previous call; 0 for the first call
     * @return the argument of the connection's next call
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
