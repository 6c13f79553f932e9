package dev.jwarp.tools.cli;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;

/** Addresses as users write and read them. */
public final class Addresses {
    private Addresses() {}

    /**
     * {@return the address of a host name or number}
     *
     * @throws ToolFailure if there is no such host
     */
    public static InetSocketAddress resolve(String host, int port) {
        return new InetSocketAddress(all(host).get(0), port);
    }

    /**
     * {@return all addresses of a host name or number; the first is the one to connect to}
     *
     * @throws ToolFailure if there is no such host
     */
    public static List<InetAddress> all(String host) {
        try {
            if (host.isBlank()) {
                throw new UnknownHostException(host); // the JDK resolves an empty name to the loopback address
            }
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            throw ToolFailure.setup("there is no host '" + host + "'", "give a name that resolves, or an address");
        }
    }

    /** {@return whether a host is this machine} @throws ToolFailure if there is no such host */
    public static boolean isOfThisMachine(String host) {
        return isOfThisMachine(resolve(host, 0).getAddress());
    }

    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /**
     * {@return whether packets to address {@code to} reach a socket bound to {@code bound} on this machine} Both are
     * resolved.
     */
    public static boolean reaches(InetSocketAddress to, InetSocketAddress bound) {
        InetAddress there = to.getAddress();
        InetAddress here = bound.getAddress();
        return to.getPort() == bound.getPort()
                && (there.equals(here)
                        || there.isAnyLocalAddress() // which the system treats as this host
                        || (here.isAnyLocalAddress() && isOfThisMachine(there)));
    }

    /** {@return the address that {@code HOST:PORT} or {@code [HOST]:PORT} names, resolved} @throws ToolFailure if it names none */
    public static InetSocketAddress resolveWithPort(String text) {
        return parse(text, 1, text + " is not HOST:PORT");
    }

    /**
     * {@return the address to listen on that {@code PORT}, {@code HOST:PORT} or {@code [HOST]:PORT} names; port 0 is a free one}
     *
     * @throws ToolFailure if it names none
     */
    public static InetSocketAddress toListenOn(String text) {
        return parse(text.contains(":") ? text : "0.0.0.0:" + text, 0, text + " is neither PORT nor HOST:PORT");
    }

    private static InetSocketAddress parse(String text, int leastPort, String complaint) {
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, Math.max(0, colon));
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= leastPort && port <= 65_535) {
                return resolve(host, port);
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw ToolFailure.usage(complaint);
    }

    /** {@return the host as a numeric address, without brackets} */
    public static String host(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        return host == null ? address.getHostString() : host.getHostAddress();
    }

    /** {@return host and port, both numeric} */
    public static String text(InetSocketAddress address) {
        String host = host(address);
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
