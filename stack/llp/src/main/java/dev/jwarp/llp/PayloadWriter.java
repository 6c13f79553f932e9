package dev.jwarp.llp;

import java.nio.ByteBuffer;

/** Writes the payload of the open ULPDU, or of the open segment of a datagram. Owner thread only. */
public interface PayloadWriter {
    /**
     * Appends payload.
     *
     * @param source memory to read by absolute index; its position and limit are neither used nor changed
     * @param offset index of the first byte in {@code source}
     * @param length bytes to append
     * @param stable true if these bytes do not change until they are sent (the buffer of a work request), so that the
     *     lower layer may gather instead of copy. False for memory that others may write meanwhile (the source of an
     *     RDMA Read Response), because the checksum must cover exactly the bytes that are sent.
     */
    void payload(ByteBuffer source, int offset, int length, boolean stable);
}
