package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.KeepAlive;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a new stream.
 *
 * @param protocol must be the same at both ends
 * @param receiveBytes initial bytes of the receive memory; even
 * @param mostReceiveBytes bytes to which the receive memory grows if it was full although the program had read
 *     everything; even
 * @param sendBytes bytes of the send memory
 * @param copyBytes writes of fewer bytes are copied; 0 or more
 * @param keepAlive whether an idle connection checks that the peer is alive
 * @param maps maximum of ranges of its memory that the peer can share at a time; rsockets only
 * @param credit settings for {@link StreamProtocol#CREDITS}
 * @param answer time limit of the connection set-up; null: the setting {@code jwarp.cm.connect-timeout}
 */
public record StreamSetUp(
        StreamProtocol protocol,
        int receiveBytes,
        int mostReceiveBytes,
        int sendBytes,
        int copyBytes,
        boolean keepAlive,
        int maps,
        CreditSetUp credit,
        @Nullable Duration answer) {
    /** The sizes of librdmacm, with receive memory that grows. */
    public static final StreamSetUp DEFAULT = new StreamSetUp(
            StreamProtocol.RSOCKETS,
            RsocketQueuePair.RING,
            RsocketQueuePair.MOST,
            RsocketQueuePair.RING,
            StreamQueuePair.COPY_BYTES,
            false,
            0,
            CreditSetUp.DEFAULT,
            null);

    /**
     * {@return the set-up with these sizes} Receive memory of the default size grows; any other size is fixed.
     *
     * @param receiveBytes bytes of the receive memory; even
     * @param sendBytes bytes of the send memory
     * @param keepAlive whether an idle connection checks that the peer is alive
     */
    public static StreamSetUp of(int receiveBytes, int sendBytes, boolean keepAlive) {
        int most = receiveBytes == DEFAULT.receiveBytes ? DEFAULT.mostReceiveBytes : receiveBytes;
        return new StreamSetUp(
                DEFAULT.protocol, receiveBytes, most, sendBytes, DEFAULT.copyBytes, keepAlive, 0, DEFAULT.credit, null);
    }

    /**
     * {@return the same set-up with another minimum of a write that is sent without a copy}
     *
     * @param least writes of fewer bytes are copied; 0 or more
     */
    public StreamSetUp withCopyBytes(int least) {
        return new StreamSetUp(
                protocol, receiveBytes, mostReceiveBytes, sendBytes, least, keepAlive, maps, credit, answer);
    }

    /**
     * {@return the same set-up, with which the peer can share {@code count} ranges of its memory at a time}
     *
     * @param count 0 or more
     */
    public StreamSetUp withMaps(int count) {
        return new StreamSetUp(
                protocol, receiveBytes, mostReceiveBytes, sendBytes, copyBytes, keepAlive, count, credit, answer);
    }

    /**
     * {@return the same set-up with another protocol}
     *
     * @param spoken must be the same at both ends
     * @param how settings for {@link StreamProtocol#CREDITS}
     */
    public StreamSetUp withProtocol(StreamProtocol spoken, CreditSetUp how) {
        return new StreamSetUp(
                spoken, receiveBytes, mostReceiveBytes, sendBytes, copyBytes, keepAlive, maps, how, answer);
    }

    /**
     * {@return the same set-up, with a time limit for the peer's answer}
     *
     * @param limit above 0
     */
    public StreamSetUp answeredWithin(Duration limit) {
        return new StreamSetUp(
                protocol, receiveBytes, mostReceiveBytes, sendBytes, copyBytes, keepAlive, maps, credit, limit);
    }

    /** {@return the parameters of the connection, without the private data} */
    ConnectionParameters parameters() {
        ConnectionParameters wanted = ConnectionParameters.DEFAULT.withKeepAlive(keepAlive ? null : KeepAlive.OFF);
        return answer == null ? wanted : wanted.withTimeout(answer);
    }
}
