package dev.jwarp.rdmap;

/**
 * When the side that connected sends one empty RDMA Write because the peer has sent nothing for {@link StreamSettings#NUDGE_NANOS}
 * after start-up.
 *
 * <p>A responder may send nothing before it has received and validated an FPDU (RFC 5044 §7.1.2 (4)). If the programs on both sides wait
 * for each other's first message, both wait for ever. RFC 6581 §9.2 has a cure: the initiator asks for the peer-to-peer set-up
 * and sends a ready-to-receive message. A Write is for what start-up did not agree on. No program learns of it (RFC 5040 §5.1), and
 * nothing of it is checked (RFC 5041 §5.2); but there are peers that end the stream when it comes.
 */
public enum Nudge {
    /**
     * Only where the peer showed that it needs one, and nothing was sent yet. To show it, a responder has the Reply alone: until our
     * first FPDU it has to be silent, so its silence says nothing. Its Reply shows it with control flags A and C (RFC 6581 §9.2: the
     * set-up is peer-to-peer, and an empty RDMA Write is the ready-to-receive message it takes) although our Request had A=0, so that no
     * ready-to-receive message was agreed. C without A means nothing: it has to be ignored. A Reply of revision 1, or without the enhanced
     * data, has no such flags.
     */
    AUTO,

    /**
     * Whatever was sent, to any peer: for those that overlook our first FPDU until another one comes, as Linux's siw does with an
     * FPDU that follows its Reply at once; and for servers that send first without the peer-to-peer set-up.
     */
    ON,

    /** Never. */
    OFF
}
