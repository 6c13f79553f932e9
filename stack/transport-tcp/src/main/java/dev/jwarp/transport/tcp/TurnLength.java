package dev.jwarp.transport.tcp;

import dev.jwarp.llp.UpperLayer;

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

    /** Reads of one turn of weight 1. */
    private static final int READS = 4;

    /** Writes of one turn if no other connection was busy lately; otherwise the weight. */
    private static final int WRITES_ALONE = 4;

    /** Octets of one write, by the number of connections that were busy lately. */
    private static final int WRITE_OF_MANY = 1 << 16;

    static final int MANY = 16;

    /**
     * Calls of {@link #work} with weight 1 that count as lately. Time is no measure, as the system may stop the owner
     * between two turns.
     */
    static final int WINDOW = 1024;

    private int calls;
    private long window = 1;
    private int busy;
    private int busyBefore;

    /**
     * A connection has octets, from its peer or to it.
     *
     * @param seen the result of the connection's previous call; 0 for the first call
     * @param weight of the connection: the calls of its longer turn count for less
     * @return the argument of the connection's next call
     */
    long work(long seen, int weight) {
        calls += UpperLayer.HEAVIEST / weight;
        if (calls > WINDOW * UpperLayer.HEAVIEST) {
            calls = UpperLayer.HEAVIEST / weight;
            busyBefore = busy;
            busy = 0;
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

    /** {@return FPDUs received in one turn of a connection with this weight} */
    int quantum(int weight) {
        return together() ? TOGETHER * weight : ALONE;
    }

    /** {@return reads of one turn} */
    int reads(int weight) {
        return together() ? READS * weight : READS;
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
    int writes(int weight) {
        return together() ? weight : WRITES_ALONE;
    }
}
