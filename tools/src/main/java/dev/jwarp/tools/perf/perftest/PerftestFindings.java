package dev.jwarp.tools.perf.perftest;

import java.net.InetAddress;

/** Is told what a session finds out, as it does. One thread. */
public interface PerftestFindings {
    /** The two ends have described themselves; what follows is measured. */
    void met(Met met);

    /**
     * Two ends.
     *
     * @param version of the peer's perftest
     * @param ours this end
     * @param local where it is
     * @param theirs the other end
     * @param remote where that is
     */
    record Met(String version, Destination ours, InetAddress local, Destination theirs, InetAddress remote) {}

    /** A size is done whose messages moved as fast as they could. */
    void bandwidth(int size, long messages, long nanos);

    /** One message was answered: the time from its posting to that of the next one. */
    void latencySample(long nanos);

    /** A size is done whose messages moved one at a time; its samples came before. */
    void latency(int size, long messages, long nanos);

    /** A server that only was there: what the client says it found out. */
    void reported(BandwidthReport report);
}
