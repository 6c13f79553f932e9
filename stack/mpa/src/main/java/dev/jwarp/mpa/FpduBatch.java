package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The sender: builds several FPDUs for one write. Headers, small payloads, pads and CRCs are written to one direct
 * buffer, the arena; large payloads are gathered from their memory. The trailer of one FPDU and the header of the next
 * one form one slice, so n gathered payloads make 2n+1 slices.
 *
 * <p>Use: {@link #reset}; for each FPDU {@link #begin}, write the header into {@link #buffer()}, {@link #payload} as
 * often as needed, {@link #end}; then write {@link #slices()} from {@link #firstSlice()} to {@link #sliceCount()}, call
 * {@link #written} after every write, until {@link #remaining()} is 0. Then {@link #reset} again, for the same or
 * another connection: a batch belongs to no connection between two uses, and a connection needs one only while it has
 * output.
 *
 * <p>Not thread-safe. Allocates nothing in steady state. Incorrect use throws an exception.
 */
@SuppressWarnings("ReferenceEquality") // identity comparison: a view of the arena
public final class FpduBatch {
    /** Default maximum size of a batch: 512 KiB of payload, plus headers, CRCs and Markers. */
    public static final int DEFAULT_CAPACITY = 528 * 1024;

    /** Maximum size of the arena: 256 KiB of copied payload stay in the cache until they are written. */
    private static final int MAX_ARENA = 272 * 1024;

    /** Default maximum size of copied payload pieces; for larger ones gathering is cheaper. */
    public static final int DEFAULT_COPY_LIMIT = 4 * 1024;

    /** The smallest capacity: any FPDU that may be sent must fit. */
    public static final int MIN_CAPACITY = Fpdu.MAX_LENGTH_WITH_MARKERS;

    private static final int MIN_COPY_LIMIT = 256;

    private final int capacity;
    private final int copyLimit;
    private final ByteBuffer arena;

    /** Views of the arena: one per slice, and one for the CRC. */
    private final @Nullable ByteBuffer[] arenaViews;

    private final ByteBuffer crcView;
    private final GatherViews gatherViews = new GatherViews();
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer[] slices;

    private boolean crc;
    private boolean crcField = true;
    private boolean markers;
    private long startOffset;

    /** Octets in the arena, and gathered octets; together the length of the batch. */
    private int arenaLength;

    private int gatheredLength;

    /** Start of the growing slice in the arena. */
    private int sliceStart;

    private int arenaSliceCount;
    private int sliceCount;
    private int firstSlice;
    private boolean writing;
    private long remaining;

    /** The open FPDU: its start in the arena (with its Marker), its length field, its first slice. */
    private boolean open;

    private int fpduStart;
    private int lengthField;
    private int fpduFirstSlice;
    private int payloadMissing;

    /** With Markers: the header is without its Markers, which are inserted later. */
    private boolean headerUnmarked;

    /** Creates a batch with the default sizes. */
    public FpduBatch() {
        this(DEFAULT_CAPACITY, DEFAULT_COPY_LIMIT);
    }

    /**
     * Creates a batch.
     *
     * @param capacity maximum size of a batch in octets; at least {@link #MIN_CAPACITY}. Octets beyond the arena, whose
     *     size is {@link #arenaLength(int)}, must be gathered.
     * @param copyLimit payload pieces up to this many octets are copied, larger stable ones gathered; at least 256
     */
    public FpduBatch(int capacity, int copyLimit) {
        if (capacity < MIN_CAPACITY || copyLimit < MIN_COPY_LIMIT) {
            throw new IllegalArgumentException("capacity " + capacity + " and copy limit " + copyLimit
                    + " must be at least " + MIN_CAPACITY + " and " + MIN_COPY_LIMIT);
        }
        this.capacity = capacity;
        this.copyLimit = copyLimit;
        arena = ByteBuffer.allocateDirect(arenaLength(capacity));
        crcView = arena.duplicate();
        int maxGathered = capacity / (copyLimit + 1);
        arenaViews = new ByteBuffer[maxGathered + 1];
        slices = new ByteBuffer[2 * maxGathered + 1];
    }

    /** {@return the memory of a batch of {@code capacity} octets} */
    public static int arenaLength(int capacity) {
        return Math.min(capacity, MAX_ARENA);
    }

    /**
     * Begins a new batch; drops the rest of the old one.
     *
     * @param crc whether the CRC is in use; if not, the field is sent as zero
     * @param markers whether to send Markers; everything is copied then
     * @param streamOffset octets sent in this direction since the start of full operation, see {@link #streamOffset()}
     */
    public void reset(boolean crc, boolean markers, long streamOffset) {
        if ((streamOffset & 3) != 0) {
            throw new IllegalArgumentException("stream offset " + streamOffset + " is not a multiple of four");
        }
        Arrays.fill(slices, 0, sliceCount, null);
        gatherViews.nextBatch();
        this.crc = crc;
        crcField = true;
        this.markers = markers;
        startOffset = streamOffset;
        arenaLength = 0;
        gatheredLength = 0;
        sliceStart = 0;
        arenaSliceCount = 0;
        sliceCount = 0;
        firstSlice = 0;
        writing = false;
        remaining = 0;
        open = false;
    }

    /**
     * As {@link #reset}, for a peer that omits the CRC field without CRCs: FPDUs end after their pad, in violation of
     * RFC 5044 §4.1. There are no Markers.
     */
    public void resetWithoutCrcField(long streamOffset) {
        reset(false, false, streamOffset);
        crcField = false;
    }

    /**
     * Drops everything, including references to gathered buffers, so that they can be freed. Call it when the batch is
     * unused for a while.
     */
    public void clear() {
        reset(false, false, 0);
        gatherViews.clear();
    }

    /** {@return whether no FPDU was built since {@link #reset}} */
    public boolean isEmpty() {
        return arenaLength == 0;
    }

    /** {@return the stream offset of the end of this batch, for the next {@link #reset} of this direction} */
    public long streamOffset() {
        return startOffset + arenaLength + gatheredLength;
    }

    /** {@return the octets of this batch in its own memory: headers, trailers and copied payload} */
    public int buffered() {
        return arenaLength;
    }

    /** {@return the gathered octets of this batch} */
    public int gathered() {
        return gatheredLength;
    }

    /** {@return whether an FPDU of these lengths still fits; never after {@link #slices()}} */
    public boolean hasRoom(int headerLength, int payloadLength) {
        int more = lengthOnWire(headerLength + payloadLength);
        return !writing
                && arenaLength + more <= arena.capacity() // assumes that the payload is copied
                && arenaLength + gatheredLength + more <= capacity;
    }

    /**
     * Begins an FPDU and writes its ULPDU_Length.
     *
     * @param headerLength length of the header that the caller writes to {@link #buffer()} before {@link #payload} or
     *     {@link #end}
     * @param payloadLength total length of the payload
     * @return the index of the header in {@link #buffer()}
     */
    public int begin(int headerLength, int payloadLength) {
        if (headerLength < 0 || payloadLength < 0 || payloadLength > Fpdu.MAX_ULPDU_SENT - headerLength) {
            throw new IllegalArgumentException("a ULPDU of " + headerLength + " + " + payloadLength
                    + " bytes: it must have 0 to " + Fpdu.MAX_ULPDU_SENT); // RFC 5044 §3, MPA-3-2
        }
        if (open) {
            throw new IllegalStateException("the FPDU begun before has not been ended");
        }
        if (!hasRoom(headerLength, payloadLength)) {
            throw new IllegalStateException("no space for this FPDU: call hasRoom first");
        }
        open = true;
        fpduStart = arenaLength;
        fpduFirstSlice = sliceCount;
        payloadMissing = payloadLength;
        if (markers && Marker.isAt(streamOffset())) {
            putMarker(0); // RFC 5044 §4.3, MPA-4.3-7: a Marker between FPDUs belongs to the second and has 0
        }
        // MPA-7.1-1: offset 0 is the octet after our start-up frame. MPA-4.3-2: so the stream begins with a Marker.
        lengthField = arenaLength;
        // MPA-4.1-2, MPA-3-1: an FPDU carries one ULPDU; the length counts its octets only.
        arena.putShort(lengthField, (short) (headerLength + payloadLength));
        int header = lengthField + Fpdu.ULPDU_OFFSET;
        arenaLength = header + headerLength;
        headerUnmarked = markers;
        return header;
    }

    /** {@return the big-endian buffer that holds the header of the open FPDU; use absolute puts only} */
    public ByteBuffer buffer() {
        return arena;
    }

    /**
     * Appends payload to the open FPDU. It is gathered if it is stable, direct and longer than the copy limit and if
     * there are no Markers; otherwise it is copied now.
     *
     * @param source memory to read by absolute index; its position is not used, and its limit must not lie before the
     *     octets to be read. Neither is changed.
     * @param offset index of the first octet in {@code source}
     * @param length octets to append
     * @param stable whether these octets do not change until the batch is written
     */
    public void payload(ByteBuffer source, int offset, int length, boolean stable) {
        Objects.checkFromIndexSize(offset, length, source.limit());
        if (!open || length > payloadMissing) {
            throw new IllegalStateException("more payload than begin announced");
        }
        payloadMissing -= length;
        if (markers) {
            copyWithMarkers(source, offset, length);
        } else if (stable && length > copyLimit && source.isDirect()) {
            gather(source, offset, length);
        } else {
            arena.put(arenaLength, source, offset, length);
            arenaLength += length;
        }
    }

    /** Ends the open FPDU: pad and CRC. */
    public void end() {
        if (!open || payloadMissing != 0) {
            throw new IllegalStateException(
                    open ? payloadMissing + " bytes of the announced payload are missing" : "no FPDU is open");
        }
        markHeader();
        int ulpduLength = arena.getShort(lengthField) & 0xFFFF;
        for (int pad = Fpdu.padLength(ulpduLength); pad > 0; pad--) {
            arena.put(arenaLength++, (byte) 0); // RFC 5044 §4.1, MPA-4.1-3: sent as zero
        }
        if (markers && Marker.isAt(streamOffset())) {
            // RFC 5044 §4.4, MPA-4.4-5: the CRC covers a Marker between pad and CRC
            putMarker(arenaLength - lengthField);
        }
        // RFC 5044 §4.4, MPA-4.4-3: the least significant octet of the CRC is sent first.
        if (crcField) { // MPA-4.1-5: the field is sent even if no CRC is in use
            arena.putInt(arenaLength, crc ? Integer.reverseBytes(checksumOfOpenFpdu()) : 0);
            arenaLength += Fpdu.CRC_LENGTH;
        }
        open = false;
    }

    /**
     * Ends the building. The code that writes the slices moves their positions, as a gathering channel does.
     *
     * @return the slices to write, of which those from {@link #firstSlice()} to {@link #sliceCount()} count
     */
    public ByteBuffer[] slices() {
        if (open) {
            throw new IllegalStateException("an FPDU is open: end it before the batch is written");
        }
        if (!writing) {
            writing = true;
            closeArenaSlice();
            remaining = (long) arenaLength + gatheredLength;
        }
        return slices;
    }

    /** {@return the index of the first slice with unwritten octets} */
    public int firstSlice() {
        return firstSlice;
    }

    /** {@return the index after the last slice} */
    public int sliceCount() {
        return sliceCount;
    }

    /** {@return octets that are not written yet; 0 before {@link #slices()}} */
    public long remaining() {
        return remaining;
    }

    /** Records that {@code octets} were written: the positions of the slices have moved by that number. */
    public void written(long octets) {
        if (octets < 0 || octets > remaining) {
            throw new IllegalArgumentException(octets + " bytes written of a batch that has " + remaining + " left");
        }
        remaining -= octets;
        while (firstSlice < sliceCount && !slices[firstSlice].hasRemaining()) {
            firstSlice++;
        }
    }

    /** {@return octets in the batch's own memory that are not written yet, by the positions of the slices} */
    public int unsentBuffered() {
        slices();
        int octets = 0;
        for (int i = 0; i < arenaSliceCount; i++) {
            ByteBuffer view = arenaViews[i];
            octets += view == null ? 0 : view.remaining();
        }
        return octets;
    }

    /**
     * {@return the unwritten rest, independent of this batch: octets in its memory are copied, gathered ones are not}
     * The batch can be reused then. Allocates.
     */
    public ByteBuffer[] detach() {
        ByteBuffer copy = ByteBuffer.allocate(unsentBuffered());
        ByteBuffer[] rest = new ByteBuffer[sliceCount - firstSlice];
        int ofArena = 0;
        for (int i = 0; i < sliceCount; i++) {
            ByteBuffer slice = slices[i];
            boolean own = ofArena < arenaSliceCount && slice == arenaViews[ofArena];
            if (own) {
                ofArena++;
            }
            if (i >= firstSlice) {
                if (own) {
                    int at = copy.position();
                    copy.put(slice.duplicate()); // changes nothing if this throws
                    rest[i - firstSlice] = copy.slice(at, copy.position() - at);
                } else {
                    rest[i - firstSlice] = slice.duplicate();
                }
            }
        }
        return rest;
    }

    private int lengthOnWire(int ulpduLength) {
        return markers ? Fpdu.lengthWithMarkers(ulpduLength, streamOffset()) : Fpdu.length(ulpduLength);
    }

    private void putMarker(int octetsBack) {
        arena.putInt(arenaLength, Marker.word(octetsBack));
        arenaLength += Marker.LENGTH;
    }

    /** Inserts Markers into the written header: its rest moves by four octets per Marker. */
    private void markHeader() {
        if (!headerUnmarked) {
            return;
        }
        headerUnmarked = false;
        int marker = lengthField + Marker.distanceFrom(startOffset + lengthField);
        while (marker < arenaLength) {
            arena.put(marker + Marker.LENGTH, arena, marker, arenaLength - marker);
            arena.putInt(marker, Marker.word(marker - lengthField));
            arenaLength += Marker.LENGTH;
            marker += Marker.INTERVAL;
        }
    }

    /** With Markers nothing is gathered, so positions in arena and stream differ by a constant. */
    private void copyWithMarkers(ByteBuffer source, int offset, int length) {
        markHeader();
        int from = offset;
        int left = length;
        while (left > 0) {
            if (Marker.isAt(streamOffset())) {
                // MPA-4.3-1, MPA-4.3-3: a Marker is at every multiple of 512. MPA-4.3-4, MPA-4.3-5: it points to the
                // length field.
                putMarker(arenaLength - lengthField);
            }
            int piece = Math.min(left, Marker.distanceFrom(streamOffset()));
            arena.put(arenaLength, source, from, piece);
            arenaLength += piece;
            from += piece;
            left -= piece;
        }
    }

    private void gather(ByteBuffer source, int offset, int length) {
        closeArenaSlice();
        slices[sliceCount++] = gatherViews.take(source).limit(offset + length).position(offset);
        gatheredLength += length;
    }

    private void closeArenaSlice() {
        if (arenaLength > sliceStart) {
            ByteBuffer view = arenaViews[arenaSliceCount];
            if (view == null) {
                view = arena.duplicate();
                arenaViews[arenaSliceCount] = view;
            }
            arenaSliceCount++;
            slices[sliceCount++] = view.limit(arenaLength).position(sliceStart);
            sliceStart = arenaLength;
        }
    }

    /**
     * RFC 5044 §4.4, MPA-4.4-2, MPA-4.4-4: the CRC covers the octets from the length field, or the Marker before it, to
     * the end of the pad, or the Marker after it.
     */
    private int checksumOfOpenFpdu() {
        checksum.reset();
        int start = fpduStart;
        for (int i = fpduFirstSlice; i < sliceCount; i++) {
            ByteBuffer slice = slices[i];
            int position = slice.position();
            if (i == fpduFirstSlice) {
                slice.position(start); // this slice of the arena may begin with the trailer of the previous FPDU
                start = sliceStart;
            }
            checksum.update(slice);
            slice.position(position);
        }
        checksum.update(crcView.limit(arenaLength).position(start));
        return (int) checksum.getValue();
    }
}
