package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A datagram of datagram-iWARP, taken apart as far as it goes (docs/datagram-iwarp.md §4).
 *
 * @param octets all of it
 * @param extension octets of cookie, or of PSN, Ack and Window and what else is there, behind the shim
 * @param segment the DDP segment of a DATA without its pad; null in other Kinds, and where it does not fit
 * @param pad octets of pad behind the payload
 */
public record DatagramFields(
        byte[] octets, int extension, @Nullable Segment segment, int pad) {
    static final int SHIM = 24;
    static final int CRC = 4;
    static final int SHORTEST = SHIM + CRC;
    /** Of an envelope: where the rest of the datagram within begins, and the octets of the tag. */
    static final int REST = 52;

    static final int TAG = 16;
    /** Octets of the extension of an RD-PART. */
    static final int PART = 16;

    static final int FLAG_R = 0x01;
    static final int FLAG_C = 0x02;
    static final int FLAG_D = 0x04;
    static final int FLAG_G = 0x08;
    static final int FLAG_A = 0x10;
    static final int FLAG_P = 0x20;

    /** The Kinds of §4.4. */
    public enum Kind {
        DATA("DATA"),
        NOTIFY("NOTIFY"),
        CHALLENGE("CHALLENGE"),
        RESOLVE("RESOLVE"),
        RESOLVED("RESOLVED"),
        RD_OPEN("RD-OPEN"),
        RD_ACCEPT("RD-ACCEPT"),
        RD_ACK("RD-ACK"),
        RD_RESET("RD-RESET"),
        SEALED("envelope"),
        RD_SACK("RD-SACK"),
        PATH_PROBE("PATH-PROBE"),
        PATH_REPLY("PATH-REPLY"),
        RD_PART("RD-PART"),
        VERSION_LIST("VERSION LIST");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        /** As in the document. */
        public String words() {
            return words;
        }
    }

    /** By their numbers, which begin with 0. */
    private static final List<@Nullable Kind> KINDS = Arrays.asList(
            Kind.DATA,
            Kind.NOTIFY,
            Kind.CHALLENGE,
            Kind.RESOLVE,
            Kind.RESOLVED,
            Kind.RD_OPEN,
            Kind.RD_ACCEPT,
            Kind.RD_ACK,
            Kind.RD_RESET,
            Kind.SEALED,
            Kind.RD_SACK,
            Kind.PATH_PROBE,
            Kind.PATH_REPLY,
            Kind.RD_PART);

    /** §4.5: the length that a datagram states of itself; 0 if it states none. */
    int statedLength() {
        Kind kind = kind();
        if (kind == null) {
            return 0;
        }
        long length =
                switch (kind) {
                    case DATA -> dataLength();
                    case RESOLVE -> 288;
                    case VERSION_LIST -> SHORTEST;
                    case SEALED -> number(30, 2);
                    case RD_PART -> SHORTEST + PART + number(34, 2);
                    default -> SHORTEST + extension + messageLength();
                };
        return length > octets.length ? 0 : (int) length;
    }

    private long dataLength() {
        if (octets.length <= body()) {
            return 0;
        }
        long size = segmentSize();
        long left = messageLength() - segmentIndex() * size;
        long room = left > size || has(FLAG_P) ? size : Math.max(0, left);
        return body() + ((octets[body()] & 0x80) != 0 ? Segment.TAGGED : Segment.UNTAGGED) + room + CRC;
    }

    /** Takes it apart; null if it is too short for the shim. */
    static @Nullable DatagramFields parse(byte[] octets) {
        if (octets.length < SHORTEST) {
            return null;
        }
        DatagramFields bare = new DatagramFields(octets, 0, null, 0);
        int extension = bare.kind() == Kind.SEALED
                ? 0
                : bare.kind() == Kind.RD_PART
                        ? PART
                        : bare.has(FLAG_C) ? 16 : bare.kind() == Kind.DATA && bare.has(FLAG_D) ? 12 : 0;
        if (octets.length < SHORTEST + extension) {
            return bare;
        }
        if (bare.kind() != Kind.DATA) {
            return new DatagramFields(octets, extension, null, 0);
        }
        byte[] behind = Arrays.copyOfRange(octets, SHIM + extension, octets.length - CRC);
        if (!Segment.whole(behind)) {
            return new DatagramFields(octets, extension, null, 0);
        }
        int room = behind.length - ((behind[0] & 0x80) != 0 ? Segment.TAGGED : Segment.UNTAGGED);
        // §4.5: what the message leaves for this segment; the rest is pad.
        long left = Math.max(0, bare.messageLength() - (long) bare.segmentIndex() * bare.segmentSize());
        int pad = bare.has(FLAG_P) ? (int) Math.max(0, room - Math.min(left, bare.segmentSize())) : 0;
        Segment segment = Segment.parse(Arrays.copyOf(behind, behind.length - pad));
        return new DatagramFields(octets, extension, segment, pad);
    }

    /** §4.8: the datagram in an envelope, with a CRC of its own; null if this is none, or too short. */
    @Nullable
    DatagramFields within() {
        int end = octets.length - CRC - TAG;
        if (kind() != Kind.SEALED || end < REST) {
            return null;
        }
        byte[] bare = new Octets()
                .u8(octets[28])
                .add(Arrays.copyOfRange(octets, 1, SHIM))
                .add(Arrays.copyOfRange(octets, REST, end))
                .bytes();
        return parse(new Octets()
                .add(bare)
                .add(Framer.crcOnTheWire(bare, 0, bare.length))
                .bytes());
    }

    /** True if version, Kind and CRC are right: on any port it is a datagram of this protocol. */
    boolean looksRight() {
        return kind() != null && (octets[4] & 0xC0) == 0 && crcGood();
    }

    public int version() {
        return octets[0] >> 4 & 0xF;
    }

    /** Null if the number is not assigned. */
    public @Nullable Kind kind() {
        int number = octets[0] & 0xF;
        if (version() == 0 && number == 15) {
            return Kind.VERSION_LIST;
        }
        return version() == 1 && number < KINDS.size() ? KINDS.get(number) : null;
    }

    public int targetQpn() {
        return (int) number(1, 3);
    }

    public int flags() {
        return octets[4] & 0xFF;
    }

    public boolean has(int flag) {
        return (flags() & flag) != 0;
    }

    /** The letters of the flags, as the document writes them. */
    public String flagLetters() {
        StringBuilder letters = new StringBuilder();
        String all = "RCDGAP";
        for (int i = 0; i < all.length(); i++) {
            if (has(1 << i)) {
                letters.append(all.charAt(i));
            }
        }
        return letters.toString();
    }

    public int sourceQpn() {
        return (int) number(5, 3);
    }

    public long key() {
        return number(8, 4);
    }

    public long messageId() {
        return number(12, 4);
    }

    public long messageLength() {
        return number(16, 4);
    }

    public int segmentIndex() {
        return (int) number(20, 2);
    }

    public int segmentSize() {
        return (int) number(22, 2);
    }

    public boolean crcGood() {
        int end = octets.length - CRC;
        return Arrays.equals(octets, end, octets.length, Framer.crcOnTheWire(octets, 0, end), 0, CRC);
    }

    /** Where the body begins: behind shim and extension. */
    int body() {
        return SHIM + extension;
    }

    /** Octets between shim, extension and CRC. */
    int bodyLength() {
        return octets.length - CRC - body();
    }

    /** A number of the datagram; 0 where it is too short. */
    long number(int at, int count) {
        return at + count <= octets.length ? Octets.number(octets, at, count) : 0;
    }
}
