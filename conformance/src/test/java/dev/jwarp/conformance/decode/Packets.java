package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** An artificial connection: turns bytes of two streams into frames of raw IPv4. */
final class Packets {
    static final int RAW = 101;
    static final int PSH = 8;

    static final int CLIENT_PORT = 40_000;
    static final int SERVER_PORT = 7174;

    private final List<Frame> frames = new ArrayList<>();
    /** What each side sends next: the initiator's, the responder's. */
    private final int[] sequence = {0xFFFF_FF00, 1_000_000};

    /** A connection that is open: SYN and SYN, ACK are in the capture. */
    static Packets open() {
        Packets packets = new Packets();
        packets.segment(true, Tcp.SYN, new byte[0]);
        packets.segment(false, Tcp.SYN | Tcp.ACK, new byte[0]);
        packets.segment(true, Tcp.ACK, new byte[0]);
        return packets;
    }

    /** A connection that was open before the capture began. */
    static Packets midway() {
        return new Packets();
    }

    /** The initiator, or the responder, sends bytes in one segment. */
    Packets send(boolean initiator, byte[]... octets) {
        segment(initiator, PSH | Tcp.ACK, join(octets));
        return this;
    }

    /** The initiator, or the responder, sends each of these in a segment of its own. */
    Packets sendEach(boolean initiator, List<byte[]> parts) {
        parts.forEach(part -> send(initiator, part));
        return this;
    }

    /** The initiator, or the responder, sends a stream in segments of this size. */
    Packets sendCut(boolean initiator, byte[] stream, int size) {
        for (int at = 0; at < stream.length; at += size) {
            send(initiator, Arrays.copyOfRange(stream, at, Math.min(stream.length, at + size)));
        }
        return this;
    }

    /** Sent bytes that are missing from the capture. */
    Packets lose(boolean initiator, int octets) {
        sequence[initiator ? 0 : 1] += octets;
        return this;
    }

    Packets finish(boolean initiator) {
        segment(initiator, Tcp.FIN | Tcp.ACK, new byte[0]);
        return this;
    }

    private void segment(boolean initiator, int flags, byte[] payload) {
        int side = initiator ? 0 : 1;
        frames.add(frame(
                frames.size() + 1L,
                tcp(initiator, sequence[side], (flags & Tcp.ACK) == 0 ? 0 : sequence[1 - side], flags, payload)));
        sequence[side] += payload.length + ((flags & (Tcp.SYN | Tcp.FIN)) != 0 ? 1 : 0);
    }

    List<Frame> frames() {
        return frames;
    }

    /** Cuts every frame as {@code tcpdump -s} does. */
    List<Frame> frames(int snapLength) {
        return frames.stream().map(frame -> cut(frame, snapLength)).toList();
    }

    static Frame cut(Frame f, int snapLength) {
        byte[] octets = Arrays.copyOf(f.octets(), Math.min(snapLength, f.octets().length));
        return new Frame(f.number(), f.nanos(), f.linkType(), octets, f.originalLength());
    }

    static Frame frame(long number, byte[] octets) {
        return new Frame(number, 1_700_000_000_000_000_000L + number * 1000, RAW, octets, octets.length);
    }

    /** The same frame of a connection whose initiator has another port. */
    static Frame from(int port, Frame frame) {
        byte[] octets = frame.octets().clone();
        int at = octets[15] == 1 ? 20 : 22;
        octets[at] = (byte) (port >> 8);
        octets[at + 1] = (byte) port;
        return new Frame(frame.number(), frame.nanos(), frame.linkType(), octets, frame.originalLength());
    }

    static byte[] tcp(boolean initiator, int sequence, int acknowledged, int flags, byte[] payload) {
        String header = ports(initiator, SERVER_PORT) + "%08X %08X 50 %02X FFFF 00000000";
        return ip(6, initiator, header.formatted(sequence, acknowledged, flags), payload);
    }

    static byte[] udp(int port, byte[] payload) {
        return udp(true, port, payload);
    }

    /** A datagram between the client's port and another one of the server. */
    static byte[] udp(boolean initiator, int port, byte[] payload) {
        return ip(17, initiator, ports(initiator, port) + "%04X 0000".formatted(8 + payload.length), payload);
    }

    private static String ports(boolean initiator, int port) {
        return "%04X %04X".formatted(initiator ? CLIENT_PORT : port, initiator ? port : CLIENT_PORT);
    }

    private static byte[] ip(int protocol, boolean initiator, String header, byte[] payload) {
        String addresses = initiator ? "C0000201 C0000202" : "C0000202 C0000201";
        byte[] behind = join(Octets.hex(header), payload);
        String ip = "4500 %04X 00000000 40 %02X 0000".formatted(20 + behind.length, protocol);
        return join(Octets.hex(ip + addresses), behind);
    }

    static byte[] join(List<byte[]> parts) {
        return join(parts.toArray(byte[][]::new));
    }

    static byte[] join(byte[]... parts) {
        Octets all = new Octets();
        for (byte[] part : parts) {
            all.add(part);
        }
        return all.bytes();
    }

    List<Item> decode(Integer... ports) {
        return decode(frames, ports);
    }

    static List<Item> decode(List<Frame> frames, Integer... ports) {
        List<Item> items = new ArrayList<>();
        Decoder decoder = new Decoder(Set.of(ports), null, items::add, stream -> {});
        frames.forEach(decoder::frame);
        decoder.end();
        return items;
    }

    static List<Item.Framed> fpdus(List<Item> items) {
        return items.stream()
                .filter(Item.Framed.class::isInstance)
                .map(Item.Framed.class::cast)
                .toList();
    }

    /** The contents of all Terminates. */
    static List<TerminateFields> terminates(List<Item> items) {
        return fpdus(items).stream()
                .map(Item.Framed::terminated)
                .filter(Objects::nonNull)
                .toList();
    }

    static List<String> notes(List<Item> items) {
        return items.stream()
                .filter(Item.Note.class::isInstance)
                .map(item -> ((Item.Note) item).text())
                .toList();
    }

    static List<String> violations(List<Item> items) {
        return items.stream()
                .flatMap(item -> item.findings().stream())
                .map(Finding::id)
                .toList();
    }
}
