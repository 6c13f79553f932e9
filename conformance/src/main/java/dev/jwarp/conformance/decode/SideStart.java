package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.StartFrame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The startup frame at the beginning of a side's bytes, and private data after it beyond the stated length. */
final class SideStart {
    private static final byte[] REQUEST_KEY = StartFrame.REQUEST_KEY.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = StartFrame.REPLY_KEY.getBytes(StandardCharsets.US_ASCII);
    private static final int PD_LENGTH = 18;

    /** The kind of the first bytes. */
    enum State {
        NO_KEY,
        /** A key, or the beginning of one, of a frame that is not complete. */
        BEGUN,
        WHOLE
    }

    /** A frame; {@code declared} is its PD_Length. */
    record Taken(boolean request, byte[] octets, int declared, StreamBuffer.Source source) {}

    private final StreamBuffer buffer;
    private final Effort effort;
    private int length;
    /** The frame states more private data than allowed: its end cannot be computed. */
    private boolean boundless;
    /** No FPDU begins before this stream position, after private data. */
    private long looked;

    SideStart(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
    }

    /** Size of the frame with all private data after it; 0 while it is not known. */
    int length() {
        return length;
    }

    State state() {
        if (!begins(REQUEST_KEY) && !begins(REPLY_KEY)) {
            return State.NO_KEY;
        }
        return isHeaderWhole() && buffer.available() >= stated() ? State.WHOLE : State.BEGUN;
    }

    /** True if the header is complete. */
    boolean isHeaderWhole() {
        return buffer.available() >= StartFrame.HEADER && (begins(REQUEST_KEY) || begins(REPLY_KEY));
    }

    private boolean begins(byte[] key) {
        int start = buffer.start();
        int compared = Math.min(key.length, buffer.available());
        return Arrays.equals(key, 0, compared, buffer.array(), start, start + compared);
    }

    private int declared() {
        return (int) Octets.number(buffer.array(), buffer.start() + PD_LENGTH, 2);
    }

    /** Size of the frame by its PD_Length, if that is allowed. */
    private int stated() {
        return StartFrame.HEADER + (declared() > StartFrame.MOST_PRIVATE_DATA ? 0 : declared());
    }

    /**
     * Removes the frame from the buffer.
     *
     * @param all whether all held bytes belong to the frame, whatever it states
     */
    Taken take(boolean all) {
        int declared = declared();
        boundless = declared > StartFrame.MOST_PRIVATE_DATA;
        length = all ? buffer.available() : stated();
        boolean request = begins(REQUEST_KEY);
        byte[] octets = Arrays.copyOfRange(buffer.array(), buffer.start(), buffer.start() + length);
        Taken taken = new Taken(request, octets, declared, buffer.source(length));
        buffer.drop(length);
        return taken;
    }

    /** True if the frame states an allowed length of private data. */
    boolean isBounded() {
        return !boundless;
    }

    /**
     * Bytes before the first segment that may begin with an FPDU: more private data than the frame states. 0 if there
     * are none.
     *
     * @param certainty judges the start of the buffer
     */
    int morePrivateData(Certainty certainty) {
        int from = (int) Math.max(1, looked - buffer.position());
        for (int at = buffer.nextFrame(from); at < buffer.available(); at = buffer.nextFrame(at + 1)) {
            effort.spend(1);
            if (certainty.isFirstLikely(at)) {
                return at;
            }
            if (buffer.available() - at >= Certainty.MARKED_HEADERS) {
                looked = buffer.position() + at + 1;
            }
        }
        return 0;
    }

    /** Whether an FPDU may follow private data after more bytes. */
    boolean mayHaveMore() {
        return buffer.available() <= (boundless ? 0xFFFF : StartFrame.MOST_PRIVATE_DATA);
    }

    /** Skips more bytes of private data. */
    void pass(int more) {
        buffer.drop(more);
        length += more;
    }
}
