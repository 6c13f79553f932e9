package dev.jwarp.rdmap;

/**
 * What an RDMAP stream is configured with. The read depths are not here: start-up negotiates them
 * ({@link dev.jwarp.ddp.llp.LlpAgreement}).
 *
 * @param extensions true to know Atomics and Immediate Data (RFC 7306); false to answer them as unexpected opcodes
 * @param responsesInARow Read and Atomic Responses sent in a row before waiting local work gets its turn; at least 1
 * @param disconnectTimeoutNanos how long an orderly end may take until our direction is closed; then it is aborted
 * @param nudgeNanos the side that connected sends one empty RDMA Write if nothing has come for so long after start-up;
 *     0 for never. A responder may not speak before our first FPDU (RFC 5044 §7.1.2 (4)), and Linux's siw can overlook an
 *     FPDU that follows its Reply at once until another one comes. No program learns of such a Write (RFC 5040 §5.1), and nothing
 *     of it is checked (RFC 5041 §5.2).
 * @param probeNanos either side sends an empty RDMA Write each time nothing has come for so long; 0 for never. It keeps
 *     what is on the way from forgetting the connection. There are peers that end the stream when such a Write comes.
 */
public record StreamSettings(
        boolean extensions, int responsesInARow, long disconnectTimeoutNanos, long nudgeNanos, long probeNanos) {
    /** What a stream has unless told otherwise: extensions, 4 responses in a row, 10 seconds, a nudge after 200 ms, no probes. */
    public static final StreamSettings DEFAULT = new StreamSettings(true, 4, 10_000_000_000L, 200_000_000L, 0);

    /** As the other constructor, without a nudge and probes. */
    public StreamSettings(boolean extensions, int responsesInARow, long disconnectTimeoutNanos) {
        this(extensions, responsesInARow, disconnectTimeoutNanos, 0, 0);
    }

    /** Checks the values. */
    public StreamSettings {
        if (responsesInARow < 1 || disconnectTimeoutNanos < 1 || nudgeNanos < 0 || probeNanos < 0) {
            throw new IllegalArgumentException(
                    "responsesInARow and disconnectTimeoutNanos are at least 1, nudgeNanos and probeNanos 0; not "
                            + responsesInARow + ", " + disconnectTimeoutNanos + ", " + nudgeNanos + " and "
                            + probeNanos);
        }
    }
}
