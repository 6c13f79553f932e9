package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvMr;
import dev.jwarp.verbs.MemoryRegion;
import java.io.IOException;

/** A memory region, addressed by the address of its memory. */
final class JwarpMr extends IbvMr {
    final MemoryRegion region;

    JwarpMr(JwarpPd pd, MemoryRegion region, int access) throws IOException {
        super(
                pd.getContext(),
                region.address(),
                Math.toIntExact(region.length()),
                access,
                region.lkey(),
                region.rkey(),
                region.rkey());
        this.region = region;
    }
}
