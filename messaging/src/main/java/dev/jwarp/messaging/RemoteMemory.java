package dev.jwarp.messaging;

import dev.jwarp.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that a frame names: a return buffer, or a piece of a long message. It has {@link Frame#RETURN} bytes.
 *
 * @param address address for RDMA
 * @param length length in bytes; negative only if the peer lies
 * @param key STag
 * @param call correlation of the call whose reply may be written there; 0 for any message
 */
record RemoteMemory(long address, int length, int key, long call) {
    /** {@return the memories that stand one after the other from {@code from} to {@code to}} */
    static List<RemoteMemory> readAll(ByteBuffer in, int from, int to, long call) {
        List<RemoteMemory> all = new ArrayList<>();
        for (int at = from; at < to; at += Frame.RETURN) {
            all.add(new RemoteMemory(in.getLong(at), in.getInt(at + 8), in.getInt(at + 12), call));
        }
        return all;
    }

    /** Appends memory of this side. */
    static void write(ByteBuffer to, MemoryRegion region) {
        to.putLong(region.address()).putInt((int) region.length()).putInt(region.rkey());
    }
}
