package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of one direction of one connection: finds the FPDUs in a byte stream that comes in pieces of any size,
 * verifies each, and hands up its ULPDU (RFC 5044 §4, §6).
 *
 * <p>FPDUs that are whole in the input are handled where they lie. Only one that the input cuts is copied: its first
 * octets, up to the length field, wait in a field, the rest in a buffer that the pool lends and that grows with what
 * has come: a peer that announces much and sends little binds little. So work and memory are in proportion to the
 * octets, for reads of one octet as well as of a megabyte, and memory never exceeds one FPDU, or two while it grows.
 *
 * <p>Not thread-safe: the owner of the connection calls it. Allocates nothing after construction.
 */
public final class FpduAssembler {
    /** The least to borrow for an FPDU that is not shorter. */
    private static final int FIRST_CARRY = 2 << 10;

    private final boolean crc;
    private final boolean markers;

    /** Octets behind the pad. */
    private final int crcLength;

    private final BufferPool pool;
    private final CRC32C checksum = new CRC32C();

    /** Where the FPDU that comes next, or is being assembled, begins; its leading Marker belongs to it. */
    private long streamOffset;

    /** The first octets, at most six, of an FPDU whose length is not known yet; the last octet lowest. */
    private long head;

    private int headLength;

    /** The FPDU being assembled, its length known; null between FPDUs. */
    private @Nullable ByteBuffer carry;

    private int carryLength;
    private int carryFilled;
    private long assembled;
    private @Nullable MpaError error;

    /** What stood in the CRC field of the FPDU that {@link #error} names. */
    private int refusedCrc;

    /**
     * An assembler at the start of full operation.
     *
     * @param crc whether the CRC is in use
     * @param markers whether the peer sends Markers
     * @param pool lends buffers for FPDUs that come in pieces
     */
    public FpduAssembler(boolean crc, boolean markers, BufferPool pool) {
        this(crc, markers, pool, 0);
    }

    /**
     * {@return an assembler for a peer that leaves out the CRC field} RFC 5044 §4.1 has the field in every FPDU, in use or not; a peer that
     * does otherwise can be understood only if that is known beforehand. No CRC is in use then, and there are no Markers.
     *
     * @param pool lends buffers for FPDUs that come in pieces
     */
    public static FpduAssembler withoutCrcField(BufferPool pool) {
        return new FpduAssembler(false, false, 0, pool, 0);
    }

    /** An assembler that takes up the stream {@code streamOffset} octets behind its start, at the start of an FPDU. */
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
     * Takes the next octets of the stream, from the position of {@code in} to its limit, and hands up every ULPDU that
     * they complete.
     *
     * <p>With Markers the octets of {@code in} are changed: the ULPDUs are moved together where they lie.
     *
     * @param in big-endian, writable if there are Markers; the caller owns it and may reuse it afterwards
     * @return true if all of {@code in} was consumed and the stream is in order. False if the sink stopped (the position
     *     of {@code in} stands behind the ULPDU it took) or if the peer's stream is broken: see {@link #error()}, all of
     *     {@code in} is consumed then and nothing will be handed up any more.
     */
    public boolean receive(ByteBuffer in, UlpduSink sink) {
        if (in.order() != ByteOrder.BIG_ENDIAN) {
            throw new IllegalArgumentException("the input buffer must be big-endian");
        }
        boolean goOn = error == null;
        // MPA-5.2-2: as many FPDUs as there are.
        while (goOn && in.hasRemaining()) {
            goOn = atBoundary() ? inPlace(in, sink) : assemble(in, sink);
        }
        if (error != null) {
            in.position(in.limit()); // RFC 5044 §8, MPA-8-3: after an error nothing more is delivered
        }
        return goOn;
    }

    /** {@return what broke the stream, or null while it is in order} */
    public @Nullable MpaError error() {
        return error;
    }

    /** {@return what stood in the CRC field, as its octets follow, of the FPDU for which {@link #error} is {@link MpaError#CRC}} */
    public int refusedCrc() {
        return refusedCrc;
    }

    /** {@return whether the stream stands between two FPDUs, where the peer may close its direction} */
    public boolean atBoundary() {
        return headLength == 0 && carry == null;
    }

    /** {@return octets since the start of full operation up to the FPDU that comes next, or that {@link #error} names} */
    public long streamOffset() {
        return streamOffset;
    }

    /** {@return octets copied to put FPDUs together since this was last asked} */
    public long takeAssembled() {
        long octets = assembled;
        assembled = 0;
        return octets;
    }

    /** Gives the buffer of a half-received FPDU back to the pool; call it once the connection is over. */
    public void close() {
        ByteBuffer held = carry;
        carry = null;
        headLength = 0;
        head = 0;
        if (held != null) {
            pool.release(held);
        }
    }

    /** The common case: an FPDU begins at the position of {@code in}. */
    private boolean inPlace(ByteBuffer in, UlpduSink sink) {
        int at = in.position();
        int available = in.limit() - at;
        int lengthIndex = leadingMarkerLength();
        if (available < lengthIndex + Fpdu.ULPDU_OFFSET) {
            return assemble(in, sink);
        }
        // MPA-3-3: every length that the field can hold is taken.
        int ulpduLength = in.getShort(at + lengthIndex) & 0xFFFF;
        int length = lengthOnWire(ulpduLength);
        if (available < length) {
            startCarry(length, available);
            return assemble(in, sink);
        }
        in.position(at + length);
        return accept(in, at, length, ulpduLength, sink);
    }

    /** An FPDU that comes in pieces: goes on collecting it, and handles it once it is whole. */
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

    /** Borrows what {@code known} octets of an FPDU need; it may not be known yet whether the others ever come. */
    private ByteBuffer startCarry(int length, int known) {
        ByteBuffer buffer = pool.acquire(Math.min(length, Math.max(FIRST_CARRY, known)));
        carry = buffer;
        carryLength = length;
        carryFilled = 0;
        return buffer;
    }

    /** At least doubles it, so that an octet is moved about once on average. */
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

    /** Verifies the whole FPDU at {@code at}, then hands up its ULPDU. */
    private boolean accept(ByteBuffer buffer, int at, int length, int ulpduLength, UlpduSink sink) {
        // RFC 5044 §6, MPA-6-1, MPA-4.4-6: nothing goes up before the whole FPDU is there and its CRC, if in use, is
        // right. MPA-4.4-9, MPA-4.1-6: where no side asked for CRCs the field is not looked at.
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
        // MPA-4.3-9: the ULPDU and its length, nothing of the framing.
        return sink.onUlpdu(buffer, ulpdu, ulpduLength);
    }

    /**
     * RFC 5044 §4.4, MPA-4.1-4, MPA-4.4-4: from the length field, or the Marker before it, to the end of the pad or the
     * Marker behind it.
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
     * Checks every Marker of an FPDU, then moves the pieces of its ULPDU together. Positions alone say what is a Marker
     * (RFC 5044 §5.2, MPA-5.2-1: the boundaries follow from ULPDU_Length).
     */
    private boolean removeMarkers(ByteBuffer buffer, int at, int length, int ulpdu) {
        int lengthField = ulpdu - Fpdu.ULPDU_OFFSET;
        int crcField = at + length - Fpdu.CRC_LENGTH;
        int first = Marker.isAt(streamOffset) ? at : at + Marker.distanceFrom(streamOffset);
        for (int marker = first; marker < crcField; marker += Marker.INTERVAL) {
            // RFC 5044 §4.3, MPA-4.3-7: in front of the length field it says 0.
            if (!Marker.agrees(buffer.getInt(marker), Math.max(0, marker - lengthField))) {
                return false;
            }
        }
        // MPA-4.2-3: a Marker is taken out by its position; its reserved half is not looked at.
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
