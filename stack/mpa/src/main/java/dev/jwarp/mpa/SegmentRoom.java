package dev.jwarp.mpa;

/**
 * Tracks the room in the TCP segment of the next FPDU, and computes the size of ULPDUs so that later segments begin
 * with an FPDU (RFC 5044 §4.5, §5.1). The writer reports where segments begin. One object per connection; one thread at
 * a time.
 */
public final class SegmentRoom {
    /** Octets sufficient for the FPDU of a {@link Mulpdu#MINIMUM} ULPDU with a Marker. */
    static final int LEAST = Fpdu.length(Mulpdu.MINIMUM) + Marker.LENGTH;

    private final int emss;
    private final boolean markers;
    private final int mulpdu;
    private boolean aligns;
    private int room;

    /**
     * Starts with an empty segment.
     *
     * @param emss effective maximum segment size of the TCP connection: payload octets of its largest segment
     * @param markers whether we send Markers
     */
    public SegmentRoom(int emss, boolean markers) {
        this.emss = emss;
        this.markers = markers;
        mulpdu = Mulpdu.of(emss, markers);
        // FPDUs are multiples of four. They are not fitted if segments are no multiples of four, too small for two
        // FPDUs, or larger than the largest FPDU (loopback).
        aligns = emss % 4 == 0 && emss >= 2 * LEAST && emss <= Fpdu.length(Mulpdu.MAXIMUM);
        room = emss;
    }

    /** Stops fitting FPDUs to segments. */
    public void cutNothing() {
        aligns = false;
    }

    /** {@return whether FPDUs are fitted to segments} */
    public boolean aligns() {
        return aligns;
    }

    /** {@return the maximum size of a ULPDU in octets; see {@link Mulpdu#of}} */
    public int mulpdu() {
        return mulpdu;
    }

    /** {@return whether the next FPDU begins a segment} */
    public boolean isWhole() {
        return aligns && room == emss;
    }

    /**
     * {@return whether a ULPDU fits into this segment}
     *
     * @param ulpdu octets of the ULPDU; may exceed {@link #mulpdu()}
     * @param streamOffset start of its FPDU, in octets since the start of full operation
     */
    public boolean holds(long ulpdu, long streamOffset) {
        return ulpdu <= mulpdu && length((int) ulpdu, streamOffset) <= room;
    }

    /**
     * {@return the maximum size of the next ULPDU of a message: {@link Mulpdu#MINIMUM} to {@link #mulpdu()} octets}
     *
     * @param wanted octets of a ULPDU with all of the remaining message
     * @param streamOffset as in {@link #holds}
     */
    public int mulpdu(long wanted, long streamOffset) {
        boolean wholeSegment = room == emss && !markers; // the largest ULPDU fills it
        if (!aligns || wholeSegment || holds(wanted, streamOffset)) {
            return mulpdu;
        }
        // RFC 5044 §4.5, MPA-4.5-3: if the segment has no room for a ULPDU of 128 octets, the ULPDU extends into the
        // next segment and fills it, so the segment after that begins with an FPDU.
        int span = room < LEAST ? room + emss : room;
        int filling = filling(span, streamOffset);
        return filling <= mulpdu ? filling : Math.min(mulpdu, filling(span - LEAST, streamOffset));
    }

    /** Records appended octets. */
    public void put(long octets) {
        long left = room - octets;
        room = (int) (left > 0 ? left : emss + left % emss);
    }

    /** Restarts the tracking with {@code octets} octets before the next one, of one or several segments. */
    public void begin(long octets) {
        room = emss;
        put(octets);
    }

    private int length(int ulpdu, long streamOffset) {
        return markers ? Fpdu.lengthWithMarkers(ulpdu, streamOffset) : Fpdu.length(ulpdu);
    }

    /**
     * {@return the size of the ULPDU whose FPDU fills {@code span} octets, or four less if a Marker would be at the
     * end}
     */
    private int filling(int span, long streamOffset) {
        int ulpdu = span - Fpdu.ULPDU_OFFSET - Fpdu.CRC_LENGTH;
        return markers ? ulpdu - Marker.LENGTH * Marker.countFrom(streamOffset, span) : ulpdu;
    }
}
