package dev.jwarp.tools;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses as users write and read them. */
public final class Addresses {
    private Addresses() {}

    /**
     * {@return the address of a host name or number}
     *
     * @throws ToolFailure if there is no such host
     */
    public static InetSocketAddress resolve(String host, int port) {
        try {
            if (host.isBlank()) {
                throw new UnknownHostException(host); // for the JDK that is this host itself
            }
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw ToolFailure.setup("there is no host '" + host + "'", "give a name that resolves, or an address");
        }
    }

    /** {@return the host in numbers, without brackets} */
    public static String host(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        return host == null ? address.getHostString() : host.getHostAddress();
    }

    /** {@return host and port, in numbers} */
    public static String text(InetSocketAddress address) {
        String host = host(address);
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
