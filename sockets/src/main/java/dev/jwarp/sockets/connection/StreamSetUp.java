package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.KeepAlive;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a stream is set up with.
 *
 * @param protocol that both ends have to speak
 * @param receiveBytes that can be received before they are read, at first; even
 * @param mostReceiveBytes that can be, once it was too little for a stream whose program has read all that had come; even
 * @param sendBytes that can be sent before the peer has them
 * @param keepAlive whether a peer that is gone is noticed while nothing is sent
 * @param maps ranges of its memory that the peer can tell of at a time, to be written to by offsets; of rsockets
 * @param credit of {@link StreamProtocol#CREDITS}
 * @param answer how long the peer may take until it is connected; null: the setting {@code jwarp.cm.connect-timeout}
 */
public record StreamSetUp(
        StreamProtocol protocol,
        int receiveBytes,
        int mostReceiveBytes,
        int sendBytes,
        boolean keepAlive,
        int maps,
        CreditSetUp credit,
        @Nullable Duration answer) {
    /** As librdmacm has it, and more where it is needed. */
    public static final StreamSetUp DEFAULT = new StreamSetUp(
            StreamProtocol.RSOCKETS,
            RsocketQueuePair.RING,
            RsocketQueuePair.MOST,
            RsocketQueuePair.RING,
            false,
            0,
            CreditSetUp.DEFAULT,
            null);

    /**
     * {@return the set-up with these sizes} Memory of the usual size grows where that is needed; memory that a program has made smaller or larger does not.
     *
     * @param receiveBytes even
     * @param sendBytes that can be sent before the peer has them
     * @param keepAlive whether a peer that is gone is noticed while nothing is sent
     */
    public static StreamSetUp of(int receiveBytes, int sendBytes, boolean keepAlive) {
        int most = receiveBytes == DEFAULT.receiveBytes ? DEFAULT.mostReceiveBytes : receiveBytes;
        return new StreamSetUp(DEFAULT.protocol, receiveBytes, most, sendBytes, keepAlive, 0, DEFAULT.credit, null);
    }

    /**
     * {@return the same set-up, in which the peer can tell of {@code count} ranges of its memory}
     *
     * @param count 0 or more
     */
    public StreamSetUp withMaps(int count) {
        return new StreamSetUp(protocol, receiveBytes, mostReceiveBytes, sendBytes, keepAlive, count, credit, answer);
    }

    /**
     * {@return the same with another protocol}
     *
     * @param spoken that both ends have to speak
     * @param how of {@link StreamProtocol#CREDITS}
     */
    public StreamSetUp withProtocol(StreamProtocol spoken, CreditSetUp how) {
        return new StreamSetUp(spoken, receiveBytes, mostReceiveBytes, sendBytes, keepAlive, maps, how, answer);
    }

    /**
     * {@return the same set-up, with a time limit for the peer's answer}
     *
     * @param limit above 0
     */
    public StreamSetUp answeredWithin(Duration limit) {
        return new StreamSetUp(protocol, receiveBytes, mostReceiveBytes, sendBytes, keepAlive, maps, credit, limit);
    }

    /** {@return the parameters of the connection, but for its private data} */
    ConnectionParameters parameters() {
        ConnectionParameters wanted = ConnectionParameters.DEFAULT.withKeepAlive(keepAlive ? null : KeepAlive.OFF);
        return answer == null ? wanted : wanted.withTimeout(answer);
    }
}
