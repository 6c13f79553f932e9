package dev.jwarp.transport.tcp.net;

import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.transport.tcp.Addresses;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a TCP connection did not come about, or a listener could not be had: kind, and a sentence that says what to do.
 *
 * @param failure the kind
 * @param sentence names the address
 */
public record ConnectProblem(LlpFailure failure, String sentence) {
    /** {@return what the system's answer to a connect means} */
    public static ConnectProblem ofConnect(
            InetSocketAddress remote, @Nullable InetSocketAddress local, Throwable cause) {
        String peer = Addresses.text(remote);
        String said = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (cause instanceof UnknownHostException || remote.isUnresolved()) {
            return new ConnectProblem(
                    LlpFailure.UNREACHABLE, "the host " + remote.getHostString() + " is not known: check its name");
        }
        if (cause instanceof BindException || said.contains("cannot assign")) {
            return new ConnectProblem(
                    LlpFailure.BIND_FAILED,
                    "cannot connect from " + (local == null ? "this host" : Addresses.text(local)) + " to " + peer
                            + ": " + cause.getMessage());
        }
        if (said.contains("refused")) {
            return new ConnectProblem(
                    LlpFailure.REFUSED, peer + " refused the connection: nobody listens there; check host and port");
        }
        if (said.contains("timed out")) {
            return new ConnectProblem(LlpFailure.TIMED_OUT, peer + " does not answer: check host, port and firewall");
        }
        if (local != null && !local.isUnresolved() && !sameFamily(local.getAddress(), remote.getAddress())) {
            return new ConnectProblem(
                    LlpFailure.BIND_FAILED,
                    "cannot connect from " + Addresses.text(local) + " to " + peer
                            + ": one is an address of IPv4, the other of IPv6");
        }
        if (cause instanceof NoRouteToHostException || said.contains("unreachable")) {
            return new ConnectProblem(
                    LlpFailure.UNREACHABLE, "no way to " + peer + ": the host is down, or there is no route to it");
        }
        if (cause instanceof ConnectException || said.contains("reset")) {
            return new ConnectProblem(
                    LlpFailure.CLOSED_BY_PEER, "no connection to " + peer + ": " + cause.getMessage());
        }
        return new ConnectProblem(LlpFailure.LOCAL, "cannot connect to " + peer + ": " + text(cause));
    }

    private static boolean sameFamily(InetAddress one, InetAddress other) {
        return one instanceof Inet6Address == other instanceof Inet6Address;
    }

    /** {@return what the system's answer to a bind means} */
    public static ConnectProblem ofListen(InetSocketAddress local, Throwable cause) {
        String where = Addresses.text(local);
        if (local.isUnresolved()) {
            return new ConnectProblem(
                    LlpFailure.BIND_FAILED, "cannot listen at " + where + ": the host is not known; check its name");
        }
        String hint = cause instanceof IOException
                        && String.valueOf(cause.getMessage()).contains("in use")
                ? ": another program listens there; stop it or choose another port"
                : ": " + text(cause);
        return new ConnectProblem(LlpFailure.BIND_FAILED, "cannot listen at " + where + hint);
    }

    /** {@return that this transport may have no more connections} */
    public static ConnectProblem limit(InetSocketAddress remote, int limit, String key) {
        return new ConnectProblem(
                LlpFailure.LIMIT_REACHED,
                "no connection to " + Addresses.text(remote) + ": there are " + limit + " already, the most that " + key
                        + " allows");
    }

    private static String text(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
