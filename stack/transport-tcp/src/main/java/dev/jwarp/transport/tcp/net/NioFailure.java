package dev.jwarp.transport.tcp.net;

import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.RefusedAddress;
import dev.jwarp.llp.nio.SystemChannels;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * The reasons why {@code java.nio} cannot connect or bind. The class of the exception shows the reason, except for two
 * pairs of reasons with the same class. Their messages are in the language of the system, so they are compared with the
 * messages of errors that this class provokes.
 *
 * @param refused start of the messages if no program listens; null if unknown
 * @param unreachable start of the messages if there is no route; null if unknown
 */
public record NioFailure(@Nullable String refused, @Nullable String unreachable) {
    private static final int PATIENCE_MILLIS = 1_000;
    /** A multicast group: TCP cannot connect to it, and the attempt sends nothing. */
    private static final byte[] GROUP = {(byte) 224, 0, 0, 1};

    /** The messages of this system, determined at the first use. */
    private static final class OfThisSystem {
        static final NioFailure WORDS = new NioFailure(ofRefused(), ofNoRoute());
    }

    /** {@return the messages of this system} */
    public static NioFailure ofThisSystem() {
        return OfThisSystem.WORDS;
    }

    /**
     * {@return the kind of a failed connect}
     *
     * @param local requested local address; null for any
     */
    public LlpFailure ofConnect(@Nullable InetSocketAddress local, Throwable cause) {
        if (cause instanceof BindException) {
            return ofAddress(local);
        }
        if (cause instanceof NoRouteToHostException) {
            return LlpFailure.UNREACHABLE;
        }
        if (cause instanceof ConnectException) { // the other reason of this class is a timeout
            return refused == null || begins(cause, refused) ? LlpFailure.REFUSED : LlpFailure.TIMED_OUT;
        }
        if (cause instanceof SocketException) { // the other reason of this class is a reset
            return begins(cause, unreachable) ? LlpFailure.UNREACHABLE : LlpFailure.CLOSED_BY_PEER;
        }
        return LlpFailure.LOCAL;
    }

    /** {@return the kind of a failed open, or of a failed bind to {@code local} if not null} */
    public static LlpFailure ofBind(@Nullable InetSocketAddress local, Throwable cause) {
        if (cause instanceof BindException) {
            return ofAddress(local);
        }
        if (cause instanceof IllegalArgumentException) { // an address of a kind that the system does not have
            return LlpFailure.ADDRESS_NOT_AVAILABLE;
        }
        return cause instanceof SocketException ? LlpFailure.LIMIT_REACHED : LlpFailure.LOCAL;
    }

    /** Without a requested address, the system has no free address. */
    private static LlpFailure ofAddress(@Nullable InetSocketAddress local) {
        return local == null ? LlpFailure.ADDRESS_NOT_AVAILABLE : RefusedAddress.why(local, StreamChannels::take);
    }

    private static boolean begins(Throwable cause, @Nullable String words) {
        String said = cause.getMessage();
        return words != null && said != null && said.startsWith(words);
    }

    /** Opens a socket of the JDK's provider, because {@code new Socket()} may be a socket of this stack. */
    private static Socket plainSocket() throws IOException {
        return SystemChannels.provider().openSocketChannel().socket();
    }

    private static @Nullable String ofRefused() {
        try (Socket bound = plainSocket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return saidOf(new InetSocketAddress(bound.getLocalAddress(), bound.getLocalPort()), ConnectException.class);
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable String ofNoRoute() {
        try {
            return saidOf(new InetSocketAddress(InetAddress.getByAddress(GROUP), 9), SocketException.class);
        } catch (IOException e) {
            return null;
        }
    }

    /** {@return the system's message of a failed connect; null for an unexpected error} */
    private static @Nullable String saidOf(InetSocketAddress unanswered, Class<? extends IOException> expected) {
        try (Socket socket = plainSocket()) {
            socket.connect(unanswered, PATIENCE_MILLIS);
        } catch (IOException e) {
            String said = e.getMessage();
            // The JDK can be told to add the address, after a colon.
            return e.getClass() == expected && said != null ? said.split(":", 2)[0] : null;
        }
        return null;
    }
}
