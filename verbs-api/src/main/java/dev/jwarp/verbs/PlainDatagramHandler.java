package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Takes plain datagrams of UDP, which came to the port of a {@link DatagramQueuePair} and are none of datagram-iWARP: {@link DatagramQueuePair#onPlain}.
 */
@FunctionalInterface
public interface PlainDatagramHandler {
    /**
     * One has come. Called by the thread that drives the context, for one at a time; it must not block, nor call anything of the context. What it throws is logged.
     *
     * @param datagram its bytes, from position to limit; read-only, valid during the call only
     * @param source where it came from, or claims to come from
     */
    void plain(ByteBuffer datagram, InetSocketAddress source);
}
