package dev.jwarp.conformance.script;

import java.util.List;

/**
 * What nearly every conversation needs, from the bottom up: a fault in one of these shows in cases about others. A case of one of them can only
 * fail because of those that stand before it.
 */
public final class Basics {
    // Start-up.
    static final String REQUEST_KEY = "MPA-7.1.1-1";
    static final String REPLY_KEY = "MPA-7.1.1-3";
    static final String REVISION = "MPA-7.1.1-11";
    static final String PRIVATE_DATA_LENGTH = "MPA-7.1.1-14";
    static final String ENHANCED_REPLY = "MPA2-10-1";
    static final String PLAIN_REPLY = "MPA2-10-2";
    static final String WORD = "MPA2-9-1";
    static final String WORD_PRESENT = "MPA2-6-3";
    // FPDUs.
    static final String CRC_FIELD = "MPA-4.1-5";
    static final String LAYOUT = "MPA-4.1-1";
    static final String ULPDU_LENGTH = "MPA-4.1-2";
    static final String CRC_AGREED = "MPA-7.1.1-7";
    static final String CRC_USED = "MPA-4.4-8";
    static final String CRC_ORDER = "MPA-4.4-3";
    static final String CRC = "MPA-4.4-2";
    static final String PIECES = "MPA-5.2-1";
    static final String TOGETHER = "MPA-5.2-2";
    static final String CRC_CHECKED = "MPA-4.4-6";
    static final String CRC_NOT_IN_USE = "MPA-4.1-6";
    static final String MARKERS_SENT = "MPA-4.3-1";
    static final String FIRST_MARKER = "MPA-4.3-2";
    static final String MARKER_INTERVAL = "MPA-4.3-3";
    static final String OWN_MARKER = "MPA-4.3-5";
    static final String MARKER_POINTER = "MPA-4.3-4";
    static final String MARKER_BEFORE_LENGTH = "MPA-4.4-4";
    static final String MARKER_BEHIND_PAD = "MPA-4.4-5";
    static final String MARKERS_TAKEN_OUT = "MPA-4.3-9";
    // Segments.
    static final String MESSAGES_ONLY = "RDMAP-6.1-1";
    static final String DDP_VERSION = "DDP-4.1-3";
    static final String RDMAP_CONTROL = "RDMAP-4.1-2";
    static final String T_AND_QN = "RDMAP-4.1-1";
    static final String LAST = "DDP-4.1-1";
    static final String FIRST_MSN = "DDP-4.3-1";
    static final String NEXT_MSN = "DDP-4.3-2";
    static final String MO = "DDP-5.2-1";
    static final String TO = "DDP-5.2-2";
    static final String SAME_TAGGED = "DDP-4.2-1";
    static final String SAME_UNTAGGED = "DDP-4.3-3";
    static final String EMPTY_WRITE = "DDP-5.2-4";
    static final String READ_REQUEST = "RDMAP-4.4-1";
    static final String READ_RESPONSE = "RDMAP-4.4-2";
    // The end.
    static final String TERMINATES = "RDMAP-7.1-1";
    static final String TERMINATE_QUEUE = "RDMAP-5.4-1";
    static final String TERMINATE_LAYOUT = "RDMAP-4.8-1";
    static final String TERMINATE_AFTER_CRC = "MPA-8-5";
    static final String NOT_ANSWERED = "RDMAP-5.4-5";
    static final String LAST_WORD = "RDMAP-5.4-2";
    static final String ENDS = "RDMAP-7-1";

    /** All FPDUs that the device sends. */
    static final List<String> FPDUS = List.of(CRC_FIELD, LAYOUT, ULPDU_LENGTH);
    /** Those with CRCs in use. */
    static final List<String> CRCS = List.of(CRC_USED, CRC_ORDER, CRC);
    /** Those with Markers. */
    static final List<String> MARKERS = List.of(
            MARKERS_SENT,
            FIRST_MARKER,
            MARKER_INTERVAL,
            OWN_MARKER,
            MARKER_POINTER,
            MARKER_BEFORE_LENGTH,
            MARKER_BEHIND_PAD);
    /** All segments. */
    static final List<String> SEGMENTS = List.of(DDP_VERSION, RDMAP_CONTROL, T_AND_QN, LAST);
    /** Tagged ones. */
    static final List<String> TAGGED = List.of(TO, SAME_TAGGED);
    /** Untagged ones. */
    static final List<String> UNTAGGED = List.of(FIRST_MSN, NEXT_MSN, MO, SAME_UNTAGGED);
    /** Terminates. */
    static final List<String> TERMINATE = List.of(TERMINATE_QUEUE, TERMINATE_LAYOUT);

    private static final List<String> ORDER = List.of(
            REQUEST_KEY,
            REPLY_KEY,
            REVISION,
            PRIVATE_DATA_LENGTH,
            ENHANCED_REPLY,
            PLAIN_REPLY,
            WORD,
            TOGETHER,
            PIECES,
            LAYOUT,
            ULPDU_LENGTH,
            CRC_ORDER,
            CRC,
            MARKERS_SENT,
            FIRST_MARKER,
            MARKER_INTERVAL,
            OWN_MARKER,
            MARKER_POINTER,
            MARKER_BEFORE_LENGTH,
            MARKER_BEHIND_PAD,
            MARKERS_TAKEN_OUT,
            MESSAGES_ONLY,
            T_AND_QN,
            LAST,
            DDP_VERSION,
            RDMAP_CONTROL,
            READ_REQUEST,
            READ_RESPONSE,
            FIRST_MSN,
            NEXT_MSN,
            MO,
            TO,
            SAME_TAGGED,
            SAME_UNTAGGED,
            EMPTY_WRITE,
            TERMINATES,
            TERMINATE_QUEUE,
            TERMINATE_LAYOUT,
            ENDS,
            LAST_WORD,
            CRC_CHECKED,
            TERMINATE_AFTER_CRC,
            CRC_USED,
            CRC_AGREED,
            CRC_NOT_IN_USE,
            CRC_FIELD);

    private Basics() {}

    /** {@return the requirement for the first bytes that a device in this role says} */
    public static String firstWord(Role role) {
        return role == Role.INITIATOR ? REQUEST_KEY : REPLY_KEY;
    }

    /** {@return whether a fault of {@code suspect} may be why a case of {@code requirement} fails} */
    public static boolean mayExplain(String suspect, String requirement) {
        int own = ORDER.indexOf(requirement);
        int other = ORDER.indexOf(suspect);
        return own < 0 || other < 0 || other < own;
    }
}
