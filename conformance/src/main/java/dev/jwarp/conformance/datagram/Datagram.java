package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One datagram (datagram-iWARP §4) with any bytes. The fields of the shim have names; all others have the offsets of
 * the document, from byte 0 of the datagram. Immutable: each change makes another datagram. The CRC is computed when
 * the datagram is sent.
 */
public final class Datagram {
    public static final int R = 0x01;
    public static final int C = 0x02;
    public static final int D = 0x04;
    public static final int G = 0x08;
    public static final int A = 0x10;
    public static final int P = 0x20;

    /** Size of the shim in bytes. */
    public static final int SHIM = 24;
    /** Size of the CRC in bytes. */
    public static final int CRC = 4;

    public static final int SHORTEST = SHIM + CRC;

    static final int COOKIE = 16;
    static final int CHANNEL = 12;

    private static final String LETTERS = "RCDGAP";
    public static final int RESOLVER = 1;
    public static final long RESOLVER_KEY = 0x80010000L;
    /** The QPN of groups. */
    public static final int GROUP = 0xFFFFFF;

    /** All bytes except the CRC. */
    private final byte[] octets;

    private Datagram(byte[] octets) {
        this.octets = octets;
    }

    /** A datagram of version 1 and this Kind with this body, all other fields 0. */
    public static Datagram of(Kind kind, byte... body) {
        int version = kind == Kind.VERSION_LIST ? 0 : 1;
        Datagram shim = new Datagram(new byte[SHIM]).put(0, 1, (version << 4) | kind.number);
        return shim.flags(kind.must).afterShim(0, body);
    }

    /** A received datagram, or any bytes. The last four bytes count as the CRC. */
    public static Datagram parse(byte[] all) {
        return new Datagram(Arrays.copyOf(all, Math.max(0, all.length - CRC)));
    }

    /** True if the last four bytes are the CRC32C of all before them, least significant byte first (§4.1). */
    public static boolean crcGood(byte[] all) {
        int at = all.length - CRC;
        return at >= 0 && Arrays.equals(Arrays.copyOfRange(all, at, all.length), Framer.crcOnTheWire(all, 0, at));
    }

    /** The bytes of the datagram, with a right CRC. */
    public byte[] bytes() {
        return new Octets()
                .add(octets)
                .add(Framer.crcOnTheWire(octets, 0, octets.length))
                .bytes();
    }

    /** Bytes of the datagram on the wire. */
    public int size() {
        return octets.length + CRC;
    }

    /** The number in these bytes. */
    public long get(int at, int count) {
        return Octets.number(octets, at, count);
    }

    /** The number in these bytes; 0 if the datagram is too short. */
    public long number(int at, int count) {
        return at + count <= octets.length ? get(at, count) : 0;
    }

    /** A copy of these bytes; fewer if there are fewer. */
    public byte[] slice(int from, int to) {
        int end = Math.min(to, octets.length);
        return Arrays.copyOfRange(octets, Math.min(from, end), end);
    }

    /** The same datagram with this number in these bytes. */
    public Datagram put(int at, int count, long value) {
        byte[] changed = octets.clone();
        for (int i = 0; i < count; i++) {
            changed[at + i] = (byte) (value >>> (8 * (count - 1 - i)));
        }
        return new Datagram(changed);
    }

    /** The same datagram, cut or zero-filled before the CRC to so many bytes with the CRC. */
    public Datagram resized(int length) {
        return new Datagram(Arrays.copyOf(octets, length - CRC));
    }

    /** The same datagram with these bytes after the shim, in place of so many bytes there. The flags stay as they are. */
    Datagram afterShim(int replaced, byte... by) {
        byte[] rest = slice(SHIM + replaced, octets.length);
        return new Datagram(new Octets().add(slice(0, SHIM)).add(by).add(rest).bytes());
    }

    /** The same datagram with this cookie; an earlier cookie is replaced. */
    public Datagram cookie(byte[] cookie) {
        Datagram with = afterShim(has(C) ? COOKIE : 0, cookie).and(C);
        // A RESOLVE keeps its length: its pad becomes shorter (§4.4).
        return with.kind() == Kind.RESOLVE ? with.resized(288) : with;
    }

    public Datagram version(int value) {
        return put(0, 1, ((long) value << 4) | (get(0, 1) & 0xF));
    }

    public Datagram kind(int number) {
        return put(0, 1, (get(0, 1) & 0xF0) | number);
    }

    /** The same datagram for this Destination QPN. */
    public Datagram to(int queuePair) {
        return put(1, 3, queuePair);
    }

    /** The same datagram from a resolver to a resolver. */
    Datagram ofResolvers() {
        return to(RESOLVER).from(RESOLVER).key(RESOLVER_KEY);
    }

    public Datagram flags(int value) {
        return put(4, 1, value);
    }

    /** The same datagram with these flags added. */
    public Datagram and(int more) {
        return flags(flags() | more);
    }

    /** The same datagram without these flags. */
    public Datagram without(int less) {
        return flags(flags() & ~less);
    }

    /** The same datagram from this Source QPN. */
    public Datagram from(int queuePair) {
        return put(5, 3, queuePair);
    }

    public Datagram key(long value) {
        return put(8, 4, value);
    }

    public Datagram id(long value) {
        return put(12, 4, value);
    }

    public Datagram length(long value) {
        return put(16, 4, value);
    }

    public Datagram index(int value) {
        return put(20, 2, value);
    }

    public Datagram segmentSize(int value) {
        return put(22, 2, value);
    }

    public int version() {
        return (int) get(0, 1) >> 4;
    }

    public Kind kind() {
        return Kind.of(version(), (int) get(0, 1) & 0xF);
    }

    /** Whether the datagram is of a Kind of version 1, or a VERSION LIST. */
    public boolean known() {
        return kind() != Kind.UNKNOWN && (version() == 1 || is(Kind.VERSION_LIST));
    }

    public boolean is(Kind wanted) {
        return kind() == wanted;
    }

    public int to() {
        return (int) get(1, 3);
    }

    public int flags() {
        return (int) get(4, 1);
    }

    /** The letters of the flags, as the document writes them. */
    public String flagLetters() {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < LETTERS.length(); i++) {
            letters.append(has(1 << i) ? LETTERS.substring(i, i + 1) : "");
        }
        return letters.toString();
    }

    public boolean has(int flag) {
        return (flags() & flag) != 0;
    }

    public int from() {
        return (int) get(5, 3);
    }

    public long key() {
        return get(8, 4);
    }

    public long id() {
        return get(12, 4);
    }

    public long length() {
        return get(16, 4);
    }

    public int index() {
        return (int) get(20, 2);
    }

    public int segmentSize() {
        return (int) get(22, 2);
    }

    /** Size of the extension after the shim: a cookie, or the fields of a channel. */
    public int extension() {
        return switch (kind()) {
            case SEALED -> 0;
            case DATA -> (has(C) ? COOKIE : 0) + (has(D) ? CHANNEL : 0);
            default -> has(C) ? COOKIE : 0;
        };
    }

    /** The offset of the body: after the shim and the extension. */
    public int body() {
        return SHIM + extension();
    }

    /** §4.5: the length that the datagram states; 0 if it states none, or more than it has. */
    public int statedLength() {
        if (!known()) {
            return 0;
        }
        long length =
                switch (kind()) {
                    case DATA -> octets.length <= body() ? 0 : body() + header() + room() + CRC;
                    case RESOLVE -> 288;
                    case VERSION_LIST -> SHORTEST;
                    case SEALED -> number(Envelopes.LENGTH, 2);
                    default -> SHORTEST + extension() + length();
                };
        return length > size() ? 0 : (int) length;
    }

    /** Bytes of the DDP header of DATA, by its T bit. */
    private int header() {
        return (number(body(), 1) & 0x80) != 0 ? Segment.TAGGED : Segment.UNTAGGED;
    }

    /** Bytes after the DDP header, as the shim states them. */
    private int room() {
        long left = length() - (long) index() * segmentSize();
        return left > segmentSize() || has(P) ? segmentSize() : (int) Math.max(0, left);
    }

    /** Size of the pad after the payload of DATA. */
    public int pad() {
        int room = octets.length - body() - header();
        return is(Kind.DATA) && has(P) && room >= 0 ? Math.max(0, room - payloadLength()) : 0;
    }

    /**
     * The DDP segment of DATA without pad, even if the stated length is wrong; null for other Kinds, and without a
     * whole header.
     */
    public @Nullable Segment ddp() {
        byte[] ddp = slice(body(), octets.length - pad());
        return is(Kind.DATA) && Segment.whole(ddp) ? Segment.parse(ddp) : null;
    }

    /**
     * §K.3: the datagram in an envelope, which is not checked; null if this is no envelope, too short, or encrypted.
     */
    public @Nullable Datagram within() {
        return isEnvelope() && get(Envelopes.ALGORITHM, 1) != Envelopes.AES_128_GCM
                ? Envelopes.within(slice(0, octets.length - Envelopes.TAG))
                : null;
    }

    /** {@return whether this is an envelope with room for a shim within} */
    public boolean isEnvelope() {
        return is(Kind.SEALED) && size() >= Envelopes.SHORTEST;
    }

    /** Size of the payload of this segment of DATA: the rest of the message, at most S (§4.5). */
    public int payloadLength() {
        return (int) Math.max(0, Math.min(segmentSize(), length() - (long) index() * segmentSize()));
    }

    /** The DDP segment of DATA, without pad. */
    public Segment segment() {
        return Segment.parse(slice(body(), body() + header() + payloadLength()));
    }

    /** Whether this is DATA of this RDMAP opcode. */
    public boolean carries(int opcode) {
        return is(Kind.DATA) && octets.length >= body() + Segment.TAGGED && (get(body() + 1, 1) & 0xF) == opcode;
    }

    @Override
    public String toString() {
        return Words.line(bytes());
    }
}
