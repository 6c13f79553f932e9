package dev.jwarp.rnic;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Regions of several buffers in tests, with access to their bytes across buffers. */
final class Scattered {
    private Scattered() {}

    /** {@return a region of small buffers of all lengths, with gaps between them; each begins at a multiple of 8} */
    static MemoryRegion small(ProtectionDomain domain, int length, AccessFlag... access) {
        return region(domain, length, 1_500, access);
    }

    /** {@return the same, of buffers so large that they are sent without a copy} */
    static MemoryRegion large(ProtectionDomain domain, int length, AccessFlag... access) {
        return region(domain, length, 20_000, access);
    }

    private static MemoryRegion region(ProtectionDomain domain, int length, int longest, AccessFlag... access) {
        Random random = new Random(length);
        List<ByteBuffer> buffers = new ArrayList<>();
        int left = length;
        while (left > 0) {
            int part = Math.min(left, 1 + random.nextInt(random.nextBoolean() ? 9 : longest));
            ByteBuffer memory = ByteBuffer.allocateDirect(part + 24);
            int aligned = (8 - memory.alignmentOffset(0, 8)) % 8 + 8;
            buffers.add(memory.position(aligned).limit(aligned + part));
            left -= part;
        }
        return domain.register(buffers, access);
    }

    /** {@return a region of two buffers of 12 bytes, each at a multiple of 8} */
    static MemoryRegion twice12(ProtectionDomain domain, AccessFlag... access) {
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            ByteBuffer memory = ByteBuffer.allocateDirect(32);
            int aligned = (8 - memory.alignmentOffset(0, 8)) % 8;
            buffers.add(memory.slice(aligned, 12));
        }
        return domain.register(buffers, access);
    }

    /** Fills a part with bytes that depend only on the seed, and returns them. */
    static byte[] fill(MemoryRegion region, long offset, int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        write(region, offset, bytes);
        return bytes;
    }

    static void write(MemoryRegion region, long offset, byte[] bytes) {
        move(region, offset, bytes, true);
    }

    static byte[] read(MemoryRegion region, long offset, int length) {
        byte[] bytes = new byte[length];
        move(region, offset, bytes, false);
        return bytes;
    }

    private static void move(MemoryRegion region, long offset, byte[] bytes, boolean in) {
        long begin = 0;
        for (ByteBuffer buffer : region.buffers()) {
            long end = begin + buffer.capacity();
            long from = Math.max(begin, offset);
            int count = (int) Math.max(0, Math.min(end, offset + bytes.length) - from);
            if (count > 0 && in) {
                buffer.put((int) (from - begin), bytes, (int) (from - offset), count);
            } else if (count > 0) {
                buffer.get((int) (from - begin), bytes, (int) (from - offset), count);
            }
            begin = end;
        }
    }
}
