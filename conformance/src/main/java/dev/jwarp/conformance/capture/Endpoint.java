package dev.jwarp.conformance.capture;

import java.net.Inet6Address;
import java.net.InetAddress;

/** An address and a port. */
public record Endpoint(InetAddress address, int port) {
    @Override
    public String toString() {
        String host = address.getHostAddress();
        return (address instanceof Inet6Address ? "[" + host + "]" : host) + ":" + port;
    }
}
