package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Receives plain UDP datagrams, which arrive on the port of a {@link DatagramQueuePair} but are not datagram-iWARP: see
 * {@link DatagramQueuePair#onPlain}.
 */
@FunctionalInterface
public interface PlainDatagramHandler {
    /**
     * Handles one datagram. The thread that drives the context calls the handler, one datagram at a time. The handler
     * must not block and must not call objects of the context. Exceptions are logged.
     *
     * @param datagram the bytes from position to limit; read-only, valid only during the call
     * @param source source address of the datagram; may be forged
     */
    void plain(ByteBuffer datagram, InetSocketAddress source);
}
