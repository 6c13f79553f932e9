package dev.jwarp.conformance.wire;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Extracts FPDUs from a stream of bytes: one direction of one connection (RFC 5044 §5.2: by their lengths). Sans-IO.
 */
public final class Deframer {
    private final Framing framing;
    private byte[] held = new byte[0];
    private long position;
    private long count;

    public Deframer(boolean markers) {
        this(markers, 0);
    }

    /** Begins {@code position} bytes after the start of a stream, at an FPDU or at the Marker before it. */
    public Deframer(boolean markers, long position) {
        this(Framing.right(markers));
        this.position = position;
        this.count = position;
    }

    /** Reads a stream from its start by the rules of its sender, right or wrong. */
    public Deframer(Framing framing) {
        this.framing = framing;
        this.count = framing.firstCount();
    }

    /** Appends the next bytes of the stream. */
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
