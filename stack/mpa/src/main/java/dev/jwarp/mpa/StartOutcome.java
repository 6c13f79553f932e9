package dev.jwarp.mpa;

/** The result of a Reply for the initiator: an {@link Agreement}, or a failure of start-up. */
public sealed interface StartOutcome
        permits Agreement, StartOutcome.RejectedByPeer, StartOutcome.Close, StartOutcome.Terminate {

    /**
     * The peer rejected the connection (flag R). MPA ends, the layer above closes the connection, and octets after the
     * Reply are no FPDUs (RFC 5044 §7.1.2 (3)).
     *
     * @param reply with the peer's reason in its private data and, in the enhanced set-up, the IRD and ORD it needs
     */
    record RejectedByPeer(StartFrame reply) implements StartOutcome {}

    /**
     * The Reply is invalid for the Request: close TCP and send nothing (RFC 5044 §7.1.1).
     *
     * @param problem the problem of the Reply
     */
    record Close(StartFrameProblem problem) implements StartOutcome {
        /** {@return whether another connection with revision 1 may succeed (RFC 6581 §10)} */
        public boolean mayRetryWithRevision1() {
            return problem == StartFrameProblem.REPLY_NOT_ENHANCED;
        }
    }

    /**
     * The peer accepted with unsupported parameters: send a Terminate as the first and last FPDU, then close (RFC 6581
     * §9.1, §9.2).
     *
     * @param error {@link MpaError#INSUFFICIENT_IRD} or {@link MpaError#NO_MATCHING_RTR}
     * @param sentence the required and the supported values
     * @param framing the framing of the Terminate; its other values are meaningless
     */
    record Terminate(MpaError error, String sentence, Agreement framing) implements StartOutcome {}
}
