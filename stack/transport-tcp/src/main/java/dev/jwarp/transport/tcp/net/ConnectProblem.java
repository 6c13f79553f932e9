package dev.jwarp.transport.tcp.net;

import dev.jwarp.base.HostPort;
import dev.jwarp.llp.LlpFailure;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a TCP connection or a listener could not be established: a kind, and a sentence with advice. The
 * driver derives the kind from the number or class of the system's error. The system's message is in the user's
 * language, so it is passed on but not parsed.
 *
 * @param failure the kind
 * @param sentence a description with the address
 */
public record ConnectProblem(LlpFailure failure, String sentence) {
    /** {@return the problem of a failed connect to {@code remote}} */
    public static ConnectProblem ofConnect(
            InetSocketAddress remote, @Nullable InetSocketAddress local, LlpFailure failure, Throwable cause) {
        String peer = HostPort.text(remote);
        if (remote.isUnresolved()) {
            return unknownHost(remote);
        }
        if (differsInFamily(remote, local) && isAboutAddresses(failure)) {
            return new ConnectProblem(
                    LlpFailure.ADDRESS_NOT_AVAILABLE,
                    from(local, peer) + ": one is an address of IPv4, the other of IPv6");
        }
        String sentence =
                switch (failure) {
                    case REFUSED -> peer + " refused the connection: no program listens there; check host and port";
                    case TIMED_OUT -> peer + " does not answer: check host, port and firewall";
                    case UNREACHABLE -> "no way to " + peer + ": the host is down, or there is no route to it";
                    case CLOSED_BY_PEER -> "no connection to " + peer + ": " + text(cause);
                    case ADDRESS_IN_USE, ADDRESS_NOT_AVAILABLE, PERMISSION_DENIED ->
                        from(local, peer) + hint(failure, cause);
                    default -> "cannot connect to " + peer + ": " + text(cause);
                };
        return new ConnectProblem(failure, sentence);
    }

    /** {@return the problem of an unknown host name} */
    public static ConnectProblem unknownHost(InetSocketAddress remote) {
        return new ConnectProblem(
                LlpFailure.UNREACHABLE, "the host " + remote.getHostString() + " is not known: check its name");
    }

    private static String from(@Nullable InetSocketAddress local, String peer) {
        return "cannot connect from " + (local == null ? "this host" : HostPort.text(local)) + " to " + peer;
    }

    private static boolean isAboutAddresses(LlpFailure failure) {
        return switch (failure) {
            case UNREACHABLE, ADDRESS_NOT_AVAILABLE, CLOSED_BY_PEER, LOCAL -> true;
            default -> false;
        };
    }

    private static boolean differsInFamily(InetSocketAddress remote, @Nullable InetSocketAddress local) {
        return local != null && !local.isUnresolved() && isIpv6(local.getAddress()) != isIpv6(remote.getAddress());
    }

    private static boolean isIpv6(InetAddress address) {
        return address instanceof Inet6Address;
    }

    /** {@return the problem of a failed listen at {@code local}} */
    public static ConnectProblem ofListen(InetSocketAddress local, LlpFailure failure, Throwable cause) {
        String where = "cannot listen at " + HostPort.text(local);
        if (local.isUnresolved()) {
            return new ConnectProblem(
                    LlpFailure.ADDRESS_NOT_AVAILABLE, where + ": the host is not known; check its name");
        }
        return new ConnectProblem(failure, where + hint(failure, cause));
    }

    private static String hint(LlpFailure failure, Throwable cause) {
        return switch (failure) {
            case ADDRESS_IN_USE -> ": another program listens there; stop it or choose another port";
            case ADDRESS_NOT_AVAILABLE ->
                ": this host does not have that address, or no free port (" + text(cause) + ")";
            case PERMISSION_DENIED -> ": the system does not let this user have that address (" + text(cause) + ")";
            default -> ": " + text(cause);
        };
    }

    /** {@return the problem that this transport has reached its limit of connections} */
    public static ConnectProblem limit(InetSocketAddress remote, int limit, String key) {
        return new ConnectProblem(
                LlpFailure.LIMIT_REACHED,
                "no connection to " + HostPort.text(remote) + ": there are " + limit + " already, the most that " + key
                        + " allows");
    }

    private static String text(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
