package dev.jwarp.transport.udp.port;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encapsulates each segment of the layer above in a datagram: shim, extension, DDP header, payload, pad, CRC
 * (datagram-iWARP §4). A subclass for each service writes shim and extension. Owner thread only; allocates nothing.
 */
public abstract class SegmentComposer implements SegmentWriter {
    /** The largest Segment Size that 16 bits hold and that is a multiple of 4. */
    private static final int LARGEST_SEGMENT = 65_532;

    private final int envelope;
    private @Nullable SendBuffer out;
    private int begin;
    private int header;
    private int payload;
    private int at;
    private int payloadLeft;
    private int pad;

    /**
     * Creates a composer.
     *
     * @param envelope octets that each datagram gets besides before it leaves
     */
    protected SegmentComposer(int envelope) {
        this.envelope = envelope;
    }

    /** Sets the buffer for datagrams until the next call. */
    public final void into(SendBuffer buffer) {
        out = buffer;
    }

    /** {@return the buffer for datagrams} After {@link #into}. */
    protected final SendBuffer out() {
        return Objects.requireNonNull(out, "into() comes first");
    }

    /** Connects a peer with its path, since the largest datagram to it is unknown. */
    protected abstract void follow(DatagramPeer peer);

    /** {@return octets of the longest datagram to that peer} */
    protected int longest(DatagramPeer peer) {
        return peer.maximumDatagram();
    }

    /** {@return the octets between shim and DDP header} */
    protected abstract int extensionLength(boolean cookie);

    /** Writes shim and extension. */
    protected abstract void head(ByteBuffer buffer, int offset, DatagramPeer peer, Shim shim, boolean cookie);

    /** A datagram of {@code octets}, CRC and envelope included, is in the buffer. */
    protected abstract void composed(int octets, @Nullable OutboundMessage message);

    @Override
    public final int segmentSize(DatagramPeer peer, int headerLength, boolean cookie) {
        if (peer.maximumDatagram() == 0) {
            follow(peer);
        }
        int datagram = Math.min(longest(peer), DatagramLength.LARGEST) - envelope; // DG-4.5-8, DG-K.6-3
        int size = DatagramLength.segmentSize(datagram, extensionLength(cookie), headerLength);
        return Math.min(size, LARGEST_SEGMENT);
    }

    @Override
    public final int begin(DatagramPeer peer, Shim shim, boolean cookie, int headerLength, int payloadLength) {
        begin = out().begin(peer.address());
        head(out().memory(), begin, peer, shim, cookie);
        header = begin + ShimHeader.LENGTH + extensionLength(cookie);
        at = header + headerLength;
        payload = payloadLength;
        payloadLeft = payloadLength;
        pad = shim.padded() ? shim.segmentSize() - payloadLength : 0; // datagram-iWARP §4.5: up to the Segment Size
        int total = at + payloadLength + pad + Crc.LENGTH - begin;
        // RFC 8899 §4.4: a segment for a larger path MTU cannot be divided again (DG-4.5-9), so IP may fragment the
        // datagram (DG-6-25).
        out().mayBeCut(total + envelope > peer.maximumDatagram());
        if (pad < 0 || total > DatagramLength.LARGEST) {
            throw new IllegalArgumentException(
                    "a datagram cannot have " + total + " bytes, " + pad + " of them pad: call segmentSize first");
        }
        return header;
    }

    /**
     * {@return whether the next datagram of the message differs from the datagram ended last only in index and offset}
     */
    protected boolean repeats() {
        return false;
    }

    @Override
    public final boolean beginNext() {
        int next = repeats() ? out().beginNext(begin, at - begin) : -1;
        if (next < 0) {
            return false;
        }
        ByteBuffer memory = out().memory();
        int ddp = ShimHeader.writeNext(memory, begin, header, next);
        int headerLength = DatagramLength.ddpHeader(memory.get(header));
        if (headerLength == TaggedHeader.LENGTH) {
            TaggedHeader.writeNext(memory, header, ddp, payload);
        } else {
            UntaggedHeader.writeNext(memory, header, ddp, payload);
        }
        begin = next;
        header = ddp;
        at = ddp + headerLength;
        payloadLeft = payload;
        pad = 0;
        return true;
    }

    @Override
    public final ByteBuffer buffer() {
        return out().memory();
    }

    @Override
    public final void payload(ByteBuffer source, int offset, int length, boolean stable) {
        // Copied, stable or not: the CRC must cover the octets that are sent (datagram-iWARP §17).
        out().memory().put(at, source, offset, length);
        at += length;
        payloadLeft -= length;
    }

    @Override
    public final void end(@Nullable OutboundMessage message) {
        if (payloadLeft != 0) {
            throw new IllegalStateException("a segment was ended with " + payloadLeft + " bytes of payload missing");
        }
        ByteBuffer memory = out().memory();
        // datagram-iWARP §17 (DG-17-3): no old contents of the buffer.
        for (int i = 0; i < pad; i++) {
            memory.put(at++, (byte) 0);
        }
        out().end(at - begin, message);
        composed(at - begin + Crc.LENGTH + envelope, message);
    }
}
