package dev.jwarp.sim;

/**
 * A bottleneck link with a rate and a drop-tail queue. Bytes are those of IP packets. The thread of the network only.
 */
public final class SimBottleneck {
    /** Headers of IPv4 and UDP. */
    private static final int HEADERS = 28;

    private static final double NANOS_A_SECOND = 1e9;

    private final double nanosPerOctet;
    private final long queue;
    private double freeAt;
    private long datagrams;
    private long dropped;

    /**
     * Creates an idle one.
     *
     * @param bits rate in bits per second
     * @param queueOctets length of the queue in bytes
     */
    public SimBottleneck(long bits, long queueOctets) {
        nanosPerOctet = Byte.SIZE * NANOS_A_SECOND / bits;
        queue = queueOctets;
    }

    /** {@return the time when a datagram of that size has passed; -1 if it is dropped} */
    long pass(int octets, long nowNanos) {
        datagrams++;
        double begin = Math.max(freeAt, (double) nowNanos);
        if (begin - nowNanos > queue * nanosPerOctet) {
            dropped++;
            return -1;
        }
        freeAt = begin + (octets + HEADERS) * nanosPerOctet;
        return (long) freeAt;
    }

    /** {@return the number of datagrams, including dropped ones} */
    public long datagrams() {
        return datagrams;
    }

    /** {@return the number of dropped datagrams} */
    public long dropped() {
        return dropped;
    }
}
