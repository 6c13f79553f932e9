package dev.jwarp.rdmap;

/**
 * Configuration of an RDMAP stream. Start-up negotiates the read depths, so they are in {@link
 * dev.jwarp.llp.LlpAgreement}.
 *
 * @param extensions true to support Atomics and Immediate Data (RFC 7306); false to reject them as unexpected opcodes
 * @param responsesInARow Read and Atomic Responses sent in a row before waiting local work gets its turn; at least 1
 * @param disconnectTimeoutNanos time limit for closing our direction in order; then the connection is aborted
 * @param nudge when the side that connected sends one empty RDMA Write because the peer has sent nothing for {@link
 *     #NUDGE_NANOS} after start-up
 * @param probeNanos time without input after which either side sends an empty RDMA Write; 0 for never. Such probes keep
 *     firewalls on the path from dropping the connection. Some peers end the stream on receipt of a probe.
 */
public record StreamSettings(
        boolean extensions, int responsesInARow, long disconnectTimeoutNanos, Nudge nudge, long probeNanos) {
    /** How long an initiator waits for the peer's first message before it may send an empty RDMA Write: 200 ms. */
    public static final long NUDGE_NANOS = 200_000_000L;

    /**
     * The default settings: extensions, 4 responses in a row, 10 seconds, a nudge where the peer needs it, no probes.
     */
    public static final StreamSettings DEFAULT = new StreamSettings(true, 4, 10_000_000_000L, Nudge.AUTO, 0);

    /** Creates settings without nudge and probes. */
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
