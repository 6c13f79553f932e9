package dev.jwarp.rdmap;

/**
 * What an RDMAP stream is configured with. The read depths are not here: start-up negotiates them
 * ({@link dev.jwarp.ddp.llp.LlpAgreement}).
 *
 * @param extensions true to know Atomics and Immediate Data (RFC 7306); false to answer them as unexpected opcodes
 * @param responsesInARow Read and Atomic Responses sent in a row before waiting local work gets its turn; at least 1
 * @param disconnectTimeoutNanos how long an orderly end may take until our direction is closed; then it is aborted
 */
public record StreamSettings(boolean extensions, int responsesInARow, long disconnectTimeoutNanos) {
    /** What a stream has unless told otherwise: extensions, 4 responses in a row, 10 seconds. */
    public static final StreamSettings DEFAULT = new StreamSettings(true, 4, 10_000_000_000L);

    /** Checks the values. */
    public StreamSettings {
        if (responsesInARow < 1 || disconnectTimeoutNanos < 1) {
            throw new IllegalArgumentException("responsesInARow and disconnectTimeoutNanos are at least 1, not "
                    + responsesInARow + " and " + disconnectTimeoutNanos);
        }
    }
}
