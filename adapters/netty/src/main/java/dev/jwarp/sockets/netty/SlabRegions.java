package dev.jwarp.sockets.netty;

import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaException;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of allocators, as regions of one event loop's domain. Regions of discarded slabs are closed when the next
 * one is registered, the others with the domain. The loop's thread.
 */
final class SlabRegions {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(SlabRegions.class);

    private final ProtectionDomain domain;
    private final Map<Slab, SlabRegion> all = new HashMap<>();

    SlabRegions(ProtectionDomain domain) {
        this.domain = domain;
    }

    /** A region, and a view of its memory for this loop. */
    record SlabRegion(MemoryRegion region, ByteBuffer memory) {}

    /** {@return the region of a slab; null if it cannot be registered} */
    @Nullable
    SlabRegion of(Slab slab) {
        SlabRegion there = all.get(slab);
        if (there != null) {
            return there;
        }
        forgetGone();
        try {
            SlabRegion made = new SlabRegion(domain.register(slab.memory()), slab.memory());
            all.put(slab, made);
            return made;
        } catch (RdmaException e) {
            LOG.debug("{} bytes are copied instead", slab.length(), e);
            return null;
        }
    }

    private void forgetGone() {
        for (Iterator<Map.Entry<Slab, SlabRegion>> left = all.entrySet().iterator(); left.hasNext(); ) {
            Map.Entry<Slab, SlabRegion> one = left.next();
            if (one.getKey().gone()) {
                one.getValue().region().close();
                left.remove();
            }
        }
    }

    /** {@return the number of regions} */
    int count() {
        return all.size();
    }
}
