package dev.jwarp.transport.tcp.net;

import dev.jwarp.llp.nio.Interfaces;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Estimates the largest TCP segment from the MTU of the local address's interface, because Java cannot query TCP (RFC
 * 5044 §5.1, MPA-5.1-1: then the path MTU may be used). Any thread.
 */
public final class PathMtu {
    private static final int UNKNOWN_MTU = 1500;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;

    /** Timestamps, which nearly every TCP connection uses (RFC 7323 appendix A). */
    private static final int TCP_OPTIONS = 12;

    private final Map<InetAddress, Integer> segments = new ConcurrentHashMap<>();

    /** Creates an empty cache; each address is queried once. */
    public PathMtu() {}

    /** {@return the estimated largest segment of connections from this address, bytes} */
    public int segmentSize(InetAddress local) {
        return segments.computeIfAbsent(local, PathMtu::ask);
    }

    private static int ask(InetAddress local) {
        int headers = (local instanceof Inet6Address ? IPV6_HEADER : IPV4_HEADER) + TCP_HEADER + TCP_OPTIONS;
        int mtu = Interfaces.mtuOf(local);
        return Math.max(1, (mtu > 0 ? mtu : UNKNOWN_MTU) - headers);
    }
}
