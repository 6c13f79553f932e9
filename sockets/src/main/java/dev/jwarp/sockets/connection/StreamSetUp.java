package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.KeepAlive;

/**
 * What a stream is set up with.
 *
 * @param receiveBytes that can be received before they are read, at first; even
 * @param mostReceiveBytes that can be, once it was too little for a stream whose program has read all that had come; even
 * @param sendBytes that can be sent before the peer has them
 * @param keepAlive whether a peer that is gone is noticed while nothing is sent
 */
public record StreamSetUp(int receiveBytes, int mostReceiveBytes, int sendBytes, boolean keepAlive) {
    /** As librdmacm has it, and more where it is needed. */
    public static final StreamSetUp DEFAULT =
            new StreamSetUp(StreamQueuePair.RING, StreamQueuePair.MOST, StreamQueuePair.RING, false);

    /**
     * {@return one that can receive so much} What has the usual size grows where it is needed, and what a program has made smaller or larger does not.
     *
     * @param receiveBytes even
     * @param sendBytes that can be sent before the peer has them
     * @param keepAlive whether a peer that is gone is noticed while nothing is sent
     */
    public static StreamSetUp of(int receiveBytes, int sendBytes, boolean keepAlive) {
        int most = receiveBytes == DEFAULT.receiveBytes ? DEFAULT.mostReceiveBytes : receiveBytes;
        return new StreamSetUp(receiveBytes, most, sendBytes, keepAlive);
    }

    /** {@return the parameters of the connection, but for its private data} */
    ConnectionParameters parameters() {
        return ConnectionParameters.DEFAULT.withKeepAlive(keepAlive ? null : KeepAlive.OFF);
    }
}
