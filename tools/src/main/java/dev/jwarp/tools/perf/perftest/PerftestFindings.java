package dev.jwarp.tools.perf.perftest;

import java.net.InetAddress;

/** Receives the results of a session as they arrive. One thread. */
public interface PerftestFindings {
    /** The ends have exchanged their descriptions, and the measurement begins. */
    void met(Met met);

    /**
     * Two ends.
     *
     * @param version of the peer's perftest
     * @param ours this end
     * @param local the address of this end
     * @param theirs the other end
     * @param remote the address of the other end
     */
    record Met(String version, Destination ours, InetAddress local, Destination theirs, InetAddress remote) {}

    /** The result of a size in a bandwidth test. */
    void bandwidth(int size, long messages, long nanos);

    /** The time of one round trip: from the posting of a message to that of the next one. */
    void latencySample(long nanos);

    /** The result of a size in a latency test, after its samples. */
    void latency(int size, long messages, long nanos);

    /** At a passive server: the results that the client reports. */
    void reported(BandwidthReport report);
}
