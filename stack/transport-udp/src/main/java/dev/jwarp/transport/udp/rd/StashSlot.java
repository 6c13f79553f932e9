package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.ReceivedDatagram;
import java.nio.ByteBuffer;

/** A copy of one datagram received out of order: its shim and its DDP segment. */
final class StashSlot {
    private static final int STEP = 512;

    final ReceivedDatagram datagram = new ReceivedDatagram();
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    /** The number of datagrams for which the slot counts. */
    int units;

    int capacity() {
        return buffer.capacity();
    }

    /** Makes room for {@code octets}, but for at most {@code most}. Returns by how many the slot has grown. */
    int makeRoom(int octets, long most) {
        int before = buffer.capacity();
        if (before < octets || before > most) {
            buffer = ByteBuffer.allocate(octets);
        }
        return buffer.capacity() - before;
    }

    /** Copies shim and segment, for which there must be room. The channel's peer is set at delivery. */
    void keep(ReceivedDatagram from) {
        int length = from.length();
        buffer.put(0, from.buffer(), from.offset(), length);
        datagram.body(buffer, 0, length).shim().set(from.shim());
    }

    /** Clears references to the channel, after delivery or drop. */
    void letGo() {
        datagram.clear();
    }

    /** {@return {@code octets}, rounded up to the granularity of allocation} */
    static int rounded(int octets) {
        return (octets + STEP - 1) / STEP * STEP;
    }
}
