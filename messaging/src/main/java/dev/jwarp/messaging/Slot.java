package dev.jwarp.messaging;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory of one frame. */
final class Slot {
    final Slots of;
    final int index;
    /** Offset in the region. */
    final int at;

    @Nullable
    Message message;

    /** Whom the frame goes to. */
    @Nullable
    Peer to;

    Slot(Slots of, int index, int at) {
        this.of = of;
        this.index = index;
        this.at = at;
    }

    ByteBuffer slice(int size) {
        return of.memory.slice(at, size);
    }
}
