package dev.jwarp.conformance.wire;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Extracts FPDUs from a stream of bytes: one direction of one connection (RFC 5044 §5.2: by their lengths). Sans-IO.
 */
public final class Deframer {
    private final Framing framing;
    private final Window held = new Window();
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
        held.add(octets, 0, octets.length);
    }

    /** The next whole FPDU, or null. */
    public @Nullable Fpdu next() {
        Fpdu fpdu = framing.read(held.array(), held.start(), held.end(), position, count);
        if (fpdu != null) {
            position += fpdu.octets().length;
            count = framing.countAfter(count, fpdu);
            held.drop(fpdu.octets().length);
        }
        return fpdu;
    }

    /** Bytes that are no whole FPDU yet. */
    public byte[] rest() {
        return Arrays.copyOfRange(held.array(), held.start(), held.end());
    }
}
