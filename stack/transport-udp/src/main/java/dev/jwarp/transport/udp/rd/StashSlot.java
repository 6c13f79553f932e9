package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A copy of one datagram that came ahead of its turn: its shim and its DDP segment. */
final class StashSlot {
    private static final int STEP = 512;

    final ReceivedDatagram datagram = new ReceivedDatagram();
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    /** For how many datagrams it counts. */
    int units;

    /** Its place in the pool. */
    @Nullable
    StashSlot nextFree;

    int capacity() {
        return buffer.capacity();
    }

    /** Has room for so many octets, and not for more than {@code most}. Answers by how many it grew. */
    int makeRoom(int octets, long most) {
        int before = buffer.capacity();
        if (before < octets || before > most) {
            buffer = ByteBuffer.allocate(octets);
        }
        return buffer.capacity() - before;
    }

    /** Copies shim and segment, for which there must be room. Whose channel it came through is to be said when it is handed up. */
    void keep(ReceivedDatagram from) {
        int length = from.length();
        buffer.put(0, from.buffer(), from.offset(), length);
        datagram.body(buffer, 0, length).shim().set(from.shim());
    }

    /** Has that shim and so many octets, of which {@link #put} brings what they are. Returns this. */
    StashSlot expect(Shim shim, int length) {
        datagram.body(buffer, 0, length).shim().set(shim);
        return this;
    }

    /** Copies octets to their place. */
    void put(int at, ReceivedDatagram from, int index, int length) {
        buffer.put(at, from.buffer(), from.offset() + index, length);
    }

    /** It is handed up, or dropped: refers to nothing of the channel any more. */
    void letGo() {
        datagram.clear();
    }

    /** {@return so many octets, and what is made with them} */
    static int rounded(int octets) {
        return (octets + STEP - 1) / STEP * STEP;
    }
}
