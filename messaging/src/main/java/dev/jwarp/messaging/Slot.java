package dev.jwarp.messaging;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory of one frame. */
final class Slot {
    final Slots of;
    final int index;
    /** Offset in the region. */
    final int at;
    /** Who waits for the end of the send from this slot. */
    @Nullable
    Operation sender;
    /** What the owner of a slot of receives keeps for it. */
    @Nullable
    Object attachment;

    Slot(Slots of, int index, int at) {
        this.of = of;
        this.index = index;
        this.at = at;
    }

    ByteBuffer slice(int size) {
        return of.memory.slice(at, size);
    }
}
