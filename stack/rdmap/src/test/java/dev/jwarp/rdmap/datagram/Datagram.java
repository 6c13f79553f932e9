package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;
import java.util.List;

/** One datagram as the layer above sees it: its shim and its DDP segment with padding. */
final class Datagram {
    final Shim shim = new Shim();
    final DatagramPeer to;
    final boolean cookie;
    final OutboundMessage message;
    byte[] segment;

    Datagram(Shim from, DatagramPeer to, boolean cookie, byte[] segment, OutboundMessage message) {
        shim.set(from);
        this.to = to;
        this.cookie = cookie;
        this.segment = segment;
        this.message = message;
    }

    /** {@return the datagram as received, in the middle of a larger buffer} */
    ReceivedDatagram from(DatagramAddress source) {
        ByteBuffer buffer = ByteBuffer.allocate(segment.length + 20);
        buffer.put(10, segment);
        return received(shim, source).body(buffer, 10, segment.length);
    }

    /** {@return whether it has the length of another datagram, and the same shim except for the next Segment Index} */
    boolean follows(Datagram before) {
        return segment.length == before.segment.length
                && shim.segmentIndex() == before.shim.segmentIndex() + 1
                && others(shim).equals(others(before.shim));
    }

    private static List<Object> others(Shim shim) {
        return List.of(
                shim.destinationQpn(),
                shim.sourceQpn(),
                shim.key(),
                shim.messageId(),
                shim.messageLength(),
                shim.segmentSize(),
                shim.reply(),
                shim.reliable(),
                shim.group(),
                shim.padded());
    }

    /** {@return a received datagram without a body} */
    static ReceivedDatagram received(Shim shim, DatagramAddress source) {
        ReceivedDatagram datagram = new ReceivedDatagram().from(source);
        datagram.shim().set(shim);
        return datagram;
    }

    /** {@return a copy, to be changed} */
    Datagram copy() {
        return new Datagram(shim, to, cookie, segment.clone(), message);
    }

    /** Changes one octet of the segment; returns this. */
    Datagram octet(int index, int value) {
        segment[index] = (byte) value;
        return this;
    }

    /** Changes four octets of the segment; returns this. */
    Datagram word(int index, int value) {
        for (int i = 0; i < 4; i++) {
            segment[index + i] = (byte) (value >>> (24 - 8 * i));
        }
        return this;
    }

    /** Changes eight octets of the segment; returns this. */
    Datagram number(int index, long value) {
        return word(index, (int) (value >>> 32)).word(index + 4, (int) value);
    }

    int word(int index) {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 8 | (segment[index + i] & 0xff);
        }
        return value;
    }

    long number(int index) {
        return (long) word(index) << 32 | (word(index + 4) & 0xffff_ffffL);
    }

    int opcode() {
        return segment[1] & 0xf;
    }
}
