package dev.jwarp.mpa;

/**
 * Tracks the room in the TCP segment of the next FPDU, and computes the size of ULPDUs so that later segments begin
 * with an FPDU (RFC 5044 §4.5, §5.1). The writer reports where segments begin. One object per connection; one thread at
 * a time.
 */
public final class SegmentRoom {
    /** Octets that are enough for a ULPDU of {@link Mulpdu#MINIMUM}: its FPDU, and a Marker within. */
    static final int LEAST = Fpdu.length(Mulpdu.MINIMUM) + Marker.LENGTH;

    private final int emss;
    private final boolean markers;
    private final int mulpdu;
    private boolean aligns;
    private int room;

    /**
     * All of a segment.
     *
     * @param emss effective maximum segment size of the TCP connection: payload octets of its largest segment
     * @param markers whether we send Markers
     */
    public SegmentRoom(int emss, boolean markers) {
        this.emss = emss;
        this.markers = markers;
        mulpdu = Mulpdu.of(emss, markers);
        // FPDUs are multiples of four; where segments are not, or have no room for two, or for more than one FPDU may
        // hold (loopback), nothing is cut.
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
     * @param ulpdu its octets, also more than {@link #mulpdu()}
     * @param streamOffset where its FPDU begins, octets since the start of full operation
     */
    public boolean holds(long ulpdu, long streamOffset) {
        return ulpdu <= mulpdu && length((int) ulpdu, streamOffset) <= room;
    }

    /**
     * {@return the largest ULPDU for the next of a message; {@link Mulpdu#MINIMUM} to {@link #mulpdu()} octets}
     *
     * @param wanted octets of the ULPDU that would carry all that is left of the message
     * @param streamOffset as in {@link #holds}
     */
    public int mulpdu(long wanted, long streamOffset) {
        boolean wholeSegment = room == emss && !markers; // the largest ULPDU fills it
        if (!aligns || wholeSegment || holds(wanted, streamOffset)) {
            return mulpdu;
        }
        // RFC 5044 §4.5, MPA-4.5-3: where too little is left for a ULPDU of 128 octets, it goes on in the next segment,
        // and the one after that is begun well.
        int span = room < LEAST ? room + emss : room;
        int filling = filling(span, streamOffset);
        return filling <= mulpdu ? filling : Math.min(mulpdu, filling(span - LEAST, streamOffset));
    }

    /** Octets were appended. */
    public void put(long octets) {
        long left = room - octets;
        room = (int) (left > 0 ? left : emss + left % emss);
    }

    /** The next octet follows {@code octets} octets in its segment; these may be of several segments. */
    public void begin(long octets) {
        room = emss;
        put(octets);
    }

    private int length(int ulpdu, long streamOffset) {
        return markers ? Fpdu.lengthWithMarkers(ulpdu, streamOffset) : Fpdu.length(ulpdu);
    }

    /**
     * {@return the size of the ULPDU whose FPDU fills that many octets, or four less if a Marker would be the last of
     * them}
     */
    private int filling(int span, long streamOffset) {
        int ulpdu = span - Fpdu.ULPDU_OFFSET - Fpdu.CRC_LENGTH;
        return markers ? ulpdu - Marker.LENGTH * Marker.countFrom(streamOffset, span) : ulpdu;
    }
}
