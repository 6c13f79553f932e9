package dev.jwarp.conformance.capture;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The bytes of the file, counted so that an error can name the place. */
final class Input {
    /**
     * Limit of a frame's length; a longer length is damage. The limit of Wireshark is 256 KiB; some link types allow
     * 128 MiB, which is never used.
     */
    static final int MOST = 16 << 20;

    private static final int PIECE = 8192;

    private final InputStream in;
    private long position;

    Input(InputStream in) {
        this.in = in;
    }

    long position() {
        return position;
    }

    /** The next bytes; null at the end of the file. Throws an exception if the file ends in the middle of them. */
    byte @Nullable [] next(int length, String what) throws IOException {
        byte[] octets = some(length);
        return octets.length == 0 && length > 0 ? null : whole(octets, length, what);
    }

    /** The next bytes; throws an exception if the file has no more. */
    byte[] exactly(int length, String what) throws IOException {
        return whole(some(length), length, what);
    }

    /** The next bytes, as many as the file still has. */
    byte[] some(int length) throws IOException {
        byte[] octets = in.readNBytes(length);
        position += octets.length;
        return octets;
    }

    void skip(long length, String what) throws IOException {
        for (long left = length; left > 0; left -= PIECE) {
            exactly((int) Math.min(left, PIECE), what);
        }
    }

    private byte[] whole(byte[] octets, int length, String what) throws CaptureException {
        if (octets.length < length) {
            throw new CaptureException(true, "the capture ends in the middle of " + what + ", at byte " + position);
        }
        return octets;
    }
}
