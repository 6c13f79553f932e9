package dev.jwarp.mpa;

import java.util.EnumSet;
import java.util.Set;

/**
 * The enhanced RDMA connection establishment data: the word with which the private data of an enhanced start-up frame
 * begins (RFC 6581 §9, MPA2-9-1, MPA2-6-3).
 *
 * <pre>
 *   bit 31 A peer-to-peer | 30 B RTR Send  | 29..16 IRD
 *   bit 15 C RTR Write    | 14 D RTR Read  | 13..0  ORD
 * </pre>
 *
 * @param peerToPeer control flag A: the initiator sends a ready-to-receive message first
 * @param rtrTypes control flags B, C, D. Not to be sent, and to be ignored, without {@code peerToPeer}.
 * @param ird inbound read depth of the sender of the frame, 0 to {@link #NOT_NEGOTIATED}
 * @param ord outbound read depth of the sender of the frame, 0 to {@link #NOT_NEGOTIATED}
 */
public record EnhancedData(boolean peerToPeer, Set<RtrType> rtrTypes, int ird, int ord) {
    /** Octets of the word. */
    public static final int LENGTH = 4;

    /** RFC 6581 §9.1, MPA2-9.1-6: the value of IRD or ORD that leaves the negotiation to the layers above. */
    public static final int NOT_NEGOTIATED = 0x3FFF;

    private static final int A = 1 << 31;
    private static final int B = 1 << 30;
    private static final int C = 1 << 15;
    private static final int D = 1 << 14;
    private static final int IRD_SHIFT = 16;

    /** Checks the ranges. */
    public EnhancedData {
        checkDepth("IRD", ird);
        checkDepth("ORD", ord);
        rtrTypes = RtrType.setOf(rtrTypes);
    }

    static void checkDepth(String name, int depth) {
        if (depth < 0 || depth > NOT_NEGOTIATED) {
            throw new IllegalArgumentException(
                    name + " " + depth + " does not fit its 14 bits: 0 to " + NOT_NEGOTIATED);
        }
    }

    static EnhancedData fromWord(int word) {
        EnumSet<RtrType> types = EnumSet.noneOf(RtrType.class);
        if ((word & B) != 0) {
            types.add(RtrType.SEND);
        }
        if ((word & C) != 0) {
            types.add(RtrType.WRITE);
        }
        if ((word & D) != 0) {
            types.add(RtrType.READ);
        }
        return new EnhancedData((word & A) != 0, types, (word >>> IRD_SHIFT) & NOT_NEGOTIATED, word & NOT_NEGOTIATED);
    }

    int toWord() {
        return (peerToPeer ? A : 0)
                | (rtrTypes.contains(RtrType.SEND) ? B : 0)
                | (rtrTypes.contains(RtrType.WRITE) ? C : 0)
                | (rtrTypes.contains(RtrType.READ) ? D : 0)
                | (ird << IRD_SHIFT)
                | ord;
    }
}
