package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;

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

    Exposure(MessageBuffer buffer, boolean recorded, long call) {
        this.buffer = buffer;
        this.call = call;
        region = buffer.expose(AccessFlag.LOCAL_WRITE, recorded ? AccessFlag.RECORD : AccessFlag.REMOTE_WRITE);
    }

    /** The peer reaches the buffer no more, and the buffer goes back to its pool. */
    void giveBack() {
        region.close();
        buffer.close();
    }
}
