package dev.jwarp.transport.udp.rd;

import dev.jwarp.ddp.llp.datagram.ReceivedDatagram;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A copy of one datagram that came ahead of its turn: its shim and its DDP segment. */
final class StashSlot {
    private static final int STEP = 512;

    final ReceivedDatagram datagram = new ReceivedDatagram();
    private ByteBuffer buffer;

    /** Its place in the pool. */
    @Nullable
    StashSlot nextFree;

    StashSlot(int capacity) {
        buffer = ByteBuffer.allocate(rounded(capacity));
    }

    /** Copies shim and segment. Whose channel it came through is to be said when it is handed up. */
    void keep(ReceivedDatagram from) {
        int length = from.length();
        if (buffer.capacity() < length) {
            buffer = ByteBuffer.allocate(rounded(length));
        }
        buffer.put(0, from.buffer(), from.offset(), length);
        datagram.body(buffer, 0, length).shim().set(from.shim());
    }

    /** It is handed up, or dropped: refers to nothing of the channel any more. */
    void letGo() {
        datagram.clear();
    }

    private static int rounded(int octets) {
        return (octets + STEP - 1) / STEP * STEP;
    }
}
