package dev.jwarp.rdmap;

/**
 * When the side that connected sends one empty RDMA Write because the peer has sent nothing for {@link
 * StreamSettings#NUDGE_NANOS} after start-up.
 *
 * <p>A responder may send nothing before it has received and validated an FPDU (RFC 5044 §7.1.2 (4)). If the programs
 * on both sides wait for each other's first message, both wait for ever. RFC 6581 §9.2 prevents this: the initiator
 * asks for the peer-to-peer set-up and sends a ready-to-receive message. An empty Write does the same where start-up
 * agreed on no such message. The peer's program does not see an empty Write (RFC 5040 §5.1), and the peer checks
 * neither STag nor bounds (RFC 5041 §5.2); but some peers end the stream on receipt.
 */
public enum Nudge {
    /**
     * Only if this side has sent nothing yet and the peer showed that it needs a Write. A responder can show this in
     * its Reply alone, because it has to be silent until our first FPDU. The Reply shows it with control flags A and C
     * (RFC 6581 §9.2: the set-up is peer-to-peer, and an empty RDMA Write is the ready-to-receive message that it
     * takes) although our Request had A=0, so that no ready-to-receive message was agreed. C without A means nothing
     * and is ignored. A Reply of revision 1, or without the enhanced data, has no such flags.
     */
    AUTO,

    /**
     * To any peer, even after other messages: for peers that overlook our first FPDU until another FPDU comes, as
     * Linux's siw does with an FPDU that follows its Reply at once; and for servers that send first without the
     * peer-to-peer set-up.
     */
    ON,

    /** Never. */
    OFF
}
