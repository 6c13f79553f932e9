package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory for frames of one size, in one region. Used under the lock of the endpoint. */
final class Slots {
    final MemoryRegion region;
    final ByteBuffer memory;
    private final Slot[] all;
    private final Slot[] free;
    private int left;

    Slots(ProtectionDomain domain, int count, int size) {
        region = domain.allocate(Math.multiplyExact(count, size), AccessFlag.LOCAL_WRITE);
        memory = region.buffer();
        all = new Slot[count];
        free = new Slot[count];
        for (int i = 0; i < count; i++) {
            Slot made = new Slot(this, i, i * size);
            all[i] = made;
            free[left++] = made;
        }
    }

    Slot get(int index) {
        return all[index];
    }

    boolean any() {
        return left > 0;
    }

    /** {@return a free slot; null if there is none} */
    @Nullable
    Slot take() {
        return left == 0 ? null : free[--left];
    }

    void give(Slot slot) {
        free[left++] = slot;
    }
}
