package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;

/** A posted buffer with canaries after its end, and a source of such buffers. */
final class Posted implements UntaggedBuffer {
    private static final byte UNTOUCHED = 0x2e; // '.'
    private static final int CANARIES = 16;

    final byte[] memory;
    private final int capacity;
    int placements;

    Posted(int capacity) {
        this.capacity = capacity;
        memory = new byte[capacity + CANARIES];
        Arrays.fill(memory, UNTOUCHED);
    }

    static UntaggedBufferSource<Posted> source(Posted... posted) {
        ArrayDeque<Posted> queue = new ArrayDeque<>(Arrays.asList(posted));
        return queue::poll;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public void place(int messageOffset, ByteBuffer source, int from, int length) {
        source.get(from, memory, messageOffset, length);
        placements++;
    }

    String text() {
        return new String(memory, 0, capacity, StandardCharsets.ISO_8859_1);
    }

    boolean untouched() {
        return intact(0);
    }

    /** Whether nothing was written from this index on. */
    boolean intact(int from) {
        for (int i = from; i < memory.length; i++) {
            if (memory[i] != UNTOUCHED) {
                return false;
            }
        }
        return true;
    }
}
