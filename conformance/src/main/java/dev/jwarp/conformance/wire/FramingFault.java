package dev.jwarp.conformance.wire;

/**
 * A wrong rule by which a sender frames every FPDU, unlike a fault of one FPDU (RFC 5044 §4). If several rules explain
 * the same bytes, the first one in this order counts.
 */
public enum FramingFault {
    /** No fault. */
    NONE("", "as RFC 5044 asks"),

    CRC_ABSENT("MPA-4.1-5", "every FPDU lacks its CRC field"),
    CRC_ZERO("MPA-4.4-2", "the CRC field of every FPDU is zero, though CRCs are in use"),
    CRC_SWAPPED("MPA-4.4-3", "every CRC has its most significant byte first"),
    CRC_WITHOUT_PAD("MPA-4.4-2", "the CRC does not cover the pad"),
    CRC_WITHOUT_LENGTH("MPA-4.4-2", "the CRC does not cover ULPDU_Length"),
    CRC_WITHOUT_MARKERS("MPA-4.4-2", "the CRC does not cover the Markers"),
    CRC_WITHOUT_LEADING_MARKER("MPA-4.4-4", "the CRC does not cover the Marker before ULPDU_Length"),
    CRC_WITHOUT_TRAILING_MARKER("MPA-4.4-5", "the CRC does not cover the Marker after the pad"),
    CRC_OF_ETHERNET("MPA-4.4-2", "the CRC is the CRC-32 of Ethernet, not CRC32C"),
    CRC_NOT_INVERTED("MPA-4.4-2", "the CRC32C is not inverted at its end"),
    CRC_FROM_ZERO("MPA-4.4-2", "the CRC32C starts from zeros, not from ones"),
    CRC_BARE("MPA-4.4-2", "the CRC32C starts from zeros, and is not inverted at its end"),

    PAD_ABSENT("MPA-4.1-1", "no FPDU has a pad"),
    PAD_AND_CRC_ABSENT("MPA-4.1-1", "every FPDU lacks its pad and its CRC field"),
    PAD_TO_2("MPA-4.1-1", "FPDUs are padded to a multiple of 2 bytes, not of 4"),
    PAD_WITHOUT_LENGTH("MPA-4.1-1", "the pad is computed as if the 2 bytes of ULPDU_Length were not there"),
    PAD_NEVER_EMPTY("MPA-4.1-1", "an FPDU that needs no pad has 4 bytes of it"),
    PAD_TO_8("MPA-4.1-1", "ULPDU_Length, ULPDU and pad are a multiple of 8 bytes, not of 4"),
    PAD_TO_8_WITH_CRC("MPA-4.1-1", "FPDUs are padded to a multiple of 8 bytes, not of 4"),

    LENGTH_LITTLE_ENDIAN("MPA-4.1-2", "ULPDU_Length has its least significant byte first"),
    LENGTH_COUNTS_ITSELF("MPA-4.1-2", "ULPDU_Length counts its own 2 bytes"),
    LENGTH_COUNTS_CRC("MPA-4.1-2", "ULPDU_Length counts the CRC field"),
    LENGTH_COUNTS_ALL("MPA-4.1-2", "ULPDU_Length counts the whole FPDU"),
    LENGTH_COUNTS_PAD("MPA-4.1-2", "ULPDU_Length counts the pad"),
    LENGTH_COUNTS_MARKERS("MPA-4.1-2", "ULPDU_Length counts the Markers within the ULPDU"),

    MARKERS_UNASKED("MPA-7.1.1-5", "there are Markers, though the other side did not ask for them"),
    MARKERS_ABSENT("MPA-4.3-1", "there are no Markers, though the other side asked for them"),
    MARKERS_FIRST_ABSENT("MPA-4.3-2", "the Marker at the beginning of full operation is left out"),
    MARKERS_COUNT_START("MPA-7.1-1", "the places of Markers are counted from the start of the startup frame"),
    MARKERS_COUNT_HEADER("MPA-7.1-1", "the 20 bytes of the header of the startup frame count where Markers are due"),
    MARKERS_FORGET_CRC("MPA-4.3-3", "the places of Markers are counted without the CRC fields"),
    MARKERS_FORGET_THEMSELVES("MPA-4.3-3", "the places of Markers are counted without the Markers"),
    MARKERS_NOT_BEHIND_PAD("MPA-4.4-5", "the Marker that is due between pad and CRC is left out"),

    /** Comes last: the FPDUs are framed rightly, and no CRC is right by any known rule. */
    CRC_UNKNOWN("MPA-4.4-2", "no CRC is right");

    private final String requirement;
    private final String words;

    FramingFault(String requirement, String words) {
        this.requirement = requirement;
        this.words = words;
    }

    /**
     * The requirement of the catalogue that this fault breaks; empty for {@link #NONE}.
     *
     * @param crc whether CRCs are in use
     */
    public String requirement(boolean crc) {
        return this == CRC_ABSENT && crc ? "MPA-4.1-1" : requirement;
    }

    /** The fault of the sender, in the requirement's own terms. */
    public String words() {
        return words;
    }

    /**
     * Whether ULPDU_Length counts the pad. The ULPDU as read then includes the pad: the next offset is 1 to 3 bytes
     * lower than expected.
     */
    public boolean countsPad() {
        return this == LENGTH_COUNTS_PAD || this == LENGTH_COUNTS_ALL;
    }

    /**
     * Bytes before full operation that the sender counts towards the first Marker.
     *
     * @param startOctets the length of its startup frame
     */
    public int countedBefore(int startOctets) {
        return this == MARKERS_COUNT_START ? startOctets : this == MARKERS_COUNT_HEADER ? StartFrame.HEADER : 0;
    }

    /** Whether the fault is about the place or value of the CRC field. */
    public boolean ofCrc() {
        return name().startsWith("CRC_");
    }

    /** Whether the fault is about the length of an FPDU. */
    public boolean ofSize() {
        return lacksCrc() || name().startsWith("PAD_") || name().startsWith("LENGTH_");
    }

    /** Whether the fault is about the places of Markers. */
    public boolean ofMarkers() {
        return name().startsWith("MARKERS_");
    }

    /**
     * Whether the value of a CRC field says nothing about the bytes before it: the field is missing, or holds no CRC.
     */
    public boolean provesNothing() {
        return lacksCrc() || this == CRC_ZERO || this == CRC_UNKNOWN;
    }

    /** Whether the FPDU ends without a CRC field. */
    public boolean lacksCrc() {
        return this == CRC_ABSENT || this == PAD_AND_CRC_ABSENT;
    }
}
