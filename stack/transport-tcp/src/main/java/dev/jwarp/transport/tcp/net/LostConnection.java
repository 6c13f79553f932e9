package dev.jwarp.transport.tcp.net;

import java.io.IOException;

/**
 * The reason why an established connection broke, by the class of the exception of java.nio, because its message is in
 * the language of the user.
 */
final class LostConnection {
    private LostConnection() {}

    /**
     * {@return whether the operating system ended the connection because the peer does not answer, or because there is
     * no longer a route to it}
     *
     * @param cause the exception of a read; the exceptions of writes do not differ by class
     */
    static boolean timedOut(IOException cause) {
        // A reset is a SocketException, a close a ClosedChannelException. All other errors are plain IOExceptions: of
        // an established connection ETIMEDOUT, EHOSTUNREACH and ENETUNREACH.
        return cause.getClass() == IOException.class;
    }
}
