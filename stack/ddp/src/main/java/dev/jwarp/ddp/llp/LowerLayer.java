package dev.jwarp.ddp.llp;

/**
 * A connection of the lower layer as DDP and RDMAP see it; RFC 5041 §3 lists what DDP may expect of it: ordered or
 * not, whole verified ULPDUs, a known largest size, an orderly end.
 */
public interface LowerLayer extends Deferring {
    /** {@return the largest ULPDU for the path now; octets} Owner thread only. */
    int mulpdu();

    /** {@return true if ULPDUs arrive in the order sent and none is lost (TCP), so that gaps are violations} */
    boolean ordered();

    /** Says that {@link UpperLayer#pollUlpdu} has something to give. Any thread; cheap; may be called too often. */
    void doorbell();

    /**
     * Ends gracefully: sends what {@link UpperLayer#pollUlpdu} still gives (until it answers false), then the end of
     * our direction (TCP: FIN), then reads and discards until the peer ends too or the linger time is over. Owner
     * thread only; more calls do nothing.
     */
    void close();

    /**
     * Says which keep-alive probes an idle connection sends; before that the transport's settings hold. Does nothing
     * where the lower layer has no such thing. Owner thread only.
     */
    default void keepAlive(KeepAliveTimes wanted) {}

    /** Ends at once; what is not yet sent is lost (TCP: RST where possible). Owner thread only. */
    void abort();
}
