package dev.jwarp.llp.datagram;

/** The result of a segment in the layer above. */
public enum SegmentFate {
    /** Placed, or otherwise used. */
    ACCEPTED,
    /** Not used, counted, not answered: a duplicate, a late or a superfluous segment. RD: finished, like ACCEPTED. */
    DROPPED,
    /**
     * No resource for the segment now (no receive posted, record or Read queue full). UD: the segment is lost, as
     * {@link #DROPPED}; RD: keep the segment and offer it again after {@link DatagramLowerLayer#ready}.
     */
    NOT_READY,
    /** The source address is not validated yet: send no data, and request a CHALLENGE. Only for UD. */
    CHALLENGE,
    /** A violation: answer with {@link DatagramUpperLayer#refusal}. */
    REFUSED
}
