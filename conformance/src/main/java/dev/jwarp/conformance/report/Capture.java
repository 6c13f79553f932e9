package dev.jwarp.conformance.report;

import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.wire.Octets;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Writes conversations as a capture file for Wireshark. A TCP conversation becomes raw IP packets with invented
 * sequence numbers, one packet for each event; UDP datagrams stay as they were. The file shows what the tester sent
 * and read, not how the kernel divided the stream into segments.
 */
public final class Capture {
    /** Little-endian: the magic number of times in nanoseconds, version 2.4, packets of up to 256 KiB, of raw IP. */
    private static final byte[] HEADER = Octets.hex("4d3cb2a1 0200 0400 0000000000000000 00000400 65000000");

    /** Bytes of payload in one packet: the limit of the length field of IPv4, rounded. */
    private static final int MOST = 65_000;

    private static final int TCP = 6;
    private static final int UDP = 17;

    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int RST = 4;
    private static final int PSH = 8;
    private static final int ACK = 16;

    private record Timed(long nanos, byte[] packet) {}

    private final List<Timed> packets = new ArrayList<>();

    /** When the conversation that is written began. */
    private long began;

    /** The time of its latest packet. */
    private long latest;

    private Capture() {}

    /** Writes the conversations of one case into a file, in the order of their times. */
    public static void write(Path file, List<? extends Transcript> wires) throws IOException {
        Capture capture = new Capture();
        long first = wires.stream().mapToLong(Transcript::began).min().orElse(0);
        for (Transcript wire : wires) {
            capture.began = wire.began() - first;
            capture.latest = 0;
            if (wire.datagrams()) {
                capture.datagrams(wire);
            } else {
                capture.conversation(wire);
            }
        }
        capture.packets.sort(Comparator.comparingLong(Timed::nanos));
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            out.write(HEADER);
            for (Timed one : capture.packets) {
                ByteBuffer record = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
                record.putInt((int) (one.nanos / 1_000_000_000L)).putInt((int) (one.nanos % 1_000_000_000L));
                record.putInt(one.packet.length).putInt(one.packet.length);
                out.write(record.array());
                out.write(one.packet);
            }
        }
    }

    private void conversation(Transcript wire) {
        Direction ours = new Direction(wire.local(), wire.peer());
        Direction theirs = new Direction(wire.peer(), wire.local());
        for (Event event : wire.events()) {
            switch (event.kind()) {
                case CONNECTED -> {
                    ours.packet(event.nanos(), SYN, new byte[0], theirs);
                    theirs.packet(event.nanos(), SYN | ACK, new byte[0], ours);
                    ours.packet(event.nanos(), ACK, new byte[0], theirs);
                }
                case SENT -> ours.octets(event, theirs);
                case RECEIVED -> theirs.octets(event, ours);
                case CLOSED -> ours.packet(event.nanos(), FIN | ACK, new byte[0], theirs);
                case RESET -> ours.packet(event.nanos(), RST | ACK, new byte[0], theirs);
                case PEER_CLOSED -> theirs.packet(event.nanos(), FIN | ACK, new byte[0], ours);
                case PEER_RESET -> theirs.packet(event.nanos(), RST | ACK, new byte[0], ours);
                case NOTE -> {}
            }
        }
    }

    private final class Direction {
        private final InetSocketAddress from;
        private final InetSocketAddress to;
        private int sequence = 1000;

        Direction(InetSocketAddress from, InetSocketAddress to) {
            this.from = from;
            this.to = to;
        }

        void octets(Event event, Direction back) {
            if (!event.kept()) {
                // Bytes that were not kept become a gap, like packets that a capture has missed.
                sequence += (int) event.length();
                return;
            }
            byte[] all = event.octets();
            for (int at = 0; at < all.length; at += MOST) {
                packet(event.nanos(), PSH | ACK, Arrays.copyOfRange(all, at, Math.min(all.length, at + MOST)), back);
            }
        }

        void packet(long nanos, int flags, byte[] payload, Direction back) {
            ByteBuffer tcp = ByteBuffer.allocate(20 + payload.length);
            tcp.putShort((short) from.getPort()).putShort((short) to.getPort());
            tcp.putInt(sequence).putInt((flags & ACK) == 0 ? 0 : back.sequence);
            tcp.put((byte) 0x50)
                    .put((byte) flags)
                    .putShort((short) 0xFFFF)
                    .putInt(0)
                    .put(payload);
            sequence += payload.length + ((flags & (SYN | FIN)) != 0 ? 1 : 0);
            add(nanos, ip(TCP, from.getAddress(), to.getAddress(), tcp.array()));
        }
    }

    private void datagrams(Transcript wire) {
        for (Event event : wire.events()) {
            if (!event.kept()) {
                continue;
            }
            if (event.kind() == Event.Kind.SENT) {
                datagram(event, wire.local(), wire.peer());
            } else if (event.kind() == Event.Kind.RECEIVED) {
                datagram(event, wire.peer(), wire.local());
            }
        }
    }

    private void datagram(Event event, InetSocketAddress from, InetSocketAddress to) {
        byte[] octets = event.octets();
        ByteBuffer udp = ByteBuffer.allocate(8 + octets.length);
        udp.putShort((short) from.getPort()).putShort((short) to.getPort());
        udp.putShort((short) (8 + octets.length)).putShort((short) 0).put(octets);
        udp.putShort(6, checksum(from.getAddress(), to.getAddress(), udp.array()));
        add(event.nanos(), ip(UDP, from.getAddress(), to.getAddress(), udp.array()));
    }

    /** RFC 768: the sum covers a pseudo header of addresses, protocol and length, and the datagram with checksum 0. */
    private static short checksum(InetAddress from, InetAddress to, byte[] udp) {
        ByteBuffer covered = ByteBuffer.allocate(40 + udp.length + 1);
        covered.put(from.getAddress())
                .put(to.getAddress())
                .putInt(udp.length)
                .putInt(UDP)
                .put(udp);
        int sum = sum(covered, covered.position());
        return (short) (sum == 0xFFFF ? sum : ~sum);
    }

    /** The sum of the 16-bit words (RFC 1071); a last single byte has a zero after it. */
    private static int sum(ByteBuffer words, int bytes) {
        int sum = 0;
        for (int i = 0; i < bytes; i += 2) {
            sum += words.getShort(i) & 0xFFFF;
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return sum;
    }

    /** Keeps the order of a conversation's events, even if another thread read its clock earlier. */
    private void add(long nanos, byte[] packet) {
        latest = Math.max(latest, began + nanos);
        packets.add(new Timed(latest, packet));
    }

    private static byte[] ip(int protocol, InetAddress from, InetAddress to, byte[] payload) {
        byte[] source = from.getAddress();
        byte[] target = to.getAddress();
        if (source.length != target.length || source.length == 16) {
            ByteBuffer six = ByteBuffer.allocate(40 + payload.length);
            six.putInt(0x6000_0000)
                    .putShort((short) payload.length)
                    .put((byte) protocol)
                    .put((byte) 64);
            return six.put(Arrays.copyOf(source, 16))
                    .put(Arrays.copyOf(target, 16))
                    .put(payload)
                    .array();
        }
        ByteBuffer four = ByteBuffer.allocate(20 + payload.length);
        four.putShort((short) 0x4500)
                .putShort((short) (20 + payload.length))
                .putInt(0)
                .put((byte) 64)
                .put((byte) protocol);
        four.putShort((short) 0).put(source).put(target);
        four.putShort(10, (short) ~sum(four, 20));
        return four.put(payload).array();
    }
}
