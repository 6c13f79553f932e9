package dev.jwarp.llp.datagram;

/** The result of a segment in the layer above. */
public enum SegmentFate {
    /** Placed, or otherwise used. */
    ACCEPTED,
    /** Not used, counted, not answered: a duplicate, a late or a superfluous segment. RD: finished, like ACCEPTED. */
    DROPPED,
    /**
     * There is no room for it now (no receive posted, record or Read queue full). UD: it is lost, as {@link #DROPPED};
     * RD: keep it and offer it again after {@link DatagramLowerLayer#ready}.
     */
    NOT_READY,
    /** The source address is not validated yet: send no data, and request a CHALLENGE. Only for UD. */
    CHALLENGE,
    /** A violation: answer with {@link DatagramUpperLayer#refusal}. */
    REFUSED
}
