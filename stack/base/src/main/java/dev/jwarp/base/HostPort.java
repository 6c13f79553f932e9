package dev.jwarp.base;

import java.net.InetSocketAddress;

/** Addresses as text: {@code 192.0.2.1:7}, {@code [2001:db8::1]:7}, or the host name if it is not resolved. */
public final class HostPort {
    private HostPort() {}

    /** {@return a socket address as text} Resolves nothing. */
    public static String text(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
