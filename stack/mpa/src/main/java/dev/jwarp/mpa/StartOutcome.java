package dev.jwarp.mpa;

/** What an initiator makes of a Reply: an {@link Agreement}, or one of the ways in which start-up fails. */
public sealed interface StartOutcome
        permits Agreement, StartOutcome.RejectedByPeer, StartOutcome.Close, StartOutcome.Terminate {

    /**
     * The peer refused (flag R). MPA is left, the connection is the layer above's to close, and no octet behind the
     * Reply is an FPDU (RFC 5044 §7.1.2 (3)).
     *
     * @param reply with the peer's reason in its private data and, in the enhanced set-up, the IRD and ORD it needs
     */
    record RejectedByPeer(StartFrame reply) implements StartOutcome {}

    /**
     * The Reply is not one to our Request: close TCP and send nothing (RFC 5044 §7.1.1).
     *
     * @param problem what is wrong with it
     */
    record Close(StartFrameProblem problem) implements StartOutcome {
        /** {@return whether another connection with revision 1 may do better (RFC 6581 §10)} */
        public boolean mayRetryWithRevision1() {
            return problem == StartFrameProblem.REPLY_NOT_ENHANCED;
        }
    }

    /**
     * The peer accepted, but we cannot live with its terms: send a Terminate as the first and last FPDU, then close
     * (RFC 6581 §9.1, §9.2).
     *
     * @param error {@link MpaError#INSUFFICIENT_IRD} or {@link MpaError#NO_MATCHING_RTR}
     * @param sentence what was asked and what could be given
     * @param framing how FPDUs are framed now; of the rest of it nothing is agreed
     */
    record Terminate(MpaError error, String sentence, Agreement framing) implements StartOutcome {}
}
