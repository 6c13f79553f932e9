package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.datagram.DatagramAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The datagrams that the system dropped at the sockets of a transport because their buffers were full. Linux reports
 * the count for each socket in the column <em>drops</em> of /proc/net/udp and /proc/net/udp6: the number of the socket
 * option SO_RXQ_OVFL, which Java lacks. Any thread; reading is slow.
 */
public final class SystemDrops {
    /** The value where the system does not report drops. */
    public static final long UNKNOWN = -1;

    private static final List<Path> FILES = List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));
    private static final int LOCAL = 1;
    private static final int HEX = 16;
    private static final int WORD = 8;

    private final List<Path> files;

    /** The number of open sockets at each local address. Guarded by this. */
    private final Map<DatagramAddress, Integer> open = new HashMap<>();

    /** Drops of closed ports. Guarded by this. */
    private long ofClosed;

    /** Reads the files of this host. */
    public SystemDrops() {
        this(FILES);
    }

    /** Reads these files; without the first one the drops are unknown. */
    SystemDrops(List<Path> files) {
        this.files = files;
    }

    /** A port is open. */
    public synchronized void opened(InetSocketAddress local) {
        open.merge(key(local), 1, Integer::sum);
    }

    /** A port is about to be closed. */
    public synchronized void closing(InetSocketAddress local) {
        if (open.computeIfPresent(key(local), (address, count) -> count == 1 ? null : count - 1) == null) {
            ofClosed += Math.max(0, of(local));
        }
    }

    /**
     * {@return datagrams dropped at the socket bound to {@code local}; {@link #UNKNOWN} if the system does not report
     * them}
     */
    public long of(InetSocketAddress local) {
        Map<DatagramAddress, Long> all = read();
        return all.isEmpty() ? UNKNOWN : all.getOrDefault(key(local), UNKNOWN);
    }

    /** {@return the sum over all open and closed ports, as a counter} */
    public synchronized TransportCounter counter() {
        return new TransportCounter(
                "rx_system_drops",
                sum(),
                "datagrams that the system dropped because a socket's buffer was full; -1 if unknown: only Linux"
                        + " reports them");
    }

    private long sum() {
        long sum = ofClosed;
        Map<DatagramAddress, Long> all = read();
        for (DatagramAddress local : open.keySet()) {
            Long drops = all.get(local);
            if (drops == null) {
                return UNKNOWN;
            }
            sum += drops;
        }
        return all.isEmpty() && !Files.exists(files.get(0)) ? UNKNOWN : sum;
    }

    private static DatagramAddress key(InetSocketAddress local) {
        return key(DatagramAddress.of(local));
    }

    /** The files show no scope, and the same wildcard for IPv4 and IPv6 in a dual-stack socket. */
    private static DatagramAddress key(DatagramAddress local) {
        boolean any = local.high() == 0 && (int) local.low() == 0 && (local.ipv4() || local.low() == 0);
        return local.set(local.high(), any ? 0 : local.low(), local.port(), 0);
    }

    private Map<DatagramAddress, Long> read() {
        Map<DatagramAddress, Long> all = new HashMap<>();
        for (Path file : files) {
            try {
                for (String line : Files.readAllLines(file)) {
                    read(line, all);
                }
            } catch (NoSuchFileException e) {
                // Another system, or one without IPv6.
            } catch (IOException e) {
                return Map.of();
            }
        }
        return all;
    }

    private static void read(String line, Map<DatagramAddress, Long> all) {
        String[] fields = line.strip().split("\\s+", -1);
        int colon = fields.length > LOCAL ? fields[LOCAL].indexOf(':') : -1;
        if (colon != WORD && colon != 4 * WORD) {
            return; // the header line
        }
        String address = fields[LOCAL].substring(0, colon);
        int port = Integer.parseInt(fields[LOCAL].substring(colon + 1), HEX);
        DatagramAddress local = colon == WORD
                ? new DatagramAddress().setIpv4(word(address, 0), port)
                : new DatagramAddress().set(pair(address, 0), pair(address, 2), port, 0);
        // A group's socket may be bound to the same address: the sum counts as drops of the port.
        all.merge(key(local), Long.parseLong(fields[fields.length - 1]), Long::sum);
    }

    private static long pair(String address, int first) {
        return (long) word(address, first) << 32 | (word(address, first + 1) & 0xffff_ffffL);
    }

    /** The kernel prints each word of the address as a number in native byte order. */
    private static int word(String address, int index) {
        int printed = Integer.parseUnsignedInt(address.substring(index * WORD, (index + 1) * WORD), HEX);
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.reverseBytes(printed) : printed;
    }
}
