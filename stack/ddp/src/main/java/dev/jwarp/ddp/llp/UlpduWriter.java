package dev.jwarp.ddp.llp;

import java.nio.ByteBuffer;

/**
 * Where the layer above writes the one ULPDU it was asked for. A lower layer implements it over its own send buffers,
 * so that nothing is allocated and payload is copied at most once on its way to the network.
 *
 * <p>Use: {@link #begin}, write the header into {@link #buffer()} at the returned index, then {@link #payload} zero or
 * more times until the announced length is reached, then {@link #end}. Owner thread only.
 */
public interface UlpduWriter {
    /** {@return the largest ULPDU, header included, that may be begun now; octets (RFC 5044 §4.5 MULPDU)} */
    int mulpdu();

    /**
     * {@return the largest ULPDU, header included, that may carry the next part of a message; octets} It may be less than {@link #mulpdu()}, so
     * that a segment of the layer below begins with the ULPDU behind it (RFC 5044 §4.5, §5.1).
     *
     * @param wanted octets of the ULPDU that would carry all that is left of the message, header included
     */
    default int mulpdu(long wanted) {
        return mulpdu();
    }

    /**
     * Begins a ULPDU of exactly {@code headerLength + payloadLength} octets.
     *
     * @return the absolute index in {@link #buffer()} where the {@code headerLength} header octets are to be written
     */
    int begin(int headerLength, int payloadLength);

    /** {@return the big-endian buffer that holds the header of the ULPDU begun last; use absolute puts only} */
    ByteBuffer buffer();

    /**
     * Appends payload.
     *
     * @param source memory to read by absolute index; its position and limit are neither used nor changed
     * @param offset index of the first octet in {@code source}
     * @param length octets to append
     * @param stable true if these bytes do not change until the ULPDU has left (a work request's buffer): the lower
     *     layer may then gather instead of copy. False for memory that others may write meanwhile (the source of an
     *     RDMA Read Response), where the checksum must be computed over the very octets that are sent.
     */
    void payload(ByteBuffer source, int offset, int length, boolean stable);

    /** Ends the ULPDU. */
    void end();
}
