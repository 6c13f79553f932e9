package dev.jwarp.llp.datagram;

import java.nio.ByteBuffer;

/**
 * The next output of a {@link DatagramEngine}: datagrams to one destination, adjacent in memory and of one size, except
 * that the last one may be shorter, so that one system call can send them all (UDP_SEGMENT). Reusable; the engine fills
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

    /** Creates an empty batch. */
    public DatagramBatch() {}

    /** Engine: sets all values. */
    public void set(DatagramAddress to, ByteBuffer memory, int offset, int length, int datagramSize) {
        destination.set(to);
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        this.datagramSize = datagramSize;
        mayBeCut = false;
    }

    /** Engine: permits IP fragmentation of these datagrams. */
    public void allowCut() {
        mayBeCut = true;
    }

    /** {@return whether IP may fragment these datagrams, locally or on the path} They exceed the present path MTU. */
    public boolean mayBeCut() {
        return mayBeCut;
    }

    /** Engine: removes bytes from the beginning. */
    public void advance(int octets) {
        offset += octets;
        length -= octets;
    }

    /** {@return the destination} Not to be changed. */
    public DatagramAddress destination() {
        return destination;
    }

    /** {@return the direct buffer with the datagrams} Its position and limit belong to the driver. */
    public ByteBuffer memory() {
        return memory;
    }

    /** {@return index of the first byte} */
    public int offset() {
        return offset;
    }

    /** {@return the total length in bytes} */
    public int length() {
        return length;
    }

    /** {@return the length in bytes of each datagram but the last} */
    public int datagramSize() {
        return datagramSize;
    }

    /** {@return the length in bytes of the first datagram} */
    public int firstLength() {
        return Math.min(datagramSize, length);
    }

    /** {@return the number of datagrams} */
    public int count() {
        return length == 0 ? 0 : (length + datagramSize - 1) / datagramSize;
    }
}
