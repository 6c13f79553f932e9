package dev.jwarp.ddp.llp;

/**
 * What one side says about itself at start-up, or what the peer said (RFC 5044 §7.1, RFC 6581 §9).
 *
 * @param ird inbound read depth, 0 to 16383; 16383 means "leave it to the peer" (RFC 6581 §9.1); -1 where the peer did
 *     not say (revision 1)
 * @param ord outbound read depth, likewise
 * @param privateData of the layer above; at most 508 octets with the enhanced set-up, 512 without. Owned by this value:
 *     do not change it.
 */
public record StartParameters(int ird, int ord, byte[] privateData) {
    /** The value of {@link #ird} and {@link #ord} when the peer did not tell. */
    public static final int UNKNOWN = -1;
}
