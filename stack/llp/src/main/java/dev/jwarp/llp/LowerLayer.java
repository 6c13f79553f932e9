package dev.jwarp.llp;

/**
 * The interface of a lower-layer connection for DDP and RDMAP. RFC 5041 §3 lists the requirements of DDP: ordered or
 * not, complete verified ULPDUs, a known maximum size, an orderly end.
 */
public interface LowerLayer extends Deferring {
    /** {@return the present maximum size of a ULPDU in bytes} Owner thread only. */
    int mulpdu();

    /** {@return true if ULPDUs arrive in the order sent and none is lost (TCP), so that gaps are violations} */
    boolean ordered();

    /** Announces that {@link UpperLayer#pollUlpdu} has output. Any thread; cheap; superfluous calls are harmless. */
    void doorbell();

    /**
     * Closes in order: sends the output of {@link UpperLayer#pollUlpdu} until that returns false, then closes the
     * sending direction (TCP: FIN), then reads and discards until the peer closes too or the linger time expires. Owner
     * thread only; further calls have no effect.
     */
    void close();

    /**
     * Sets the keep-alive probes of the connection; the default are the transport's settings. No effect if the lower
     * layer has no probes. Owner thread only.
     */
    default void keepAlive(KeepAliveTimes wanted) {}

    /** Aborts; unsent data are lost (TCP: RST where possible). Owner thread only. */
    void abort();
}
