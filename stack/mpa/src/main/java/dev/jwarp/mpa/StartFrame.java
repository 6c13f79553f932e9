package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A valid MPA Request or Reply, the frames of start-up (RFC 5044 §7.1.1, RFC 6581 §6).
 *
 * <pre>
 *   0: Key (16) | 16: M C R S Res(4) | 17: Rev | 18: PD_Length (2) | 20: Private Data (PD_Length)
 * </pre>
 *
 * @param kind Request or Reply: the key
 * @param revision of MPA, 1 (RFC 5044) or 2 (RFC 6581); 0 (RDMA Consortium) only in a peer's frame and the Reply to it
 * @param markers flag M: the sender of the frame requests Markers in its receiving direction
 * @param crc flag C: the sender of the frame requests CRCs
 * @param rejected flag R: in a Reply, the connection is rejected; in a Request without meaning
 * @param reserved the reserved bits as received: the low four of the flags, below revision 2 also S (0x10). Sent as 0.
 * @param enhanced flag S and its word; null without, and always below revision 2
 * @param privateData of the layer above, without that word
 */
public record StartFrame(
        Kind kind,
        int revision,
        boolean markers,
        boolean crc,
        boolean rejected,
        int reserved,
        @Nullable EnhancedData enhanced,
        PrivateData privateData) {

    /** Octets up to the private data. */
    public static final int HEADER_LENGTH = 20;

    /** Octets of the largest frame. */
    public static final int MAX_LENGTH = HEADER_LENGTH + PrivateData.MAX_LENGTH;

    /**
     * The revision of the RDMA Consortium, which is not supported: see {@link
     * StartFrameAssembler#StartFrameAssembler(Kind, boolean)}.
     */
    public static final int REVISION_0 = 0;

    /** The revision of RFC 5044. */
    public static final int REVISION_1 = 1;

    /** The revision of RFC 6581, which can carry {@link EnhancedData}. */
    public static final int REVISION_2 = 2;

    static final int KEY_LENGTH = 16;
    static final int FLAGS_OFFSET = 16;
    static final int REVISION_OFFSET = 17;
    static final int PD_LENGTH_OFFSET = 18;

    private static final int M = 0x80;
    private static final int C = 0x40;
    private static final int R = 0x20;
    private static final int S = 0x10;

    /** The two kinds of frames. */
    public enum Kind {
        // MPA-7.1.1-1 and MPA-7.1.1-3.
        REQUEST("MPA ID Req Frame"),
        REPLY("MPA ID Rep Frame");

        private final String key;

        Kind(String key) {
            this.key = key;
        }

        byte keyAt(int index) {
            return (byte) key.charAt(index);
        }

        Kind other() {
            return this == REQUEST ? REPLY : REQUEST;
        }
    }

    /** Checks that the frame can be encoded. */
    public StartFrame {
        if (revision < REVISION_0 || revision > REVISION_2) {
            throw new IllegalArgumentException("MPA revision " + revision + ": only 0, 1 and 2 are known");
        }
        if (enhanced != null && revision < REVISION_2) {
            throw new IllegalArgumentException("IRD and ORD need MPA revision 2"); // RFC 6581 §6, MPA2-6-1
        }
        if ((reserved & ~reservedMask(revision)) != 0) {
            throw new IllegalArgumentException("reserved bits 0x" + Integer.toHexString(reserved) + " overlap flags");
        }
        int room = enhanced == null ? PrivateData.MAX_LENGTH : PrivateData.MAX_ENHANCED_LENGTH;
        if (privateData.length() > room) {
            throw new IllegalArgumentException(
                    "private data of " + privateData.length() + " bytes; at most " + room + " fit into this frame");
        }
    }

    /** {@return octets of the frame on the wire} */
    public int length() {
        return HEADER_LENGTH + pdLength();
    }

    /** {@return the encoded frame, from position to limit; write it in one piece} */
    public ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(length());
        out.put(kind.key.getBytes(StandardCharsets.US_ASCII));
        out.put((byte)
                ((markers ? M : 0) | (crc ? C : 0) | (rejected ? R : 0) | (enhanced != null ? S : 0) | reserved));
        out.put((byte) revision);
        out.putShort((short) pdLength());
        if (enhanced != null) {
            out.putInt(enhanced.toWord());
        }
        privateData.putInto(out);
        return out.flip();
    }

    /** Decodes a whole frame whose key, revision and lengths {@link StartFrameAssembler} has checked. */
    static StartFrame decode(Kind kind, ByteBuffer frame) {
        int flags = frame.get(FLAGS_OFFSET);
        int revision = frame.get(REVISION_OFFSET) & 0xFF;
        boolean hasWord = hasEnhancedData(frame);
        int privateDataOffset = HEADER_LENGTH + (hasWord ? EnhancedData.LENGTH : 0);
        return new StartFrame(
                kind,
                revision,
                (flags & M) != 0,
                (flags & C) != 0,
                (flags & R) != 0,
                // MPA-7.1.1-9: reserved bits are kept but ignored.
                flags & reservedMask(revision),
                // MPA-7.1.2-10: the program above gets the octets after the word, to the end given by PD_Length.
                hasWord ? EnhancedData.fromWord(frame.getInt(HEADER_LENGTH)) : null,
                PrivateData.of(frame.duplicate().position(privateDataOffset)));
    }

    /** {@return whether the header of a frame has flag S; below revision 2 that bit is reserved (RFC 5044 §7.1.1)} */
    static boolean hasEnhancedData(ByteBuffer header) {
        return (header.get(FLAGS_OFFSET) & S) != 0 && header.get(REVISION_OFFSET) == REVISION_2;
    }

    private static int reservedMask(int revision) {
        return revision < REVISION_2 ? 0x1F : 0x0F;
    }

    private int pdLength() {
        return (enhanced == null ? 0 : EnhancedData.LENGTH) + privateData.length();
    }
}
