package dev.jwarp.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A list of addresses and networks. Immutable; any thread. Lookup of a numeric address allocates nothing. */
public final class Networks {
    /** All addresses. */
    public static final Networks ALL = new Networks(List.of(new long[4]));

    private static final int ALL_BITS = 128;
    private static final int IPV4_BITS = 32;
    private static final long MAPPED = 0xffff_0000_0000L;
    private static final Pattern NUMERIC = Pattern.compile(
            "((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.(?!$)|$)){4}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    /** For each network: the first and the last 8 bytes of the IPv6 form, and their masks. */
    private final long[] numbers;

    private Networks(List<long[]> networks) {
        numbers = networks.stream().flatMapToLong(java.util.Arrays::stream).toArray();
    }

    /** {@return the list for a text such as {@code 127.0.0.0/8,::1}; null if the text is invalid} */
    public static @Nullable Networks parse(String text) {
        List<long[]> networks = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            if (text.isBlank()) {
                break;
            }
            long[] network = network(one.strip());
            if (network == null) {
                return null;
            }
            networks.add(network);
        }
        return new Networks(networks);
    }

    private static long @Nullable [] network(String text) {
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        if (!NUMERIC.matcher(host).matches()) {
            // Host names are rejected, because the list decides which peers are trusted. The JDK would take
            // 1.2.3.256 for a host name.
            return null;
        }
        try {
            InetAddress address = InetAddress.getByName(host);
            int most = isIpv4(address) ? IPV4_BITS : ALL_BITS;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > most) {
                return null;
            }
            bits += ALL_BITS - most;
            long highMask = mask(bits);
            long lowMask = mask(bits - Long.SIZE);
            return new long[] {high(address) & highMask, low(address) & lowMask, highMask, lowMask};
        } catch (UnknownHostException | NumberFormatException e) {
            return null;
        }
    }

    private static long mask(int bits) {
        return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
    }

    private static boolean isIpv4(InetAddress address) {
        return address.getAddress().length == Integer.BYTES;
    }

    private static long high(InetAddress address) {
        return isIpv4(address) ? 0 : ByteBuffer.wrap(address.getAddress()).getLong();
    }

    private static long low(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return isIpv4(address) ? MAPPED | Integer.toUnsignedLong(bytes.getInt()) : bytes.getLong(Long.BYTES);
    }

    /** {@return whether the list contains that address} Allocates. */
    public boolean contain(InetAddress address) {
        return contain(high(address), low(address));
    }

    /**
     * {@return whether the list contains that address}
     *
     * @param high the first 8 bytes of its IPv6 form
     * @param low the last 8; an IPv4 address is {@code ::ffff:a.b.c.d}
     */
    public boolean contain(long high, long low) {
        for (int i = 0; i < numbers.length; i += 4) {
            if ((high & numbers[i + 2]) == numbers[i] && (low & numbers[i + 3]) == numbers[i + 1]) {
                return true;
            }
        }
        return false;
    }
}
