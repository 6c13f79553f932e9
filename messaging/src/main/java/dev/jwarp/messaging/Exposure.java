package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import org.jspecify.annotations.Nullable;

/** A return buffer of this side, which the peer may write. The endpoint owns the buffer until it is used. */
final class Exposure {
    final MessageBuffer buffer;
    final MemoryRegion region;
    /** Correlation of the call whose reply may be written there; 0 for any message. */
    final long call;
    /** Bytes that arrived in whole Write-Records, and whether one arrived damaged. */
    long recorded;

    boolean damaged;
    /** Whether this side is reading into the buffer. */
    boolean busy;

    Exposure(MessageBuffer buffer, @Nullable AddressHandle to, long call) {
        this.buffer = buffer;
        this.call = call;
        AccessFlag write = to == null ? AccessFlag.REMOTE_WRITE : AccessFlag.RECORD;
        region = buffer.expose(to, AccessFlag.LOCAL_WRITE, write);
    }

    /** The peer reaches the buffer no more, and the buffer goes back to its pool. */
    void giveBack() {
        region.close();
        buffer.close();
    }
}
