package dev.jwarp.llp;

import java.nio.ByteBuffer;

/**
 * Writes the ULPDU that the lower layer has requested from the layer above. A lower layer implements it over its send
 * buffers, so that nothing is allocated and payload is copied at most once.
 *
 * <p>Use: {@link #begin}, write the header into {@link #buffer()} at the returned index, then {@link #payload} zero or
 * more times until the announced length is reached, then {@link #end}. Owner thread only.
 */
public interface UlpduWriter extends PayloadWriter {
    /** {@return the present maximum size of a ULPDU in bytes, header included (RFC 5044 §4.5 MULPDU)} */
    int mulpdu();

    /**
     * {@return the maximum size in bytes of the ULPDU for the next part of a message, header included} It may be less
     * than {@link #mulpdu()}, so that the following ULPDU begins a segment of the layer below (RFC 5044 §4.5, §5.1).
     *
     * @param wanted size of a ULPDU with all of the remaining message, header included
     */
    default int mulpdu(long wanted) {
        return mulpdu();
    }

    /**
     * Begins a ULPDU of exactly {@code headerLength + payloadLength} bytes.
     *
     * @return the absolute index in {@link #buffer()} where the {@code headerLength} header bytes are to be written
     */
    int begin(int headerLength, int payloadLength);

    /** {@return the big-endian buffer that holds the header of the ULPDU begun last; use absolute puts only} */
    ByteBuffer buffer();

    /** Ends the ULPDU. */
    void end();
}
