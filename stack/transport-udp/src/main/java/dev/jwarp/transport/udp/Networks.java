package dev.jwarp.transport.udp;

import dev.jwarp.ddp.DatagramAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A list of addresses and networks. Immutable; any thread; asking allocates nothing. */
public final class Networks {
    private static final int ALL_BITS = 128;
    private static final int MAPPED_BITS = 96;
    private static final Pattern NUMERIC =
            Pattern.compile("((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.(?!$)|$)){4}|[0-9a-f:.]*:[0-9a-f:.]*");

    /** For each network: the first and the last 8 octets, and their masks. */
    private final long[] numbers;

    private Networks(List<long[]> networks) {
        numbers = networks.stream().flatMapToLong(java.util.Arrays::stream).toArray();
    }

    /** {@return the list that a text such as {@code 127.0.0.0/8,::1} means; null if it means none} */
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
            return null; // names are not looked up, and the JDK takes 1.2.3.256 for one: the list is about who can be
            // believed
        }
        try {
            DatagramAddress address = DatagramAddress.of(new InetSocketAddress(InetAddress.getByName(host), 0));
            int most = address.ipv4() ? ALL_BITS - MAPPED_BITS : ALL_BITS;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > most) {
                return null;
            }
            bits += ALL_BITS - most;
            long highMask = mask(bits);
            long lowMask = mask(bits - Long.SIZE);
            return new long[] {address.high() & highMask, address.low() & lowMask, highMask, lowMask};
        } catch (UnknownHostException | NumberFormatException e) {
            return null;
        }
    }

    private static long mask(int bits) {
        return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
    }

    /** {@return whether that address is in it} */
    public boolean contain(DatagramAddress address) {
        for (int i = 0; i < numbers.length; i += 4) {
            if ((address.high() & numbers[i + 2]) == numbers[i] && (address.low() & numbers[i + 3]) == numbers[i + 1]) {
                return true;
            }
        }
        return false;
    }
}
