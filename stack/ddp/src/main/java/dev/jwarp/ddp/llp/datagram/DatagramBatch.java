package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.DatagramAddress;
import java.nio.ByteBuffer;

/**
 * What a {@link DatagramEngine} wants sent next: datagrams to one destination that lie side by side in memory, all of one
 * size but the last, which may be shorter: so one system call can take them all (UDP_SEGMENT). Reused; the engine fills
 * it, the driver reads it. Owner thread only.
 */
public final class DatagramBatch {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final DatagramAddress destination = new DatagramAddress();
    private ByteBuffer memory = NOTHING;
    private int offset;
    private int length;
    private int datagramSize;
    private boolean mayBeCut;

    /** Creates an empty one. */
    public DatagramBatch() {}

    /** Engine: sets all of it. */
    public void set(DatagramAddress to, ByteBuffer memory, int offset, int length, int datagramSize) {
        destination.set(to);
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        this.datagramSize = datagramSize;
        mayBeCut = false;
    }

    /** Engine: IP may cut these into fragments. */
    public void allowCut() {
        mayBeCut = true;
    }

    /** {@return whether IP may cut these into fragments, here or on the way} They are longer than the path takes now. */
    public boolean mayBeCut() {
        return mayBeCut;
    }

    /** Engine: so many octets of its beginning are done with. */
    public void advance(int octets) {
        offset += octets;
        length -= octets;
    }

    /** {@return where they go} Not to be changed. */
    public DatagramAddress destination() {
        return destination;
    }

    /** {@return the memory that holds them, direct} Its position and limit belong to the driver. */
    public ByteBuffer memory() {
        return memory;
    }

    /** {@return index of the first octet} */
    public int offset() {
        return offset;
    }

    /** {@return octets of all of them} */
    public int length() {
        return length;
    }

    /** {@return octets of each but the last} */
    public int datagramSize() {
        return datagramSize;
    }

    /** {@return octets of the first} */
    public int firstLength() {
        return Math.min(datagramSize, length);
    }

    /** {@return how many there are} */
    public int count() {
        return length == 0 ? 0 : (length + datagramSize - 1) / datagramSize;
    }
}
