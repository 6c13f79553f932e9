package dev.jwarp.llp;

/** How a lower-layer connection ended. */
public enum LlpEnd {
    /** Both directions ended in order. */
    GRACEFUL("both sides closed"),
    /** The peer or something on the way reset the connection. */
    RESET("the connection was reset"),
    /** The peer did not answer, or accepted no data, in time (TCP: keep-alive, retransmission). */
    TIMED_OUT("the peer did not answer in time"),
    /** The peer's stream ended inside a ULPDU (RFC 5044 §8: connection lost). */
    TRUNCATED("the peer's stream ended inside an FPDU"),
    /** This side closed, and the peer did not close within the linger time. */
    LINGER_EXPIRED("the peer did not close in time"),
    /** This side called {@link LowerLayer#abort}. */
    ABORTED("this side aborted the connection");

    private final String sentence;

    LlpEnd(String sentence) {
        this.sentence = sentence;
    }

    /** {@return the description of the end, without a full stop} */
    public String sentence() {
        return sentence;
    }
}
