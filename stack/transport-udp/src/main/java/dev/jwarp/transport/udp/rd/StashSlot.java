package dev.jwarp.transport.udp.rd;

import dev.jwarp.ddp.llp.datagram.Shim;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A copy of one datagram that came ahead of its turn: its shim and its DDP segment. */
final class StashSlot {
    private static final int STEP = 512;

    final Shim shim = new Shim();
    ByteBuffer buffer;
    int length;

    /** Its place in the pool. */
    @Nullable
    StashSlot nextFree;

    StashSlot(int capacity) {
        buffer = ByteBuffer.allocate(rounded(capacity));
    }

    void keep(Shim from, ByteBuffer source, int offset, int octets) {
        shim.addressed(from.destinationQpn(), from.sourceQpn(), from.key())
                .message(from.messageId(), from.messageLength())
                .segment(from.segmentIndex(), from.segmentSize())
                .flags(from.reply(), from.reliable(), from.group(), from.padded());
        if (buffer.capacity() < octets) {
            buffer = ByteBuffer.allocate(rounded(octets));
        }
        buffer.put(0, source, offset, octets);
        length = octets;
    }

    private static int rounded(int octets) {
        return (octets + STEP - 1) / STEP * STEP;
    }
}
