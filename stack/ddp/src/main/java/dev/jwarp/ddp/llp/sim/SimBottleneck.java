package dev.jwarp.ddp.llp.sim;

/**
 * A link that is slower than those who send through it: so many bits a second, and a queue that drops what does not fit. Bytes
 * are those of IP packets. The thread of the network only.
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
     * @param bits a second
     * @param queueOctets how much may wait before it
     */
    public SimBottleneck(long bits, long queueOctets) {
        nanosPerOctet = Byte.SIZE * NANOS_A_SECOND / bits;
        queue = queueOctets;
    }

    /** {@return when a datagram of so many bytes has passed; -1 if it is dropped} */
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

    /** {@return datagrams that came to it, those that it dropped included} */
    public long datagrams() {
        return datagrams;
    }

    /** {@return datagrams that it dropped} */
    public long dropped() {
        return dropped;
    }
}
