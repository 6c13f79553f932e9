package dev.jwarp.conformance.wire;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Takes FPDUs out of a stream of bytes, one direction of one connection (RFC 5044 §5.2: by their lengths). Sans-IO. */
public final class Deframer {
    private final Framing framing;
    private byte[] held = new byte[0];
    private long position;
    private long count;

    public Deframer(boolean markers) {
        this(markers, 0);
    }

    /** Takes up a stream {@code position} bytes behind its start, where an FPDU, or the Marker before it, begins. */
    public Deframer(boolean markers, long position) {
        this(Framing.right(markers));
        this.position = position;
        this.count = position;
    }

    /** Reads a stream from its start as its sender frames it, rightly or not. */
    public Deframer(Framing framing) {
        this.framing = framing;
        this.count = framing.firstCount();
    }

    /** Takes the next bytes of the stream. */
    public void add(byte[] octets) {
        byte[] more = Arrays.copyOf(held, held.length + octets.length);
        System.arraycopy(octets, 0, more, held.length, octets.length);
        held = more;
    }

    /** The next whole FPDU, or null. */
    public @Nullable Fpdu next() {
        Fpdu fpdu = framing.read(held, 0, held.length, position, count);
        if (fpdu != null) {
            position += fpdu.octets().length;
            count = framing.countAfter(count, fpdu);
            held = Arrays.copyOfRange(held, fpdu.octets().length, held.length);
        }
        return fpdu;
    }

    /** Bytes that are no whole FPDU yet. */
    public byte[] rest() {
        return held.clone();
    }
}
