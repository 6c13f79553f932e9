package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds breaches within one segment: versions, opcode, queue, sizes. */
final class SegmentJudge {
    private static final int FETCH_ADD = 0;
    private static final int COMPARE_SWAP = 2;

    private SegmentJudge() {}

    /** The requirement about the form of a message: messages of RFC 7306 have their own. */
    private static String id(Opcode opcode, String ofRfc5040) {
        return opcode.number() >= Opcode.IMMEDIATE.number() ? "EXT-4.1-1" : ofRfc5040;
    }

    static void judge(Segment segment, boolean cut, @Nullable TerminateFields terminated, List<Finding> findings) {
        if (segment.ddpVersion() != 1) {
            findings.add(new Finding("DDP-4.1-3", "DV is " + segment.ddpVersion()));
        }
        if (segment.ddpReserved() != 0) {
            findings.add(new Finding("DDP-4.1-2", "reserved bits of DDP are 0x%X".formatted(segment.ddpReserved())));
        }
        if (segment.rdmapVersion() != 1 || segment.rdmapReserved() != 0) {
            findings.add(new Finding(
                    "RDMAP-4.1-2",
                    "RV is " + segment.rdmapVersion() + ", reserved bits are " + segment.rdmapReserved()));
        }
        Opcode opcode = segment.opcode();
        if (opcode == null) {
            findings.add(new Finding("RDMAP-4.1-1", "opcode " + segment.opcodeNumber() + " is reserved"));
        } else if (opcode.tagged() != segment.tagged()) {
            findings.add(new Finding(
                    id(opcode, "RDMAP-4.1-1"),
                    opcode.words() + (segment.tagged() ? " in a tagged segment" : " in an untagged segment")));
        } else {
            message(opcode, segment, cut, terminated, findings);
        }
        if (segment.payload().length == 0 && !segment.last()) {
            findings.add(new Finding("DDP-5.2-3", "a segment without payload that is not the last of its message"));
        }
    }

    private static void message(
            Opcode opcode, Segment segment, boolean cut, @Nullable TerminateFields terminated, List<Finding> findings) {
        if (!opcode.tagged()) {
            untagged(opcode, segment, findings);
        }
        int size = segment.payload().length;
        switch (opcode) {
            case READ_REQUEST -> size(segment, size == 28, "RDMAP-4.4-1", "28", findings);
            case IMMEDIATE, IMMEDIATE_SE -> size(segment, size == 8, "EXT-6.3-1", "8", findings);
            case ATOMIC_REQUEST -> {
                size(segment, size == 52, "EXT-5.2.1-1", "52", findings);
                if (size == 52 && !cut) {
                    atomic(segment, findings);
                }
            }
            case ATOMIC_RESPONSE -> size(segment, size == 12, "EXT-5.2.2-1", "12", findings);
            case TERMINATE -> terminate(segment, cut, terminated, findings);
            default -> {}
        }
    }

    private static void untagged(Opcode opcode, Segment segment, List<Finding> findings) {
        if (segment.queue() != opcode.queue()) {
            String id =
                    switch (opcode) {
                        case READ_REQUEST -> "RDMAP-5.2.1-1";
                        case TERMINATE -> "RDMAP-5.4-1";
                        default -> id(opcode, "RDMAP-5.3-2");
                    };
            findings.add(new Finding(id, "QN is " + segment.queue() + ", not " + opcode.queue()));
        }
        if (!opcode.invalidates() && segment.invalidate() != 0) {
            String id = opcode.number() >= Opcode.IMMEDIATE.number() ? "EXT-4.1-2" : "RDMAP-4.1-3";
            findings.add(new Finding(
                    id, "Invalidate STag is 0x%08X where it has no meaning".formatted(segment.invalidate())));
        }
    }

    private static void size(Segment segment, boolean right, String id, String wanted, List<Finding> findings) {
        if (!right) {
            findings.add(new Finding(id, segment.payload().length + " bytes behind the DDP header, not " + wanted));
        } else if (!segment.last()) {
            findings.add(new Finding("DDP-4.1-1", "L is not set, but the message is whole"));
        }
    }

    private static void atomic(Segment segment, List<Finding> findings) {
        long word = segment.number(0, 4);
        int operation = (int) word & 0xF;
        if (word >>> 4 != 0) {
            findings.add(new Finding("EXT-5.2.1-5", "reserved bits before AOpCode are not zero"));
        }
        if (operation == FETCH_ADD && (segment.number(36, 8) != 0 || segment.number(44, 8) != -1)) {
            findings.add(new Finding(
                    "EXT-5.2.1-5", "FetchAdd with Compare Data that is not 0, or a mask that is not all ones"));
        } else if (operation != FETCH_ADD && operation != COMPARE_SWAP) {
            findings.add(new Finding("EXT-4.1-1", "AOpCode " + operation + " is reserved"));
        }
    }

    private static void terminate(
            Segment segment, boolean cut, @Nullable TerminateFields terminated, List<Finding> findings) {
        if (segment.msn() != 1 || !segment.last()) {
            findings.add(new Finding("RDMAP-5.4-1", "a Terminate must have MSN 1 and be one segment"));
        }
        if (cut) {
            return;
        }
        if (terminated == null) {
            findings.add(new Finding("RDMAP-4.8-1", "no Terminate Control field"));
            return;
        }
        byte[] payload = segment.payload();
        if (terminated.swapped()) {
            findings.add(
                    new Finding(
                            "RDMAP-4.8-1",
                            "the Terminate Control field " + Octets.hex(payload).substring(0, 8)
                                    + " has layer and type changed over and its flags at the low end, as Linux's siw writes it"));
        }
        int flags = payload[2] & 0xFF;
        boolean ddp = (flags & (terminated.swapped() ? 2 : 0x40)) != 0;
        boolean rdmap = (flags & (terminated.swapped() ? 4 : 0x20)) != 0;
        if ((ddp && terminated.ddpHeader() == null)
                || (rdmap && terminated.rdmapHeader() == null && isReadRequest(terminated))
                || terminated.trailing() > 0) {
            findings.add(new Finding("RDMAP-4.8-2", "the copied headers are not those that its flags announce"));
        }
    }

    private static boolean isReadRequest(TerminateFields terminated) {
        byte[] header = terminated.ddpHeader();
        return header == null || (header[1] & 0xF) == Opcode.READ_REQUEST.number();
    }
}
