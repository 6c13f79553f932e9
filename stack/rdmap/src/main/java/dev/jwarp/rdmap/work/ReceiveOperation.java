package dev.jwarp.rdmap.work;

import dev.jwarp.ddp.UntaggedBuffer;
import java.nio.ByteBuffer;

/**
 * One posted receive: the buffer that the next Send or Immediate Data message of the peer fills. Mutable and reused;
 * filled by the producer of its queue, then read by the stream that takes it.
 */
public final class ReceiveOperation implements UntaggedBuffer {
    private final ScatterList memory;
    private long workRequestId;
    private boolean lost;

    /** Creates one with room for {@code maximumPieces}. */
    public ReceiveOperation(int maximumPieces) {
        memory = new ScatterList(maximumPieces, 0);
    }

    /** {@return the number its poster knows it by} */
    public long workRequestId() {
        return workRequestId;
    }

    /** Sets the number its poster knows it by: it is posted anew. */
    public void workRequestId(long id) {
        workRequestId = id;
        lost = false;
    }

    /** {@return where the message goes; every piece must grant {@code LOCAL_WRITE}} */
    public ScatterList memory() {
        return memory;
    }

    @Override
    public int capacity() {
        return (int) Math.min(memory.length(), Integer.MAX_VALUE);
    }

    @Override
    public void place(int messageOffset, ByteBuffer source, int from, int length) {
        if (!memory.valid()) {
            // Deregistered while posted: not one byte goes there, and the message is not delivered.
            lost = true;
            return;
        }
        memory.place(messageOffset, source, from, length);
    }

    /** {@return whether bytes of the message could not be placed} */
    public boolean lost() {
        return lost;
    }

    /** {@return the first eight bytes of its memory, the first one highest} It holds at least eight. */
    public long firstEightOctets() {
        long value = 0;
        int piece = 0;
        int offset = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            while (offset == memory.length(piece)) {
                piece++;
                offset = 0;
            }
            value = (value << 8) | memory.octet(piece, offset);
            offset++;
        }
        memory.settle(piece);
        return value;
    }
}
