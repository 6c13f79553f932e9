package dev.jwarp.sockets.connection;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Resolves wildcard and missing addresses as the sockets of the JDK do. Any thread. */
public final class HostAddresses {
    private HostAddresses() {}

    /**
     * {@return the address as an Internet address that a socket of the family accepts}
     *
     * @param address from the program
     * @param family of the socket; null: any
     * @throws UnresolvedAddressException if the name has no address
     * @throws UnsupportedAddressTypeException if the address is not an Internet address, or not of the family
     */
    public static InetSocketAddress checked(SocketAddress address, @Nullable ProtocolFamily family) {
        if (!(Objects.requireNonNull(address, "address") instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        if (isForeign(internet.getAddress(), family)) {
            throw new UnsupportedAddressTypeException();
        }
        return internet;
    }

    /**
     * {@return whether the address is an IPv6 address but the family is IPv4}
     *
     * @param address of a peer, this host or a group
     * @param family of a socket; null: any
     */
    public static boolean isForeign(InetAddress address, @Nullable ProtocolFamily family) {
        return family == StandardProtocolFamily.INET && address instanceof Inet6Address;
    }

    /**
     * {@return the local address; a wildcard becomes that of IPv6, which includes IPv4, if the host and the family have
     * IPv6}
     *
     * @param local address to bind
     * @param family of the socket; null: any
     * @throws UnknownHostException never: the length is right
     */
    public static InetSocketAddress wildcard(InetSocketAddress local, @Nullable ProtocolFamily family)
            throws UnknownHostException {
        boolean both = local.getAddress().isAnyLocalAddress() && family != StandardProtocolFamily.INET && Ipv6.THERE;
        return both ? new InetSocketAddress(InetAddress.getByAddress(new byte[16]), local.getPort()) : local;
    }

    /** Whether this host has IPv6. */
    private static final class Ipv6 {
        static final boolean THERE = find();

        private static boolean find() {
            try {
                return !Boolean.getBoolean("java.net.preferIPv4Stack")
                        && NetworkInterface.networkInterfaces()
                                .flatMap(NetworkInterface::inetAddresses)
                                .anyMatch(Inet6Address.class::isInstance);
            } catch (SocketException e) {
                return false;
            }
        }
    }

    /**
     * {@return the local address that TCP and UDP would use to reach a peer} Sends nothing.
     *
     * @param peer resolved
     * @param jdk opens channels of UDP
     * @throws IOException if there is no route to the peer
     */
    public static InetAddress towards(InetSocketAddress peer, SelectorProvider jdk) throws IOException {
        try (DatagramChannel probe = jdk.openDatagramChannel()) {
            probe.connect(peer);
            return ((InetSocketAddress) probe.getLocalAddress()).getAddress();
        }
    }

    /**
     * {@return the source address of a connection; a wildcard gets the IP version of the peer}
     *
     * @param bound address that the program has bound; null: none
     * @param to address of the peer, resolved
     * @throws UnknownHostException never: the length is right
     */
    public static @Nullable InetSocketAddress source(@Nullable InetSocketAddress bound, InetSocketAddress to)
            throws UnknownHostException {
        if (bound == null || !bound.getAddress().isAnyLocalAddress()) {
            return bound;
        }
        int length = to.getAddress().getAddress().length;
        return new InetSocketAddress(InetAddress.getByAddress(new byte[length]), bound.getPort());
    }

    /**
     * {@return the destination; a wildcard becomes the loopback address}
     *
     * @param to resolved
     * @throws UnknownHostException never: the length is right
     */
    public static InetSocketAddress specific(InetSocketAddress to) throws UnknownHostException {
        InetAddress address = to.getAddress();
        if (!address.isAnyLocalAddress()) {
            return to;
        }
        byte[] loopback = address instanceof Inet6Address ? new byte[16] : new byte[] {127, 0, 0, 0};
        loopback[loopback.length - 1] = 1;
        return new InetSocketAddress(InetAddress.getByAddress(loopback), to.getPort());
    }
}
