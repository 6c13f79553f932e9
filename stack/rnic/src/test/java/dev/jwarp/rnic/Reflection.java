package dev.jwarp.rnic;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ServiceHandler;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Measures the amplification of datagrams with a forged source: all kinds of requests and replies, as real packets. The
 * address of the victim was validated shortly before, and its socket counts the received bytes. Forged datagrams are
 * sent through the same socket, ignoring its input, which is the same for the device. {@code main} prints a table.
 */
final class Reflection implements AutoCloseable {
    /** IPv4 and UDP. */
    private static final int HEADERS = 28;

    private static final int QUIET_MILLIS = 400;
    private static final int REGION = 1 << 20;
    private static final int LITTLE = 50_000;
    private static final long FIXED = 11;
    private static final long HANDLED = 12;
    private static final int RESOLVER_KEY = 0x8001_0000;
    private static final int OWN_QPN = 0x4321;

    /**
     * One kind of datagram: the bytes sent in the victim's name, and the bytes that the victim got, including IP and
     * UDP headers.
     */
    record Row(String what, int datagrams, long sent, long received) {
        double factor() {
            return (double) received / sent;
        }
    }

    private final Context context;
    private final DatagramQueuePair ud;
    private final DatagramQueuePair rd;
    private final MemoryRegion region;
    private final DatagramSocket victim;
    private final byte[] in = new byte[65_536];
    private int nextId = 0x1000;

    Reflection() throws IOException {
        context = new RnicProvider().rnic().open(Progress.THREADED, Map.of("jwarp.udp.trust", ""));
        ProtectionDomain domain = context.allocateProtectionDomain();
        CompletionQueue queue = context.createCompletionQueue(1024);
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        ud = queuePair(domain, queue, QueuePairType.UD, here);
        rd = queuePair(domain, queue, QueuePairType.RD, here);
        region = domain.allocate(REGION, AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE);
        context.listenService(ud.localAddress(), FIXED, ud);
        byte[] words = new byte[216];
        context.listenService(
                ud.localAddress(), HANDLED, (source, types, said) -> new ServiceHandler.Answer(ud, words));
        victim = new DatagramSocket(here);
        victim.setReceiveBufferSize(1 << 24);
        victim.setSoTimeout(QUIET_MILLIS);
    }

    private static DatagramQueuePair queuePair(
            ProtectionDomain domain, CompletionQueue queue, QueuePairType type, InetSocketAddress at) {
        return domain.createDatagramQueuePair(
                type,
                QueuePairAttributes.builder(queue).build(),
                DatagramAttributes.builder(at).pathMtu(1500).build());
    }

    @Override
    public void close() {
        victim.close();
        context.close();
    }

    // ---- datagrams

    private static byte[] sealed(ByteBuffer datagram) {
        byte[] octets = new byte[datagram.capacity()];
        datagram.get(0, octets);
        CRC32C crc = new CRC32C();
        crc.update(octets, 0, octets.length - 4);
        ByteBuffer.wrap(octets).order(ByteOrder.LITTLE_ENDIAN).putInt(octets.length - 4, (int) crc.getValue());
        return octets;
    }

    private ByteBuffer shim(int length, int kind, int to, int flags, int from, int key, int messageLength) {
        return ByteBuffer.allocate(length)
                .putInt(kind << 24 | to)
                .putInt(flags << 24 | from)
                .putInt(key)
                .putInt(nextId++)
                .putInt(messageLength)
                .putInt(kind == 0x10 ? messageLength & 0xffff : 0);
    }

    private byte[] read(byte[] cookie, int from) {
        ByteBuffer d = shim(74 + cookie.length, 0x10, ud.number(), cookie.length > 0 ? 2 : 0, from, ud.key(), 28);
        int id = d.getInt(12);
        d.put(cookie)
                .put((byte) 0x41)
                .put((byte) 0x41)
                .putInt(0)
                .putInt(1)
                .putInt(id)
                .putInt(0);
        d.putInt(id).putLong(0).putInt(REGION).putInt(region.rkey()).putLong(region.address());
        return sealed(d);
    }

    private byte[] send(int version, int length) {
        ByteBuffer d = shim(46 + length, version << 4, ud.number(), 0, OWN_QPN, ud.key(), length);
        d.putShort(22, (short) length);
        return sealed(d.put((byte) 0x41)
                .put((byte) 0x43)
                .putInt(0)
                .putInt(0)
                .putInt(d.getInt(12))
                .putInt(0));
    }

    private byte[] tagged(int opcode, int length) {
        ByteBuffer d = shim(42 + length, 0x10, ud.number(), 0, OWN_QPN, ud.key(), length);
        return sealed(d.put((byte) 0xc1)
                .put((byte) (0x40 | opcode))
                .putInt(0x0bad_0bad)
                .putLong(0));
    }

    private byte[] resolve(long service) {
        ByteBuffer d = shim(288, 0x13, 1, 0, 1, RESOLVER_KEY, 16);
        return sealed(d.putLong(service)
                .put((byte) 3)
                .put((byte) 0)
                .putShort((short) 2)
                .putInt(0));
    }

    private byte[] open(int from) {
        ByteBuffer d = shim(44, 0x15, rd.number(), 0, from, rd.key(), 16);
        return sealed(d.putInt(4711 + from)
                .putInt(1000)
                .putInt(0)
                .putShort((short) 1024)
                .putShort((short) 0));
    }

    private byte[] ofChannel(int kind, int length, int flags) {
        ByteBuffer d = shim(length, kind, rd.number(), flags, OWN_QPN, 0x1234_5678, length - 28);
        if (kind == 0x10) {
            d.putInt(16, 8).putInt(20, 8);
            d.putInt(1).putInt(1).putShort((short) 16).putShort((short) 0);
            return sealed(d.put((byte) 0x41)
                    .put((byte) 0x43)
                    .putInt(0)
                    .putInt(0)
                    .putInt(d.getInt(12))
                    .putInt(0));
        }
        d.putInt(0x77).putInt(0x77).putInt(0x77).putShort((short) 16).putShort((short) 0);
        return sealed(d);
    }

    private byte[] acknowledgement() {
        ByteBuffer d = shim(36, 0x17, rd.number(), 1, OWN_QPN, 0x1234_5678, 8);
        d.putInt(12, 0).putInt(1).putShort((short) 16).putShort((short) 0);
        return sealed(d);
    }

    private byte[] reset() {
        ByteBuffer d = shim(36, 0x18, rd.number(), 1, OWN_QPN, 0x1234_5678, 8);
        return sealed(d.put((byte) 0).put((byte) 3).putShort((short) 0).putInt(0));
    }

    private byte[] reply(int kind, int length) {
        return sealed(shim(length, kind, ud.number(), 1, OWN_QPN, ud.key(), length - 28));
    }

    // ---- the victim

    private void say(byte[] datagram, DatagramQueuePair to) throws IOException {
        InetSocketAddress at = to.localAddress();
        victim.send(new DatagramPacket(datagram, datagram.length, at));
    }

    /** {@return the number of bytes received until a pause} */
    private long drain() throws IOException {
        long octets = 0;
        DatagramPacket packet = new DatagramPacket(in, in.length);
        while (true) {
            try {
                victim.receive(packet);
                octets += packet.getLength() + HEADERS;
            } catch (SocketTimeoutException nothingMore) {
                return octets;
            }
        }
    }

    /** {@return the cookie of a CHALLENGE} The victim is genuine here, and reads a little. */
    private byte[] prove() throws IOException {
        say(read(new byte[0], OWN_QPN), ud);
        DatagramPacket packet = new DatagramPacket(in, in.length);
        victim.receive(packet);
        byte[] cookie = new byte[16];
        System.arraycopy(in, 24, cookie, 0, 16);
        say(read(cookie, OWN_QPN), ud);
        if (drain() < LITTLE) { // a small socket buffer loses most of it
            throw new IllegalStateException("the Read of who has proved its address was not answered");
        }
        return cookie;
    }

    private interface Forged {
        byte[] datagram(int number);
    }

    private Row row(String what, int datagrams, DatagramQueuePair to, Forged forged) throws IOException {
        long sent = 0;
        for (int i = 0; i < datagrams; i++) {
            byte[] octets = forged.datagram(i);
            say(octets, to);
            sent += octets.length + HEADERS;
        }
        return new Row(what, datagrams, sent, drain());
    }

    /** {@return the results of each kind of datagram, in the name of a victim with a just validated address} */
    List<Row> rows() throws IOException {
        byte[] cookie = prove();
        byte[] wrong = cookie.clone();
        wrong[3] ^= 1;
        List<Row> rows = new ArrayList<>();
        rows.add(row("Read Request of 1 MiB, no cookie", 100, ud, i -> read(new byte[0], OWN_QPN)));
        rows.add(row("Read Request of 1 MiB, wrong cookie", 100, ud, i -> read(wrong, OWN_QPN)));
        rows.add(row("Read Request of 1 MiB, another queue pair's cookie", 100, ud, i -> read(cookie, 0x5000 + i)));
        rows.add(row("Send that finds no receive", 100, ud, i -> send(1, 8)));
        rows.add(row("an opcode that is none (NOTIFY)", 100, ud, i -> tagged(7, 8)));
        rows.add(row("RDMA Write to a wrong STag (NOTIFY)", 100, ud, i -> tagged(0, 8)));
        rows.add(row("Write-Record to a wrong STag (NOTIFY)", 100, ud, i -> tagged(15, 8)));
        rows.add(row("another version (VERSION LIST)", 100, ud, i -> send(2, 0)));
        rows.add(row("RESOLVE of a queue pair", 100, ud, i -> resolve(FIXED)));
        rows.add(row("RESOLVE of a handler", 100, ud, i -> resolve(HANDLED)));
        rows.add(row("NOTIFY, CHALLENGE, RESOLVED", 99, ud, i -> reply(0x11 + i % 3, 44)));
        rows.add(row("RD-OPEN, each of another queue pair", 60, rd, i -> open(0x6000 + i)));
        rows.add(row("RD-OPEN, the same again", 100, rd, i -> open(0x6000)));
        rows.add(row("DATA of no channel (RD-RESET)", 100, rd, i -> ofChannel(0x10, 66, 0x14)));
        rows.add(row("RD-ACCEPT of no channel (RD-RESET)", 100, rd, i -> ofChannel(0x16, 44, 1)));
        rows.add(row("RD-ACK of no channel (RD-RESET)", 100, rd, i -> acknowledgement()));
        rows.add(row("RD-RESET of no channel", 100, rd, i -> reset()));
        return rows;
    }

    /** {@return the rows as a table} */
    static String table(List<Row> rows) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT, "%-52s %9s %9s %12s %9s%n", "forged", "datagrams", "bytes", "victim got", "factor"));
        for (Row row : rows) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-52s %9d %9d %12d %9.2f%n",
                    row.what,
                    row.datagrams,
                    row.sent,
                    row.received,
                    row.factor()));
        }
        return text.toString();
    }

    /** Prints the table; ends with 1 if a factor is above 3. */
    public static void main(String[] arguments) throws IOException {
        boolean over;
        try (Reflection reflection = new Reflection()) {
            List<Row> rows = reflection.rows();
            System.out.print(table(rows));
            over = rows.stream().anyMatch(row -> row.factor() > 3);
        }
        System.exit(over ? 1 : 0);
    }
}
