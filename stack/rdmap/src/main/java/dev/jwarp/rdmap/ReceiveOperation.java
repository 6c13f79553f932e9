package dev.jwarp.rdmap;

import dev.jwarp.ddp.UntaggedBuffer;
import java.nio.ByteBuffer;

/**
 * One posted receive: the buffer that the next Send or Immediate Data message of the peer fills. Mutable and reused;
 * filled by the producer of its queue, then read by the stream that takes it.
 */
public final class ReceiveOperation implements UntaggedBuffer {
    private final ScatterList memory;
    private long workRequestId;

    /** Creates one with room for {@code maximumPieces}. */
    public ReceiveOperation(int maximumPieces) {
        memory = new ScatterList(maximumPieces, 0);
    }

    /** {@return the number its poster knows it by} */
    public long workRequestId() {
        return workRequestId;
    }

    /** Sets the number its poster knows it by. */
    public void workRequestId(long id) {
        workRequestId = id;
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
        int skip = messageOffset;
        int left = length;
        int at = from;
        for (int piece = 0; left > 0; piece++) {
            int room = memory.length(piece) - skip;
            if (room <= 0) {
                skip -= memory.length(piece);
                continue;
            }
            int part = Math.min(room, left);
            memory.memory(piece).put(memory.index(piece) + skip, source, at, part);
            skip = 0;
            at += part;
            left -= part;
        }
    }
}
