package dev.jwarp.conformance.wire;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One DDP segment with its RDMAP header: a ULPDU (RFC 5041 §4, RFC 5040 §4). The class builds and parses segments.
 * Every field can be set, also to a wrong value; {@link #cut} and {@link #raw} make segments that no field can express.
 */
public final class Segment {
    /** Size in bytes of the tagged header: control, STag, TO. */
    public static final int TAGGED = 14;
    /** Size in bytes of the untagged header: control, Invalidate STag, QN, MSN, MO. */
    public static final int UNTAGGED = 18;

    private boolean tagged;
    private boolean last = true;
    private int ddpReserved;
    private int ddpVersion = 1;
    private int rdmapVersion = 1;
    private int rdmapReserved;
    private int opcode;
    private long stag;
    private long to;
    private long invalidate;
    private long queue;
    private long msn;
    private long mo;
    private byte[] payload = new byte[0];
    private byte @Nullable [] raw;

    private Segment(Opcode opcode) {
        this.opcode = opcode.number();
        tagged = opcode.tagged();
        queue = Math.max(0, opcode.queue());
    }

    public static Segment of(Opcode opcode) {
        return new Segment(opcode);
    }

    public static Segment send(long msn, byte... payload) {
        return of(Opcode.SEND).msn(msn).payload(payload);
    }

    public static Segment write(long stag, long to, byte... payload) {
        return of(Opcode.WRITE).stag(stag).to(to).payload(payload);
    }

    public static Segment readResponse(long stag, long to, byte... payload) {
        return of(Opcode.READ_RESPONSE).stag(stag).to(to).payload(payload);
    }

    /** A Read Response for the sink of a Read Request: the whole response, or one segment of it. */
    public static Segment response(Segment request, byte... payload) {
        return readResponse(request.number(0, 4), request.number(4, 8), payload);
    }

    /** RFC 5040 §4.4. */
    public static Segment readRequest(long msn, long sinkStag, long sinkTo, long size, long sourceStag, long sourceTo) {
        return of(Opcode.READ_REQUEST)
                .msn(msn)
                .payload(new Octets()
                        .u32(sinkStag)
                        .u64(sinkTo)
                        .u32(size)
                        .u32(sourceStag)
                        .u64(sourceTo)
                        .bytes());
    }

    /** RFC 5040 §4.8; {@code copied} is the length and the headers that the flags of {@code control} announce. */
    public static Segment terminate(int layer, int type, int code, int control, byte... copied) {
        return of(Opcode.TERMINATE)
                .msn(1)
                .payload(new Octets()
                        .u8((layer << 4) | type)
                        .u8(code)
                        .u8(control)
                        .u8(0)
                        .add(copied)
                        .bytes());
    }

    /** A segment of exactly these bytes, whatever they mean. */
    public static Segment raw(byte... octets) {
        Segment segment = new Segment(Opcode.SEND);
        segment.raw = octets.clone();
        return segment;
    }

    /** Parses a ULPDU; the caller has checked {@link #whole}. */
    public static Segment parse(byte[] ulpdu) {
        Segment segment = new Segment(Opcode.SEND);
        int first = ulpdu[0] & 0xFF;
        int second = ulpdu[1] & 0xFF;
        segment.tagged = (first & 0x80) != 0;
        segment.last = (first & 0x40) != 0;
        segment.ddpReserved = (first >> 2) & 0xF;
        segment.ddpVersion = first & 3;
        segment.rdmapVersion = second >> 6;
        segment.rdmapReserved = (second >> 4) & 3;
        segment.opcode = second & 0xF;
        if (segment.tagged) {
            segment.stag = Octets.number(ulpdu, 2, 4);
            segment.to = Octets.number(ulpdu, 6, 8);
            segment.queue = 0;
        } else {
            segment.invalidate = Octets.number(ulpdu, 2, 4);
            segment.queue = Octets.number(ulpdu, 6, 4);
            segment.msn = Octets.number(ulpdu, 10, 4);
            segment.mo = Octets.number(ulpdu, 14, 4);
        }
        segment.payload = Arrays.copyOfRange(ulpdu, segment.tagged ? TAGGED : UNTAGGED, ulpdu.length);
        return segment;
    }

    /** True if the bytes hold the DDP header that their T bit announces. */
    public static boolean whole(byte[] ulpdu) {
        return ulpdu.length >= 2 && ulpdu.length >= ((ulpdu[0] & 0x80) != 0 ? TAGGED : UNTAGGED);
    }

    public byte[] bytes() {
        return raw != null ? raw.clone() : head().add(payload).bytes();
    }

    private Octets head() {
        Octets out = new Octets()
                .u8((tagged ? 0x80 : 0) | (last ? 0x40 : 0) | (ddpReserved << 2) | ddpVersion)
                .u8((rdmapVersion << 6) | (rdmapReserved << 4) | opcode);
        return tagged
                ? out.u32(stag).u64(to)
                : out.u32(invalidate).u32(queue).u32(msn).u32(mo);
    }

    /** A copy without the payload. */
    Segment header() {
        return parse(head().bytes());
    }

    /** The same segment, cut or zero-filled to {@code length} bytes. */
    public Segment cut(int length) {
        return raw(Arrays.copyOf(bytes(), length));
    }

    public Segment tagged(boolean value) {
        tagged = value;
        return this;
    }

    public Segment last(boolean value) {
        last = value;
        return this;
    }

    public Segment ddpReserved(int value) {
        ddpReserved = value;
        return this;
    }

    public Segment ddpVersion(int value) {
        ddpVersion = value;
        return this;
    }

    public Segment rdmapVersion(int value) {
        rdmapVersion = value;
        return this;
    }

    public Segment rdmapReserved(int value) {
        rdmapReserved = value;
        return this;
    }

    public Segment opcode(int value) {
        opcode = value;
        return this;
    }

    public Segment stag(long value) {
        stag = value;
        return this;
    }

    public Segment to(long value) {
        to = value;
        return this;
    }

    public Segment invalidate(long value) {
        invalidate = value;
        return this;
    }

    public Segment queue(long value) {
        queue = value;
        return this;
    }

    public Segment msn(long value) {
        msn = value;
        return this;
    }

    public Segment mo(long value) {
        mo = value;
        return this;
    }

    public Segment payload(byte... value) {
        payload = value.clone();
        return this;
    }

    public boolean tagged() {
        return tagged;
    }

    public boolean last() {
        return last;
    }

    public int ddpReserved() {
        return ddpReserved;
    }

    public int ddpVersion() {
        return ddpVersion;
    }

    public int rdmapVersion() {
        return rdmapVersion;
    }

    public int rdmapReserved() {
        return rdmapReserved;
    }

    public int opcodeNumber() {
        return opcode;
    }

    /** The opcode; null if the number is not assigned. */
    public @Nullable Opcode opcode() {
        return Opcode.of(opcode);
    }

    public boolean is(Opcode wanted) {
        return opcode == wanted.number() && tagged == wanted.tagged();
    }

    public long stag() {
        return stag;
    }

    public long to() {
        return to;
    }

    public long invalidate() {
        return invalidate;
    }

    public long queue() {
        return queue;
    }

    public long msn() {
        return msn;
    }

    public long mo() {
        return mo;
    }

    /** The bytes after the DDP header, including the header of RDMAP. */
    public byte[] payload() {
        return payload.clone();
    }

    /** {@code count} bytes of the payload as one number. */
    public long number(int at, int count) {
        return Octets.number(payload, at, count);
    }

    @Override
    public String toString() {
        return WireFields.line(bytes());
    }
}
