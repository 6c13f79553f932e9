package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import org.jspecify.annotations.Nullable;

/**
 * Finds breaches within one segment: versions, opcode, queue, sizes.
 *
 * @param cut whether bytes of the segment are missing from the capture
 * @param terminated the content of a Terminate; otherwise null
 */
record SegmentJudge(Segment segment, boolean cut, @Nullable TerminateFields terminated, Breaches breaches) {
    private static final int FETCH_ADD = 0;
    private static final int COMPARE_SWAP = 2;

    /** The requirement about the form of a message: messages of RFC 7306 have their own. */
    private static String id(Opcode opcode, String ofRfc5040, String ofRfc7306) {
        return opcode.number() >= Opcode.IMMEDIATE.number() ? ofRfc7306 : ofRfc5040;
    }

    void judge() {
        int reserved = segment.ddpReserved();
        breaches.unless(segment.ddpVersion() == 1, "DDP-4.1-3", "DV is %s", segment.ddpVersion());
        breaches.unless(reserved == 0, "DDP-4.1-2", "reserved bits of DDP are 0x%X", reserved);
        if (segment.rdmapVersion() != 1 || segment.rdmapReserved() != 0) {
            String what = "RV is " + segment.rdmapVersion() + ", reserved bits are " + segment.rdmapReserved();
            breaches.add("RDMAP-4.1-2", what);
        }
        Opcode opcode = segment.opcode();
        if (opcode == null) {
            breaches.add("RDMAP-4.1-1", "opcode %s is reserved", segment.opcodeNumber());
        } else if (opcode.tagged() != segment.tagged()) {
            String kind = segment.tagged() ? "a tagged" : "an untagged";
            breaches.add(id(opcode, "RDMAP-4.1-1", "EXT-4.1-1"), "%s in %s segment", opcode.words(), kind);
        } else {
            message(opcode);
        }
        if (segment.payload().length == 0 && !segment.last()) {
            breaches.add("DDP-5.2-3", "a segment without payload that is not the last of its message");
        }
    }

    private void message(Opcode opcode) {
        if (!opcode.tagged()) {
            untagged(opcode);
        }
        switch (opcode) {
            case READ_REQUEST -> size(28, "RDMAP-4.4-1");
            case IMMEDIATE, IMMEDIATE_SE -> size(8, "EXT-6.3-1");
            case ATOMIC_REQUEST -> {
                if (size(52, "EXT-5.2.1-1") && !cut) {
                    atomic();
                }
            }
            case ATOMIC_RESPONSE -> size(12, "EXT-5.2.2-1");
            case TERMINATE -> terminate();
            default -> {}
        }
    }

    private void untagged(Opcode opcode) {
        String id =
                switch (opcode) {
                    case READ_REQUEST -> "RDMAP-5.2.1-1";
                    case TERMINATE -> "RDMAP-5.4-1";
                    default -> id(opcode, "RDMAP-5.3-2", "EXT-4.1-1");
                };
        breaches.unless(segment.queue() == opcode.queue(), id, "QN is %s, not %s", segment.queue(), opcode.queue());
        breaches.unless(
                opcode.invalidates() || segment.invalidate() == 0,
                id(opcode, "RDMAP-4.1-3", "EXT-4.1-2"),
                "Invalidate STag is 0x%08X where it has no meaning",
                segment.invalidate());
    }

    /** Returns whether the message has its fixed size. */
    private boolean size(int wanted, String id) {
        int size = segment.payload().length;
        breaches.unless(size == wanted, id, "%s bytes behind the DDP header, not %s", size, wanted);
        breaches.unless(size != wanted || segment.last(), "DDP-4.1-1", "L is not set, but the message is whole");
        return size == wanted;
    }

    private void atomic() {
        long word = segment.number(0, 4);
        int operation = (int) word & 0xF;
        breaches.unless(word >>> 4 == 0, "EXT-5.2.1-5", "reserved bits before AOpCode are not zero");
        if (operation == FETCH_ADD && (segment.number(36, 8) != 0 || segment.number(44, 8) != -1)) {
            breaches.add("EXT-5.2.1-5", "FetchAdd with Compare Data that is not 0, or a mask that is not all ones");
        } else if (operation != FETCH_ADD && operation != COMPARE_SWAP) {
            breaches.add("EXT-4.1-1", "AOpCode %s is reserved", operation);
        }
    }

    private void terminate() {
        boolean one = segment.msn() == 1 && segment.last();
        breaches.unless(one, "RDMAP-5.4-1", "a Terminate must have MSN 1 and be one segment");
        if (cut) {
            return;
        }
        if (terminated == null) {
            breaches.add("RDMAP-4.8-1", "no Terminate Control field");
            return;
        }
        byte[] payload = segment.payload();
        if (terminated.swapped()) {
            breaches.add(
                    "RDMAP-4.8-1",
                    "the Terminate Control field %s has layer and type changed over and its flags at the low end,"
                            + " as Linux's siw writes it",
                    Octets.hex(payload).substring(0, 8));
        }
        int flags = payload[2] & 0xFF;
        boolean ddp = (flags & (terminated.swapped() ? 2 : 0x40)) != 0;
        boolean rdmap = (flags & (terminated.swapped() ? 4 : 0x20)) != 0;
        if ((ddp && terminated.ddpHeader() == null)
                || (rdmap && terminated.rdmapHeader() == null && isReadRequest(terminated))
                || terminated.trailing() > 0) {
            breaches.add("RDMAP-4.8-2", "the copied headers are not those that its flags announce");
        }
    }

    private static boolean isReadRequest(TerminateFields terminated) {
        byte[] header = terminated.ddpHeader();
        return header == null || (header[1] & 0xF) == Opcode.READ_REQUEST.number();
    }
}
