package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of one direction of a connection: finds the FPDUs in a byte stream that arrives in pieces of any size,
 * verifies each FPDU, and delivers its ULPDU (RFC 5044 §4, §6).
 *
 * <p>FPDUs that are complete in the input are processed in place. Only an FPDU that is split across inputs is copied:
 * its first octets, up to the length field, to a field, the rest to a buffer of the pool. That buffer grows with the
 * received octets, so a peer that announces much and sends little binds little memory. Work and memory are proportional
 * to the received octets for any size of reads, and memory never exceeds one FPDU, or two while the buffer grows.
 *
 * <p>Not thread-safe: used by the owner of the connection. Allocates nothing after construction.
 */
public final class FpduAssembler {
    /** Minimum size of a borrowed buffer, except for shorter FPDUs. */
    private static final int FIRST_CARRY = 2 << 10;

    private final boolean crc;
    private final boolean markers;

    /** Octets after the pad. */
    private final int crcLength;

    private final BufferPool pool;
    private final CRC32C checksum = new CRC32C();

    /** Stream offset of the next FPDU, or of the one being assembled, including its leading Marker. */
    private long streamOffset;

    /** The first octets, at most six, of an FPDU of unknown length; the last octet lowest. */
    private long head;

    private int headLength;

    /** The FPDU being assembled once its length is known; otherwise null. */
    private @Nullable ByteBuffer carry;

    private int carryLength;
    private int carryFilled;
    private long assembled;
    private @Nullable MpaError error;

    /** The CRC field of the FPDU of {@link #error}. */
    private int refusedCrc;

    /**
     * Creates an assembler at the start of full operation.
     *
     * @param crc whether the CRC is in use
     * @param markers whether the peer sends Markers
     * @param pool lends buffers for FPDUs that come in pieces
     */
    public FpduAssembler(boolean crc, boolean markers, BufferPool pool) {
        this(crc, markers, pool, 0);
    }

    /**
     * {@return an assembler for a peer that omits the CRC field} RFC 5044 §4.1 requires the field in every FPDU, so
     * such a peer must be configured. There are no CRCs and no Markers then.
     *
     * @param pool lends buffers for FPDUs that come in pieces
     */
    public static FpduAssembler withoutCrcField(BufferPool pool) {
        return new FpduAssembler(false, false, 0, pool, 0);
    }

    /** Creates an assembler that continues a stream at {@code streamOffset}, the start of an FPDU. */
    FpduAssembler(boolean crc, boolean markers, BufferPool pool, long streamOffset) {
        this(crc, markers, Fpdu.CRC_LENGTH, pool, streamOffset);
    }

    private FpduAssembler(boolean crc, boolean markers, int crcLength, BufferPool pool, long streamOffset) {
        if ((streamOffset & 3) != 0) {
            throw new IllegalArgumentException("stream offset " + streamOffset + " is not a multiple of four");
        }
        this.crc = crc;
        this.markers = markers;
        this.crcLength = crcLength;
        this.pool = pool;
        this.streamOffset = streamOffset;
    }

    /**
     * Receives the next octets of the stream, from the position of {@code in} to its limit, and delivers every
     * completed ULPDU.
     *
     * <p>With Markers the octets of {@code in} are changed: Markers are removed in place.
     *
     * @param in big-endian, writable if there are Markers; the caller owns it and may reuse it afterwards
     * @return true if all of {@code in} is consumed and the stream is valid. False if the sink stopped (the position of
     *     {@code in} is after the delivered ULPDU), or if the peer's stream is invalid: see {@link #error()}; all of
     *     {@code in} is consumed then, and nothing more is delivered.
     */
    public boolean receive(ByteBuffer in, UlpduSink sink) {
        if (in.order() != ByteOrder.BIG_ENDIAN) {
            throw new IllegalArgumentException("the input buffer must be big-endian");
        }
        boolean goOn = error == null;
        // MPA-5.2-2: processes all FPDUs of the input.
        while (goOn && in.hasRemaining()) {
            goOn = atBoundary() ? inPlace(in, sink) : assemble(in, sink);
        }
        if (error != null) {
            in.position(in.limit()); // RFC 5044 §8, MPA-8-3: after an error nothing more is delivered
        }
        return goOn;
    }

    /** {@return the error of the stream; null while the stream is valid} */
    public @Nullable MpaError error() {
        return error;
    }

    /** {@return the CRC field, in the order of its octets, of the FPDU with {@link MpaError#CRC}} */
    public int refusedCrc() {
        return refusedCrc;
    }

    /** {@return whether the stream is between two FPDUs, where the peer may close its direction} */
    public boolean atBoundary() {
        return headLength == 0 && carry == null;
    }

    /** {@return the stream offset of the next FPDU, or of the FPDU of {@link #error}} */
    public long streamOffset() {
        return streamOffset;
    }

    /** {@return the number of octets copied to assemble FPDUs since the last call} */
    public long takeAssembled() {
        long octets = assembled;
        assembled = 0;
        return octets;
    }

    /** Returns the buffer of an incomplete FPDU to the pool; call it after the connection has ended. */
    public void close() {
        ByteBuffer held = carry;
        carry = null;
        headLength = 0;
        head = 0;
        if (held != null) {
            pool.release(held);
        }
    }

    /** The common case: an FPDU that begins at the position of {@code in}. */
    private boolean inPlace(ByteBuffer in, UlpduSink sink) {
        int at = in.position();
        int available = in.limit() - at;
        int lengthIndex = leadingMarkerLength();
        if (available < lengthIndex + Fpdu.ULPDU_OFFSET) {
            return assemble(in, sink);
        }
        // MPA-3-3: every length that the field can hold is accepted.
        int ulpduLength = in.getShort(at + lengthIndex) & 0xFFFF;
        int length = lengthOnWire(ulpduLength);
        if (available < length) {
            startCarry(length, available);
            return assemble(in, sink);
        }
        in.position(at + length);
        return accept(in, at, length, ulpduLength, sink);
    }

    /** An FPDU in several pieces: collects it, and processes it once it is complete. */
    private boolean assemble(ByteBuffer in, UlpduSink sink) {
        ByteBuffer buffer = carry;
        if (buffer == null) {
            int needed = leadingMarkerLength() + Fpdu.ULPDU_OFFSET;
            while (headLength < needed) {
                if (!in.hasRemaining()) {
                    return true;
                }
                head = (head << 8) | (in.get() & 0xFF);
                headLength++;
            }
            buffer = startCarry(lengthOnWire((int) head & 0xFFFF), headLength + in.remaining());
            for (int i = headLength; i > 0; i--) {
                buffer.put(carryFilled++, (byte) (head >>> (8 * (i - 1))));
            }
            headLength = 0;
            head = 0;
        }
        int at = in.position();
        int taken = Math.min(carryLength - carryFilled, in.limit() - at);
        if (carryFilled + taken > buffer.capacity()) {
            buffer = growCarry(buffer, carryFilled + taken);
        }
        buffer.put(carryFilled, in, at, taken);
        in.position(at + taken);
        carryFilled += taken;
        assembled += taken;
        if (carryFilled < carryLength) {
            return true;
        }
        carry = null;
        try {
            int ulpduLength = buffer.getShort(leadingMarkerLength()) & 0xFFFF;
            return accept(buffer, 0, carryLength, ulpduLength, sink);
        } finally {
            pool.release(buffer.clear());
        }
    }

    /** Borrows a buffer for {@code known} octets of an FPDU; the rest may never arrive. */
    private ByteBuffer startCarry(int length, int known) {
        ByteBuffer buffer = pool.acquire(Math.min(length, Math.max(FIRST_CARRY, known)));
        carry = buffer;
        carryLength = length;
        carryFilled = 0;
        return buffer;
    }

    /** At least doubles the buffer, so that an octet is moved about once on average. */
    private ByteBuffer growCarry(ByteBuffer small, int needed) {
        ByteBuffer large = pool.acquire(Math.min(carryLength, Math.max(2 * small.capacity(), needed)));
        large.put(0, small, 0, carryFilled);
        carry = large;
        pool.release(small);
        return large;
    }

    private int leadingMarkerLength() {
        return markers && Marker.isAt(streamOffset) ? Marker.LENGTH : 0;
    }

    private int lengthOnWire(int ulpduLength) {
        return markers ? Fpdu.lengthWithMarkers(ulpduLength, streamOffset) : Fpdu.bodyLength(ulpduLength) + crcLength;
    }

    /** Verifies the complete FPDU at {@code at}, then delivers its ULPDU. */
    private boolean accept(ByteBuffer buffer, int at, int length, int ulpduLength, UlpduSink sink) {
        // RFC 5044 §6, MPA-6-1, MPA-4.4-6: an FPDU is delivered only when it is complete and its CRC, if in use, is
        // correct. MPA-4.4-9, MPA-4.1-6: without CRCs the field is ignored.
        if (crc && !crcMatches(buffer, at, length - Fpdu.CRC_LENGTH)) {
            error = MpaError.CRC;
            refusedCrc = buffer.getInt(at + length - Fpdu.CRC_LENGTH);
            return false;
        }
        int ulpdu = at + leadingMarkerLength() + Fpdu.ULPDU_OFFSET;
        // RFC 5044 §8 (3), MPA-8-1: Markers are judged only where the CRC is right.
        if (markers && !removeMarkers(buffer, at, length, ulpdu)) {
            error = MpaError.MARKER;
            return false;
        }
        streamOffset += length;
        // MPA-4.3-9: delivers the ULPDU and its length without the framing.
        return sink.onUlpdu(buffer, ulpdu, ulpduLength);
    }

    /**
     * RFC 5044 §4.4, MPA-4.1-4, MPA-4.4-4: the CRC covers the octets from the length field, or the Marker before it, to
     * the end of the pad, or the Marker after it.
     */
    private boolean crcMatches(ByteBuffer buffer, int at, int covered) {
        int position = buffer.position();
        int limit = buffer.limit();
        checksum.reset();
        checksum.update(buffer.limit(at + covered).position(at));
        buffer.limit(limit).position(position);
        // RFC 5044 §4.4, MPA-4.4-7: the least significant octet is sent first.
        return (int) checksum.getValue() == Integer.reverseBytes(buffer.getInt(at + covered));
    }

    /**
     * Checks every Marker of an FPDU, then moves the pieces of its ULPDU together. A Marker is recognized by its
     * position only (RFC 5044 §5.2, MPA-5.2-1: the boundaries follow from ULPDU_Length).
     */
    private boolean removeMarkers(ByteBuffer buffer, int at, int length, int ulpdu) {
        int lengthField = ulpdu - Fpdu.ULPDU_OFFSET;
        int crcField = at + length - Fpdu.CRC_LENGTH;
        int first = Marker.isAt(streamOffset) ? at : at + Marker.distanceFrom(streamOffset);
        for (int marker = first; marker < crcField; marker += Marker.INTERVAL) {
            // RFC 5044 §4.3, MPA-4.3-7: a Marker before the length field has 0.
            if (!Marker.agrees(buffer.getInt(marker), Math.max(0, marker - lengthField))) {
                return false;
            }
        }
        // MPA-4.2-3: a Marker is removed by its position; its reserved half is ignored.
        int next = first == at ? at + Marker.INTERVAL : first;
        for (int to = next; next < crcField; next += Marker.INTERVAL) {
            int from = next + Marker.LENGTH;
            int piece = Math.min(next + Marker.INTERVAL, crcField) - from;
            buffer.put(to, buffer, from, piece);
            to += piece;
        }
        return true;
    }
}
