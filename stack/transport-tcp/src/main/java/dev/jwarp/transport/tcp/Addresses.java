package dev.jwarp.transport.tcp;

import java.net.InetSocketAddress;

/** Addresses as people write them. */
public final class Addresses {
    private Addresses() {}

    /** {@return host and port, such as {@code 192.0.2.1:7174} or {@code [2001:db8::1]:7174}} */
    public static String text(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
