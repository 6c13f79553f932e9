package dev.jwarp.conformance.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes FPDUs out of a stream of octets, one direction of one connection (RFC 5044 §5.2: by their lengths). Sans-IO. */
public final class Deframer {
    private final boolean markers;
    private byte[] held = new byte[0];
    private long position;

    public Deframer(boolean markers) {
        this(markers, 0);
    }

    /** Takes up a stream {@code position} octets behind its start, where an FPDU, or the Marker before it, begins. */
    public Deframer(boolean markers, long position) {
        this.markers = markers;
        this.position = position;
    }

    /** Takes the next octets of the stream. */
    public void add(byte[] octets) {
        byte[] more = Arrays.copyOf(held, held.length + octets.length);
        System.arraycopy(octets, 0, more, held.length, octets.length);
        held = more;
    }

    /** The next whole FPDU, or null. */
    public @Nullable Fpdu next() {
        Walk walk = new Walk();
        byte[] length = walk.word(true);
        if (length == null) {
            return null;
        }
        int size = (int) Octets.number(length, 0, 2);
        int pad = -(2 + size) & 3;
        Octets body = new Octets().add(length);
        while (body.size() < 2 + size + pad) {
            byte[] word = walk.word(false);
            if (word == null) {
                return null;
            }
            body.add(word);
        }
        byte[] crc = walk.word(false);
        if (crc == null) {
            return null;
        }
        byte[] octets = Arrays.copyOf(held, walk.at);
        byte[] words = body.bytes();
        Fpdu fpdu = new Fpdu(
                octets,
                position,
                Arrays.copyOfRange(words, 2, 2 + size),
                Arrays.copyOfRange(words, 2 + size, words.length),
                List.copyOf(walk.markers),
                Arrays.equals(crc, Framer.crcOnTheWire(octets, 0, octets.length - 4)));
        position += octets.length;
        held = Arrays.copyOfRange(held, octets.length, held.length);
        return fpdu;
    }

    /** Octets that are no whole FPDU yet. */
    public byte[] rest() {
        return held.clone();
    }

    /** Goes over the held octets in words of four: everything but Markers stands on them. */
    private final class Walk {
        private final List<Fpdu.Marker> markers = new ArrayList<>();
        private int at;
        private int start = -1;

        byte @Nullable [] word(boolean first) {
            int before = at;
            if (Deframer.this.markers && (position + at) % Framer.INTERVAL == 0) {
                if (held.length < at + 8) {
                    return null;
                }
                int expected = start < 0 ? 0 : at - start;
                markers.add(new Fpdu.Marker(
                        position + at,
                        (int) Octets.number(held, at, 2),
                        (int) Octets.number(held, at + 2, 2),
                        expected & 0xFFFF));
                at += 4;
            }
            if (held.length < at + 4) {
                at = before;
                return null;
            }
            if (first) {
                start = at;
            }
            at += 4;
            return Arrays.copyOfRange(held, at - 4, at);
        }
    }
}
