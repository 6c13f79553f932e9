package dev.jwarp.llp.datagram;

import java.nio.ByteBuffer;

/** Receives plain UDP datagrams, which arrive on a port but are not datagram-iWARP. */
public interface PlainTaker {
    /**
     * Receives one datagram. Owner thread; must neither block nor call the port.
     *
     * @param in big-endian; position and limit are meaningless; read-only, valid only during the call
     * @param offset index of the first byte
     * @param length length in bytes
     * @param source source address; valid only during the call
     */
    void plain(ByteBuffer in, int offset, int length, DatagramAddress source);
}
