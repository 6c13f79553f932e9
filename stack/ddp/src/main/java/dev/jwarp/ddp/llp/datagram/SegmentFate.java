package dev.jwarp.ddp.llp.datagram;

/** What the layer above made of a segment. */
public enum SegmentFate {
    /** Placed, or otherwise used. */
    ACCEPTED,
    /** Not used, counted, not to be answered: a duplicate, a late one, one too many. RD: done with, like ACCEPTED. */
    DROPPED,
    /**
     * There is no room for it now (no receive posted, record or Read queue full). UD: it is lost, as {@link #DROPPED};
     * RD: keep it and offer it again after {@link DatagramLowerLayer#ready}.
     */
    NOT_READY,
    /** The datagram has to prove that its source sent it: CHALLENGE. Only for UD. */
    CHALLENGE,
    /** A violation: answer with {@link DatagramUpperLayer#refusal}. */
    REFUSED
}
