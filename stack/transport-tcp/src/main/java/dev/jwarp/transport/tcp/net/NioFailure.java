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
 * Why {@code java.nio} cannot connect or bind. The class of the exception says it, except for two pairs that share a
 * class. Their messages are in the language of the system, so they are compared with the message of an error that is
 * provoked here.
 *
 * @param refused how messages begin when no program listens; null if that is not known
 * @param unreachable how messages begin when there is no route; null if that is not known
 */
public record NioFailure(@Nullable String refused, @Nullable String unreachable) {
    private static final int PATIENCE_MILLIS = 1_000;
    /** A multicast group: no TCP connection leads there, and the attempt sends nothing. */
    private static final byte[] GROUP = {(byte) 224, 0, 0, 1};

    /** The words of this system, found out at the first use. */
    private static final class OfThisSystem {
        static final NioFailure WORDS = new NioFailure(ofRefused(), ofNoRoute());
    }

    /** {@return what it means for this system} */
    public static NioFailure ofThisSystem() {
        return OfThisSystem.WORDS;
    }

    /**
     * {@return the kind of a failed connect}
     *
     * @param local where it was to come from; null if that does not matter
     */
    public LlpFailure ofConnect(@Nullable InetSocketAddress local, Throwable cause) {
        if (cause instanceof BindException) {
            return ofAddress(local);
        }
        if (cause instanceof NoRouteToHostException) {
            return LlpFailure.UNREACHABLE;
        }
        if (cause instanceof ConnectException) { // the other one of this class is that no answer came
            return refused == null || begins(cause, refused) ? LlpFailure.REFUSED : LlpFailure.TIMED_OUT;
        }
        if (cause instanceof SocketException) { // the other one of this class is a reset
            return begins(cause, unreachable) ? LlpFailure.UNREACHABLE : LlpFailure.CLOSED_BY_PEER;
        }
        return LlpFailure.LOCAL;
    }

    /** {@return why there is no socket, bound to {@code local} if that is not null} */
    public static LlpFailure ofBind(@Nullable InetSocketAddress local, Throwable cause) {
        if (cause instanceof BindException) {
            return ofAddress(local);
        }
        if (cause instanceof IllegalArgumentException) { // an address of a kind that the system does not have
            return LlpFailure.ADDRESS_NOT_AVAILABLE;
        }
        return cause instanceof SocketException ? LlpFailure.LIMIT_REACHED : LlpFailure.LOCAL;
    }

    /** Without an address of its own it gets one of the system's, if one is free. */
    private static LlpFailure ofAddress(@Nullable InetSocketAddress local) {
        return local == null ? LlpFailure.ADDRESS_NOT_AVAILABLE : RefusedAddress.why(local, StreamChannels::take);
    }

    private static boolean begins(Throwable cause, @Nullable String words) {
        String said = cause.getMessage();
        return words != null && said != null && said.startsWith(words);
    }

    /** Of the JDK's own: a {@code new Socket()} may stand on this stack. */
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

    /** {@return what the system says when nothing can be connected to; null if it is another error than expected} */
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
