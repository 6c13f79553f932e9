package dev.jwarp.rdmap;

/**
 * Details of the message that filled a posted receive. Each stream reuses one object for all calls of {@link
 * StreamListener#receiveCompleted}; its contents are valid only during the call.
 */
public final class ReceiveDetails {
    /** Which message filled the receive. */
    public enum Kind {
        /** None: the receive was flushed or failed. */
        NONE,
        /** One of the four Sends (RFC 5040 §4.6, §4.7). */
        SEND,
        /** Immediate Data (RFC 7306 §6): 8 bytes, see {@link #immediate()}. */
        IMMEDIATE_DATA
    }

    private Kind kind = Kind.NONE;
    private int byteLength;
    private boolean solicited;
    private boolean invalidated;
    private int invalidatedSTag;
    private long immediate;

    /** Creates empty details. */
    public ReceiveDetails() {}

    void clear() {
        set(Kind.NONE, 0, false);
    }

    void set(Kind what, int octets, boolean withSolicitedEvent) {
        kind = what;
        byteLength = octets;
        solicited = withSolicitedEvent;
        invalidated = false;
        invalidatedSTag = 0;
        immediate = 0;
    }

    void invalidated(int sTag) {
        invalidated = true;
        invalidatedSTag = sTag;
    }

    void immediate(long data) {
        immediate = data;
    }

    /** {@return the kind of message} */
    public Kind kind() {
        return kind;
    }

    /** {@return bytes of the message in the receive's memory} */
    public int byteLength() {
        return byteLength;
    }

    /** {@return whether the peer asked for an event (RFC 5040 §5.3)} */
    // RDMAP-5.3-6
    public boolean solicited() {
        return solicited;
    }

    /** {@return whether the message invalidated an STag of ours} */
    public boolean invalidated() {
        return invalidated;
    }

    /** {@return the STag it invalidated; 0 if none} */
    public int invalidatedSTag() {
        return invalidatedSTag;
    }

    /** {@return the 8 bytes of Immediate Data, first byte highest; 0 for a Send} */
    public long immediate() {
        return immediate;
    }
}
