package dev.jwarp.rdmap;

/**
 * What an RDMAP stream is configured with. The read depths are not here: start-up negotiates them
 * ({@link dev.jwarp.llp.LlpAgreement}).
 *
 * @param extensions true to know Atomics and Immediate Data (RFC 7306); false to answer them as unexpected opcodes
 * @param responsesInARow Read and Atomic Responses sent in a row before waiting local work gets its turn; at least 1
 * @param disconnectTimeoutNanos how long an orderly end may take until our direction is closed; then it is aborted
 * @param nudge when the side that connected sends one empty RDMA Write because nothing has come for {@link #NUDGE_NANOS}
 *     after start-up
 * @param probeNanos either side sends an empty RDMA Write each time nothing has come for so long; 0 for never. It keeps
 *     what is on the way from forgetting the connection. There are peers that end the stream when such a Write comes.
 */
public record StreamSettings(
        boolean extensions, int responsesInARow, long disconnectTimeoutNanos, Nudge nudge, long probeNanos) {
    /** How long an initiator waits for the peer's first message before it may send an empty RDMA Write: 200 ms. */
    public static final long NUDGE_NANOS = 200_000_000L;

    /**
     * The settings of a stream unless told otherwise: extensions, 4 responses in a row, 10 seconds, a nudge where the peer
     * needs it, no probes.
     */
    public static final StreamSettings DEFAULT = new StreamSettings(true, 4, 10_000_000_000L, Nudge.AUTO, 0);

    /** As the other constructor, without a nudge and probes. */
    public StreamSettings(boolean extensions, int responsesInARow, long disconnectTimeoutNanos) {
        this(extensions, responsesInARow, disconnectTimeoutNanos, Nudge.OFF, 0);
    }

    /** Checks the values. */
    public StreamSettings {
        if (responsesInARow < 1 || disconnectTimeoutNanos < 1 || probeNanos < 0) {
            throw new IllegalArgumentException(
                    "responsesInARow and disconnectTimeoutNanos are at least 1, probeNanos 0; not " + responsesInARow
                            + ", " + disconnectTimeoutNanos + " and " + probeNanos);
        }
    }
}
