package dev.jwarp.llp;

/**
 * The parameters of one side at start-up, local or of the peer (RFC 5044 §7.1, RFC 6581 §9).
 *
 * @param ird inbound read depth, 0 to 16383; 16383 leaves the value to the peer (RFC 6581 §9.1); -1 if the peer did not
 *     send it (revision 1)
 * @param ord outbound read depth, likewise
 * @param privateData private data of the layer above; at most 508 bytes with the enhanced set-up, 512 without. Owned by
 *     this value: do not change it.
 */
public record StartParameters(int ird, int ord, byte[] privateData) {
    /** The value of {@link #ird} and {@link #ord} if the peer did not send it. */
    public static final int UNKNOWN = -1;
}
