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
 * Puts a datagram around each segment of the layer above: shim, extension, DDP header, payload, pad, CRC (datagram-iWARP
 * §4). What stands in shim and extension, and who may send, is the service's business. Owner thread only; allocates
 * nothing.
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
    /** The datagram is longer than the path takes, and leaves in parts: of so many octets at most; else 0. */
    private int part;

    /**
     * Creates one; a subclass fills in the rest.
     *
     * @param envelope octets that each datagram gets besides before it leaves
     */
    protected SegmentComposer(int envelope) {
        this.envelope = envelope;
    }

    /** Says where datagrams go until the next call. */
    public final void into(SendBuffer buffer) {
        out = buffer;
    }

    /** {@return where datagrams go} After {@link #into}. */
    protected final SendBuffer out() {
        return Objects.requireNonNull(out, "into() comes first");
    }

    /** What the path to that peer takes has not been said: it is to be found out. */
    protected abstract void follow(DatagramPeer peer);

    /** {@return octets of the longest datagram to that peer} */
    protected int longest(DatagramPeer peer) {
        return peer.maximumDatagram();
    }

    /** {@return octets between shim and DDP header} */
    protected abstract int extensionLength(boolean cookie);

    /** Writes shim and extension. */
    protected abstract void head(ByteBuffer buffer, int offset, DatagramPeer peer, Shim shim, boolean cookie);

    /** A datagram of so many octets, CRC and envelope included, is in the buffer. {@code index} is the Segment Index of its shim. */
    protected abstract void composed(int octets, @Nullable OutboundMessage message);

    @Override
    public final int segmentSize(DatagramPeer peer, int headerLength, boolean cookie) {
        if (peer.maximumDatagram() == 0) {
            follow(peer);
        }
        int datagram = Math.min(longest(peer), DatagramLength.LARGEST) - envelope; // DG-4.5-8, DG-4.8-10
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
        // RFC 8899 §4.4: what was cut for a path that took more cannot be cut anew (DG-4.5-9), so IP may cut it
        // (DG-6-25).
        boolean tooLong = total + envelope > peer.maximumDatagram();
        // DG-11.3-21, DG-11.3-22: in parts if it does not fit, and only then.
        part = tooLong ? partSize(peer.maximumDatagram() - envelope) : 0;
        out().mayBeCut(tooLong && part == 0);
        if (pad < 0 || total > DatagramLength.LARGEST) {
            throw new IllegalArgumentException(
                    "a datagram of " + total + " bytes, " + pad + " of pad, cannot be: ask segmentSize first");
        }
        return header;
    }

    /**
     * {@return of how many octets of content a part of the datagram begun last can be at most; 0 if it cannot leave in parts}
     *
     * @param largest octets that the path takes, without an envelope
     */
    protected int partSize(int largest) {
        return 0;
    }

    /**
     * The datagram is in the buffer, but its CRC, and is to leave in parts.
     *
     * @param shim where it begins
     * @param content where its DDP header begins
     * @param end where it ends
     */
    protected void divide(int shim, int content, int end, int partSize, @Nullable OutboundMessage message) {
        throw new UnsupportedOperationException("no part size was named");
    }

    /** {@return whether the datagram ended last is a template for the next of its message, but for index and offset} */
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
        // Copied, stable or not: the CRC covers the very octets that are sent (datagram-iWARP §17, DG-17-5).
        out().memory().put(at, source, offset, length);
        at += length;
        payloadLeft -= length;
    }

    @Override
    public final void end(@Nullable OutboundMessage message) {
        if (payloadLeft != 0) {
            throw new IllegalStateException("a segment ends with " + payloadLeft + " bytes of payload missing");
        }
        ByteBuffer memory = out().memory();
        // datagram-iWARP §17 (DG-17-3): not what the buffer held before.
        for (int i = 0; i < pad; i++) {
            memory.put(at++, (byte) 0);
        }
        if (part > 0) {
            divide(begin, header, at, part, message);
            return;
        }
        out().end(at - begin, message);
        composed(at - begin + Crc.LENGTH + envelope, message);
    }
}
