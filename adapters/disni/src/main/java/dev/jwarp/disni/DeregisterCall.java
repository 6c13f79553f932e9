package dev.jwarp.disni;

import com.ibm.disni.verbs.SVCDeregMr;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;

/** Deregisters memory. */
final class DeregisterCall extends SVCDeregMr {
    private final JwarpMr region;
    private final Freed freed = new Freed();

    DeregisterCall(JwarpMr region) {
        this.region = region;
    }

    @Override
    public SVCDeregMr execute() throws IOException {
        freed.check();
        DisniCalls.check(region.isOpen(), "memory region");
        region.close();
        try {
            region.region.close();
            return this;
        } catch (RdmaException e) {
            throw DisniCalls.of(e);
        }
    }

    @Override
    public boolean isValid() {
        return freed.isValid();
    }

    @Override
    public SVCDeregMr free() {
        freed.free();
        return this;
    }
}
