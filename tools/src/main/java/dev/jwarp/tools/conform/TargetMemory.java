package dev.jwarp.tools.conform;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The memory of a conversation: five regions for the tester, and memory for the target's own work. */
final class TargetMemory implements AutoCloseable {
    static final int ALL = 1 << 20;
    static final int OTHER = 1 << 16;
    static final int REVOCABLE = 4096;
    /** Bytes of the region with all rights that are kept after the conversation has ended. */
    static final int KEPT = 1 << 16;

    private static final int REGION = 24;

    private final ProtectionDomain domain;
    private final ProtectionDomain foreign;
    private final List<MemoryRegion> advertised = new ArrayList<>();
    private final List<MemoryRegion> rest = new ArrayList<>();
    /** The memory of the first region, which remains after the deregistration. */
    private final ByteBuffer all;

    TargetMemory(Context context) {
        domain = context.allocateProtectionDomain();
        foreign = context.allocateProtectionDomain();
        all = ByteBuffer.allocateDirect(ALL);
        advertised.add(domain.register(
                all,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_ATOMIC));
        advertised.add(domain.allocate(OTHER, AccessFlag.REMOTE_READ));
        advertised.add(domain.allocate(OTHER, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        advertised.add(domain.allocate(OTHER, AccessFlag.LOCAL_WRITE));
        advertised.add(foreign.allocate(
                OTHER,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_ATOMIC));
        fill(advertised.get(1), 0, OTHER, 0);
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Memory for the target's own work. */
    MemoryRegion allocate(int length, AccessFlag... access) {
        MemoryRegion region = domain.allocate(length, access);
        rest.add(region);
        return region;
    }

    /** {@return the regions, encoded for the answer to a HELLO} */
    byte[] described() {
        ByteBuffer out = ByteBuffer.allocate(REGION * advertised.size());
        advertised.forEach(r -> describe(out, r));
        return out.array();
    }

    /** {@return a region, encoded for an answer} */
    static byte[] described(MemoryRegion region) {
        ByteBuffer out = ByteBuffer.allocate(REGION);
        describe(out, region);
        return out.array();
    }

    private static void describe(ByteBuffer out, MemoryRegion region) {
        out.putInt(region.rkey()).putInt(0).putLong(region.address()).putLong(region.length());
    }

    boolean deregister(int index) {
        if (index < 0 || index >= advertised.size()) {
            return false;
        }
        advertised.get(index).close();
        return true;
    }

    /** {@return bytes of the region with all rights} */
    byte[] peek(long offset, int length) {
        byte[] octets = new byte[length];
        all.get((int) offset, octets);
        return octets;
    }

    static void fill(MemoryRegion region, int at, int length, int seed) {
        byte[] pattern = new byte[length]; // a put for each byte would take a quarter of the time of a conversation
        for (int k = 0; k < length; k++) {
            pattern[k] = Order.patternAt(k, seed);
        }
        region.buffer().put(at, pattern);
    }

    @Override
    public void close() {
        rest.forEach(MemoryRegion::close);
        advertised.forEach(MemoryRegion::close);
        foreign.close();
        domain.close();
    }
}
