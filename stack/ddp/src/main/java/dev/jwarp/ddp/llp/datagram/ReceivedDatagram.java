package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.DatagramAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One datagram that came, as the layers hand it on: of which message it is a part, where it came from and how sure that is, and
 * where its bytes are. A lower layer has one object and fills it anew for each datagram: it is valid during the call only that
 * it comes with, and so are its shim, source and buffer. What is kept is copied ({@link Shim#set}, {@link
 * DatagramAddress#set}). One thread at a time.
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

    /** Creates one of nothing, from nowhere. */
    public ReceivedDatagram() {}

    /** Lower layer: begins the next one. Nothing is proved, and it came through no channel. Returns this. */
    public ReceivedDatagram from(DatagramAddress address) {
        source = address;
        proof = AddressProof.NONE;
        peer = null;
        return this;
    }

    /** Lower layer: sets where the bytes are that {@link #offset} and {@link #length} tell of. Returns this. */
    public ReceivedDatagram body(ByteBuffer memory, int index, int bytes) {
        buffer = memory;
        offset = index;
        length = bytes;
        return this;
    }

    /** Lower layer: sets how sure it is that the source sent it. Returns this. */
    public ReceivedDatagram proved(AddressProof how) {
        proof = how;
        return this;
    }

    /** Lower layer: it came through the channel with that peer, which proves its source. Returns this. */
    public ReceivedDatagram through(DatagramPeer other) {
        source = other.address();
        proof = AddressProof.DATAGRAM;
        peer = other;
        return this;
    }

    /** Lower layer: refers to nothing of others any more. */
    public void clear() {
        from(NOWHERE).body(NOTHING, 0, 0);
    }

    /** {@return of which message it is a part} Always the same object; the lower layer alone changes it. */
    public Shim shim() {
        return shim;
    }

    /** {@return where it came from} Not to be changed. */
    public DatagramAddress source() {
        return source;
    }

    /** {@return how sure it is that the source sent it} */
    public AddressProof proof() {
        return proof;
    }

    /**
     * {@return the peer at the other end of the channel, through which answers go; null for UD} If its {@link
     * DatagramPeer#maximumDatagram} is 0, it is the layer above that says what the path takes, before it answers.
     */
    public @Nullable DatagramPeer peer() {
        return peer;
    }

    /** {@return the memory that holds it, big-endian} Absolute gets only: its position and limit belong to others. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** {@return index of the first byte behind shim and extension: of a segment, its DDP header} */
    public int offset() {
        return offset;
    }

    /** {@return bytes from {@link #offset} on: of a segment, header, payload and pad} */
    public int length() {
        return length;
    }
}
