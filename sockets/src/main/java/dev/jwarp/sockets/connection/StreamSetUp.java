package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.KeepAlive;

/**
 * What a stream is set up with.
 *
 * @param receiveBytes that can be received before they are read; even
 * @param sendBytes that can be sent before the peer has them
 * @param keepAlive whether a peer that is gone is noticed while nothing is sent
 */
public record StreamSetUp(int receiveBytes, int sendBytes, boolean keepAlive) {
    /** As librdmacm has it. */
    public static final StreamSetUp DEFAULT = new StreamSetUp(StreamQueuePair.RING, StreamQueuePair.RING, false);

    /** {@return the parameters of the connection, but for its private data} */
    ConnectionParameters parameters() {
        return ConnectionParameters.DEFAULT.withKeepAlive(keepAlive ? null : KeepAlive.OFF);
    }
}
