package dev.jwarp.transport.udp.congestion;

/** NewReno as QUIC has it (RFC 9002 §7): half at a loss, one datagram more for each window acknowledged. Owner thread only. */
public final class NewReno extends LossBased {
    private static final double BETA = 0.5; // RFC 9002 appendix B.1

    /** The fraction of a byte of growth that is carried over to the next acknowledgement. */
    private double rest;

    @Override
    long reduced(long before, long flight) {
        return (long) (flight * BETA); // RFC 5681 §3.1, equation 4
    }

    @Override
    long grown(long before, AckSample sample) {
        // RFC 9002 §7.3.3 and appendix B.5: the largest datagram for each window that is acknowledged.
        rest += (double) datagram() * sample.ackedBytes / before;
        long whole = (long) rest;
        rest -= whole;
        return before + whole;
    }

    @Override
    void avoidanceEnds(boolean byTimeout) {
        rest = 0;
    }
}
