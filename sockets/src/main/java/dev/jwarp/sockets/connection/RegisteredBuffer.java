package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/** A direct buffer of the program that is registered from its byte 0 to its capacity, and its slices and duplicates. */
@SuppressWarnings("ReferenceEquality") // equal bytes are not the same memory
final class RegisteredBuffer {
    /** Keeps memory of {@link ByteBuffer#allocateDirect} from being freed, so that its address is not that of other memory. That of an arena stays as long as the arena is open. */
    private final ByteBuffer buffer;

    private final MemoryRegion region;
    private final long address;
    private final ByteBuffer all;

    RegisteredBuffer(ByteBuffer buffer, MemoryRegion region, long address) {
        this.buffer = buffer;
        this.region = region;
        this.address = address;
        all = buffer.duplicate().clear();
    }

    MemoryRegion region() {
        return region;
    }

    boolean is(ByteBuffer other) {
        return buffer == other;
    }

    /** {@return whether that lies in this one's memory} */
    boolean contains(ByteBuffer other, long otherAddress) {
        return address != DirectAddress.UNKNOWN
                && otherAddress >= address
                && otherAddress - address <= (long) buffer.capacity() - other.capacity();
    }

    /**
     * {@return all of the registered memory, with the position and the limit of a buffer of it} It is this one's, and the same with each call.
     *
     * @param other the buffer itself, or {@link #contains contained}
     */
    ByteBuffer at(ByteBuffer other) {
        int offset = is(other) ? 0 : (int) (DirectAddress.of(other) - address);
        return all.limit(offset + other.limit()).position(offset + other.position());
    }
}
