package dev.jwarp.sockets;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses of sockets. */
final class SocketAddresses {
    private SocketAddresses() {}

    /** {@return where to connect to: a wildcard means this host} */
    static InetSocketAddress toConnect(InetSocketAddress to) throws UnknownHostException {
        InetAddress address = to.getAddress();
        if (!address.isAnyLocalAddress()) {
            return to;
        }
        byte[] loopback = new byte[address instanceof Inet6Address ? 16 : 4];
        if (loopback.length == 4) {
            loopback[0] = 127;
        }
        loopback[loopback.length - 1] = 1;
        return new InetSocketAddress(InetAddress.getByAddress(loopback), to.getPort());
    }
}
