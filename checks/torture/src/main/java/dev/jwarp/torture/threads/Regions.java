package dev.jwarp.torture.threads;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The regions of one side. The first is never deregistered; the others are replaced. Deregistered memory is filled with
 * a pattern, which must be unchanged at a later check: no byte may be written to it any more. Threads: any.
 */
final class Regions {
    static final int LENGTH = 4096;
    private static final int WATCHED = 64;
    private static final byte MARK = 0x3c;

    private final ProtectionDomain domain;
    private final AccessFlag[] access;
    private final AtomicReferenceArray<MemoryRegion> regions;
    private final ArrayDeque<ByteBuffer> watched = new ArrayDeque<>();
    private final ConcurrentLinkedQueue<MemoryRegion> busy = new ConcurrentLinkedQueue<>();
    private long deregistered;

    Regions(ProtectionDomain domain, int count, AccessFlag... access) {
        this.domain = domain;
        this.access = access;
        regions = new AtomicReferenceArray<>(count);
        for (int i = 0; i < count; i++) {
            regions.set(i, domain.register(ByteBuffer.allocateDirect(LENGTH), access));
        }
    }

    /** {@return a region, most often the permanent one} */
    MemoryRegion any(SplittableRandom random) {
        return regions.get(random.nextInt(8) > 0 ? 0 : random.nextInt(regions.length()));
    }

    /** Deregisters a region and registers another in its place. */
    void replace(SplittableRandom random) {
        int place = random.nextInt(1, regions.length());
        MemoryRegion old = regions.get(place);
        MemoryRegion fresh = domain.register(memory(), access);
        // Another thread may have closed it; and a region with windows stays open until they are closed.
        MemoryRegion dead = regions.compareAndSet(place, old, fresh) ? old : fresh;
        if (!close(dead)) {
            busy.add(dead);
        }
        MemoryRegion again = busy.poll();
        if (again != null && !close(again)) {
            busy.add(again);
        }
    }

    /** {@return false if windows are bound to it} */
    private boolean close(MemoryRegion region) {
        try {
            region.close();
        } catch (RdmaException e) {
            if (e.code() == RdmaErrorCode.RESOURCE_BUSY) {
                return false;
            }
            throw e;
        }
        ByteBuffer memory = region.buffer().duplicate();
        for (int i = 0; i < LENGTH; i++) {
            memory.put(i, MARK);
        }
        synchronized (watched) {
            watched.add(memory);
            deregistered++;
        }
        return true;
    }

    /** {@return memory to register: reuses memory deregistered long ago, after checking it} */
    private ByteBuffer memory() {
        ByteBuffer memory;
        synchronized (watched) {
            if (watched.size() < WATCHED) {
                return ByteBuffer.allocateDirect(LENGTH);
            }
            memory = watched.remove();
        }
        check(memory);
        return memory;
    }

    private static void check(ByteBuffer memory) {
        for (int i = 0; i < LENGTH; i++) {
            if (memory.get(i) != MARK) {
                throw new AssertionError(
                        "Byte " + i + " of a region was written after the region was closed: " + memory.get(i));
            }
        }
    }

    /** Checks all deregistered memory that is not in use again. */
    void check() {
        synchronized (watched) {
            watched.forEach(Regions::check);
        }
    }

    /** Deregisters all; no window may be left. */
    void close() {
        for (int i = 0; i < regions.length(); i++) {
            busy.add(regions.get(i));
        }
        for (MemoryRegion region : busy) {
            if (!close(region)) {
                throw new AssertionError("Windows are still bound to a region, but all are closed");
            }
        }
        check();
    }

    long deregistered() {
        synchronized (watched) {
            return deregistered;
        }
    }
}
