package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Requirements that nearly every conversation needs. A fault in one of them shows in cases about other requirements. */
public final class Basics {
    /** The requirements from the bottom up: only a fault in an earlier one can make a case of a later one fail. */
    private static final List<String> ORDER = new ArrayList<>();

    // Start-up.
    static final String REQUEST_KEY = next("MPA-7.1.1-1");
    static final String REPLY_KEY = next("MPA-7.1.1-3");
    static final String REVISION = next("MPA-7.1.1-11");
    static final String PRIVATE_DATA_LENGTH = next("MPA-7.1.1-14");
    static final String ENHANCED_REPLY = next("MPA2-10-1");
    static final String PLAIN_REPLY = next("MPA2-10-2");
    static final String WORD = next("MPA2-9-1");

    // FPDUs.
    static final String TOGETHER = next("MPA-5.2-2");
    static final String PIECES = next("MPA-5.2-1");
    static final String LAYOUT = next("MPA-4.1-1");
    static final String ULPDU_LENGTH = next("MPA-4.1-2");
    static final String CRC_ORDER = next("MPA-4.4-3");
    static final String CRC = next("MPA-4.4-2");
    static final String MARKERS_SENT = next("MPA-4.3-1");
    static final String FIRST_MARKER = next("MPA-4.3-2");
    static final String MARKER_INTERVAL = next("MPA-4.3-3");
    static final String OWN_MARKER = next("MPA-4.3-5");
    static final String MARKER_POINTER = next("MPA-4.3-4");
    static final String MARKER_BEFORE_LENGTH = next("MPA-4.4-4");
    static final String MARKER_BEHIND_PAD = next("MPA-4.4-5");
    static final String MARKERS_TAKEN_OUT = next("MPA-4.3-9");

    // Segments.
    static final String MESSAGES_ONLY = next("RDMAP-6.1-1");
    static final String T_AND_QN = next("RDMAP-4.1-1");
    static final String LAST = next("DDP-4.1-1");
    static final String DDP_VERSION = next("DDP-4.1-3");
    static final String RDMAP_CONTROL = next("RDMAP-4.1-2");
    static final String READ_REQUEST = next("RDMAP-4.4-1");
    static final String READ_RESPONSE = next("RDMAP-4.4-2");
    static final String FIRST_MSN = next("DDP-4.3-1");
    static final String NEXT_MSN = next("DDP-4.3-2");
    static final String MO = next("DDP-5.2-1");
    static final String TO = next("DDP-5.2-2");
    static final String SAME_TAGGED = next("DDP-4.2-1");
    static final String SAME_UNTAGGED = next("DDP-4.3-3");
    static final String EMPTY_WRITE = next("DDP-5.2-4");

    // The end.
    static final String TERMINATES = next("RDMAP-7.1-1");
    static final String TERMINATE_QUEUE = next("RDMAP-5.4-1");
    static final String TERMINATE_LAYOUT = next("RDMAP-4.8-1");
    static final String ENDS = next("RDMAP-7-1");
    static final String LAST_WORD = next("RDMAP-5.4-2");

    // CRCs: the reaction to a wrong one, and whether CRCs are in use.
    static final String CRC_CHECKED = next("MPA-4.4-6");
    static final String TERMINATE_AFTER_CRC = next("MPA-8-5");
    static final String CRC_USED = next("MPA-4.4-8");
    static final String CRC_AGREED = next("MPA-7.1.1-7");
    static final String CRC_NOT_IN_USE = next("MPA-4.1-6");
    static final String CRC_FIELD = next("MPA-4.1-5");

    // Not in the order: each may explain any other requirement.
    static final String WORD_PRESENT = "MPA2-6-3";
    static final String NOT_ANSWERED = "RDMAP-5.4-5";

    // What these rely on: all FPDUs, FPDUs with CRCs, FPDUs with Markers, segments by kind, and Terminates.
    private static final List<String> FPDUS = List.of(CRC_FIELD, LAYOUT, ULPDU_LENGTH);
    private static final List<String> CRCS = List.of(CRC_USED, CRC_ORDER, CRC);
    private static final List<String> MARKERS = List.of(
            MARKERS_SENT,
            FIRST_MARKER,
            MARKER_INTERVAL,
            OWN_MARKER,
            MARKER_POINTER,
            MARKER_BEFORE_LENGTH,
            MARKER_BEHIND_PAD);
    private static final List<String> SEGMENTS = List.of(DDP_VERSION, RDMAP_CONTROL, T_AND_QN, LAST);
    private static final List<String> TAGGED = List.of(TO, SAME_TAGGED);
    private static final List<String> UNTAGGED = List.of(FIRST_MSN, NEXT_MSN, MO, SAME_UNTAGGED);
    private static final List<String> TERMINATE = List.of(TERMINATE_QUEUE, TERMINATE_LAYOUT);

    private Basics() {}

    private static String next(String requirement) {
        ORDER.add(requirement);
        return requirement;
    }

    /** {@return the requirements that full operation relies on if it begins with these frames} */
    static Set<String> of(StartFrame ours, StartFrame theirs) {
        Set<String> basics = new LinkedHashSet<>(FPDUS);
        boolean both = ours.has(StartFrame.CRC) && theirs.has(StartFrame.CRC);
        boolean crc = ours.has(StartFrame.CRC) || theirs.has(StartFrame.CRC);
        if (crc && !both) {
            basics.add(CRC_AGREED);
        }
        basics.addAll(crc ? CRCS : List.of(CRC_NOT_IN_USE));
        basics.addAll(ours.has(StartFrame.MARKERS) ? MARKERS : List.of());
        if (theirs.has(StartFrame.MARKERS)) {
            basics.add(MARKERS_TAKEN_OUT);
        }
        return basics;
    }

    /** {@return the requirements that a received segment relies on} */
    static Set<String> of(Segment segment) {
        Set<String> basics = new LinkedHashSet<>(SEGMENTS);
        basics.addAll(segment.tagged() ? TAGGED : UNTAGGED);
        Opcode opcode = segment.opcode();
        if (opcode == Opcode.READ_REQUEST) {
            basics.add(READ_REQUEST);
        } else if (opcode == Opcode.READ_RESPONSE) {
            basics.add(READ_RESPONSE);
        } else if (opcode == Opcode.TERMINATE) {
            basics.addAll(TERMINATE);
        }
        return basics;
    }

    /** {@return the requirement for the first bytes that a device in this role sends} */
    public static String firstWord(Role role) {
        return role == Role.INITIATOR ? REQUEST_KEY : REPLY_KEY;
    }

    /** {@return whether a fault of {@code suspect} may be the reason why a case of {@code requirement} fails} */
    public static boolean mayExplain(String suspect, String requirement) {
        int own = ORDER.indexOf(requirement);
        int other = ORDER.indexOf(suspect);
        return own < 0 || other < 0 || other < own;
    }
}
