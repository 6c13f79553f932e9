package dev.jwarp.llp.datagram;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A UDP address as numbers, so that the hot path compares and looks up addresses without allocation. Reusable: a driver
 * sets the same object for every datagram it receives; to keep an address, keep a {@link #copy}. Addresses are equal if
 * all numbers are equal. One thread at a time; any thread for copies that no longer change.
 */
public final class DatagramAddress {
    private static final long MAPPED = 0xffff_0000_0000L;
    private static final int LENGTH = 16;

    private static final int UDP_HEADER = 8; // RFC 768
    private static final int IPV4_HEADER = 20; // RFC 791 section 3.1, without options
    private static final int IPV6_HEADER = 40; // RFC 8200 section 3, without extension headers

    private long high;
    private long low;
    private int port;
    private int scope;

    /** Creates an address of zeros. */
    public DatagramAddress() {}

    /** {@return the numbers of a socket address} It must be resolved. */
    public static DatagramAddress of(InetSocketAddress address) {
        return new DatagramAddress().set(address);
    }

    /** Sets all fields from a resolved address; returns this. */
    public DatagramAddress set(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new IllegalArgumentException(address + " is not resolved: resolve its name first");
        }
        byte[] octets = ip.getAddress();
        if (octets.length == LENGTH) {
            int scopeId = ip instanceof Inet6Address v6 ? v6.getScopeId() : 0;
            return set(number(octets, 0, 8), number(octets, 8, 16), address.getPort(), scopeId);
        }
        return setIpv4((int) number(octets, 0, 4), address.getPort());
    }

    private static long number(byte[] octets, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            value = (value << 8) | (octets[i] & 0xff);
        }
        return value;
    }

    /** Sets all fields to an IPv6 address (or a mapped IPv4 address); returns this. */
    public DatagramAddress set(long high, long low, int port, int scope) {
        this.high = high;
        this.low = low;
        this.port = port;
        this.scope = scope;
        return this;
    }

    /** Sets all fields to an IPv4 address, stored as {@code ::ffff:a.b.c.d}; returns this. */
    public DatagramAddress setIpv4(int address, int port) {
        return set(0, MAPPED | (address & 0xffff_ffffL), port, 0);
    }

    /** Copies all fields of another address; returns this. */
    public DatagramAddress set(DatagramAddress other) {
        return set(other.high, other.low, other.port, other.scope);
    }

    /** {@return a separate copy of this address} */
    public DatagramAddress copy() {
        return new DatagramAddress().set(this);
    }

    /** {@return the first 8 octets of the IPv6 form} */
    public long high() {
        return high;
    }

    /** {@return the last 8 octets of the IPv6 form} */
    public long low() {
        return low;
    }

    /** {@return the UDP port, 0 to 65535} */
    public int port() {
        return port;
    }

    /** {@return the scope id of a link-local address, else 0} */
    public int scope() {
        return scope;
    }

    /** {@return whether it is an IPv4 address} */
    public boolean ipv4() {
        return high == 0 && low >>> 32 == MAPPED >>> 32;
    }

    /** {@return the octets of the IP and UDP headers before each payload to or from this address: 28 or 48} */
    public int headers() {
        return UDP_HEADER + (ipv4() ? IPV4_HEADER : IPV6_HEADER);
    }

    /** {@return whether it is a multicast address, 224.0.0.0/4 or ff00::/8, or the IPv4 broadcast address} */
    public boolean group() {
        if (ipv4()) {
            int first = (int) (low >>> 24) & 0xff;
            return first >> 4 == 0xe || (int) low == -1;
        }
        return high >>> 56 == 0xff;
    }

    /** {@return this address for sockets} Allocates. */
    public InetSocketAddress toSocketAddress() {
        try {
            byte[] octets = new byte[ipv4() ? 4 : LENGTH];
            for (int i = 0; i < octets.length; i++) {
                int fromEnd = octets.length - 1 - i;
                long half = fromEnd < 8 ? low : high;
                octets[i] = (byte) (half >>> ((fromEnd & 7) * 8));
            }
            InetAddress ip = octets.length == LENGTH && scope != 0 // 0 would be shown as a scope
                    ? Inet6Address.getByAddress(null, octets, scope)
                    : InetAddress.getByAddress(octets);
            return new InetSocketAddress(ip, port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 and 16 bytes are always an address", e);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DatagramAddress that
                && high == that.high
                && low == that.low
                && port == that.port
                && scope == that.scope;
    }

    @Override
    public int hashCode() {
        long mixed = (high * 31 + low) * 31 + (((long) port << 32) | (scope & 0xffff_ffffL));
        mixed *= 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 32);
    }

    @Override
    public String toString() {
        return toSocketAddress().toString();
    }
}
