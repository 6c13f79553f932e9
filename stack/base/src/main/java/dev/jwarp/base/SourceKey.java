package dev.jwarp.base;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The source of a request as a number: an IPv4 address, or the first 64 bits of an IPv6 address, because a host usually
 * has a whole /64. One value stands for all strangers together.
 */
public final class SourceKey {
    /** A multicast prefix, which never is a source; the low 32 bits are an IPv4 address. */
    private static final long IPV4 = 0xff00_0000_0000_0000L;

    /** All hosts whose address is not validated. */
    public static final long STRANGERS = 0xff01_0000_0000_0000L;

    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;
    private static final int MAPPED = 12;

    private SourceKey() {}

    /** {@return the key of an IPv4 address, its first byte on top} */
    public static long ofIpv4(int address) {
        return IPV4 | (address & 0xffff_ffffL);
    }

    /** {@return the key of the IPv6 addresses that begin with these 64 bits} */
    public static long ofIpv6(long prefix) {
        return prefix;
    }

    /** {@return the key of an address of 4 or 16 bytes, in the order of the network; an IPv4 address mapped to IPv6 is IPv4} */
    public static long of(byte[] address) {
        if (address.length == IPV4_LENGTH) {
            return ofIpv4((int) number(address, 0, IPV4_LENGTH));
        }
        if (address.length != IPV6_LENGTH) {
            throw new IllegalArgumentException("an address of " + address.length + " bytes: it must have 4 or 16");
        }
        boolean mapped = number(address, 0, Long.BYTES) == 0 && number(address, Long.BYTES, MAPPED) == 0xffff;
        return mapped ? ofIpv4((int) number(address, MAPPED, IPV6_LENGTH)) : ofIpv6(number(address, 0, Long.BYTES));
    }

    /** {@return the key of an address; {@link #STRANGERS} for an unresolved name} */
    public static long of(InetSocketAddress address) {
        InetAddress resolved = address.getAddress();
        return resolved == null ? STRANGERS : of(resolved.getAddress());
    }

    private static long number(byte[] address, int from, int to) {
        long number = 0;
        for (int i = from; i < to; i++) {
            number = number << Byte.SIZE | (address[i] & 0xff);
        }
        return number;
    }

    /** {@return the source as text, for messages} */
    public static String text(long key) {
        if (key == STRANGERS) {
            return "strangers";
        }
        if ((key & ~0xffff_ffffL) == IPV4) {
            return (key >>> 24 & 0xff) + "." + (key >>> 16 & 0xff) + "." + (key >>> 8 & 0xff) + "." + (key & 0xff);
        }
        return Long.toHexString(key >>> 48)
                + ":"
                + Long.toHexString(key >>> 32 & 0xffff)
                + ":"
                + Long.toHexString(key >>> 16 & 0xffff)
                + ":"
                + Long.toHexString(key & 0xffff)
                + "::/64";
    }
}
