package dev.jwarp.llp.datagram;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A received datagram, as the layers pass it on: its message, its source and the validation of that, and its bytes. A
 * lower layer fills one object anew for each datagram. The object, its shim, source and buffer are valid only during
 * the call; use {@link Shim#set} and {@link DatagramAddress#set} to keep copies. One thread at a time.
 */
public final class ReceivedDatagram {
    private static final DatagramAddress NOWHERE = new DatagramAddress();
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Shim shim = new Shim();
    private DatagramAddress source = NOWHERE;
    private AddressProof proof = AddressProof.NONE;
    private ByteBuffer buffer = NOTHING;
    private int offset;
    private int length;
    private @Nullable DatagramPeer peer;

    /** Creates an empty object. */
    public ReceivedDatagram() {}

    /** Lower layer: begins the next datagram, not validated and without a channel. Returns this. */
    public ReceivedDatagram from(DatagramAddress address) {
        source = address;
        proof = AddressProof.NONE;
        peer = null;
        return this;
    }

    /** Lower layer: sets the buffer, {@link #offset} and {@link #length}. Returns this. */
    public ReceivedDatagram body(ByteBuffer memory, int index, int bytes) {
        buffer = memory;
        offset = index;
        length = bytes;
        return this;
    }

    /** Lower layer: sets how far the source is validated. Returns this. */
    public ReceivedDatagram proved(AddressProof how) {
        proof = how;
        return this;
    }

    /** Lower layer: the datagram arrived through the channel of that peer, which validates its source. Returns this. */
    public ReceivedDatagram through(DatagramPeer other) {
        source = other.address();
        proof = AddressProof.DATAGRAM;
        peer = other;
        return this;
    }

    /** Lower layer: clears all references. */
    public void clear() {
        from(NOWHERE).body(NOTHING, 0, 0);
    }

    /** {@return the shim} Always the same object; only the lower layer changes it. */
    public Shim shim() {
        return shim;
    }

    /** {@return the source address} Not to be changed. */
    public DatagramAddress source() {
        return source;
    }

    /** {@return how far the source is validated} */
    public AddressProof proof() {
        return proof;
    }

    /**
     * {@return the peer of the channel, to which answers go; null for UD} If its {@link DatagramPeer#maximumDatagram}
     * is 0, the layer above must set the maximum before it answers.
     */
    public @Nullable DatagramPeer peer() {
        return peer;
    }

    /**
     * {@return the big-endian buffer with the datagram} Absolute gets only: its position and limit belong to others.
     */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** {@return the index of the first byte after shim and extension: for a segment, its DDP header} */
    public int offset() {
        return offset;
    }

    /** {@return the length in bytes from {@link #offset} on: for a segment, header, payload and pad} */
    public int length() {
        return length;
    }
}
