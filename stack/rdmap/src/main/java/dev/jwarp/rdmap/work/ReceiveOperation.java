package dev.jwarp.rdmap.work;

import dev.jwarp.ddp.UntaggedBuffer;
import java.nio.ByteBuffer;

/**
 * One posted receive: the buffer that the next Send or Immediate Data message of the peer fills. Mutable and reused:
 * the producer of the queue fills it, then the stream that takes it reads it.
 */
public final class ReceiveOperation implements UntaggedBuffer {
    private final ScatterList memory;
    private long workRequestId;
    private boolean lost;

    /** Creates a receive of up to {@code maximumPieces} pieces of memory. */
    public ReceiveOperation(int maximumPieces) {
        memory = new ScatterList(maximumPieces, 0);
    }

    /** {@return the id that the program gave the work request} */
    public long workRequestId() {
        return workRequestId;
    }

    /** Sets the id of a new work request, for which the receive is posted again. */
    public void workRequestId(long id) {
        workRequestId = id;
        lost = false;
    }

    /** {@return the memory that the message fills; every piece must grant {@code LOCAL_WRITE}} */
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
            // Memory deregistered while posted: no byte is placed, and the message is not delivered.
            lost = true;
            return;
        }
        memory.place(messageOffset, source, from, length);
    }

    /** {@return whether bytes of the message could not be placed} */
    public boolean lost() {
        return lost;
    }

    /** {@return the first eight bytes of the memory, as a big-endian number} The memory has at least eight bytes. */
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
