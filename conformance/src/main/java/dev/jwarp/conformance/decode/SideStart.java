package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.StartFrame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The startup frame with which the bytes of a side begin, and private data behind it that it does not state. */
final class SideStart {
    private static final byte[] REQUEST_KEY = StartFrame.REQUEST_KEY.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = StartFrame.REPLY_KEY.getBytes(StandardCharsets.US_ASCII);
    private static final int PD_LENGTH = 18;

    /** What the bytes begin with. */
    enum State {
        NO_KEY,
        /** A key, or the beginning of one, of a frame that is not there to its end. */
        BEGUN,
        WHOLE
    }

    /** A frame; {@code declared} is its PD_Length. */
    record Taken(boolean request, byte[] octets, int declared, StreamBuffer.Source source) {}

    private final StreamBuffer buffer;
    private final Effort effort;
    private int length;
    /** It states more private data than there may be: where it ends cannot be told from that. */
    private boolean boundless;
    /** Stream position in front of which no FPDU begins behind private data. */
    private long looked;

    SideStart(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
    }

    /** Bytes of the frame, with all private data behind it; 0 as long as it is not known. */
    int length() {
        return length;
    }

    State state() {
        if (!begins(REQUEST_KEY) && !begins(REPLY_KEY)) {
            return State.NO_KEY;
        }
        return isHeaderWhole() && buffer.available() >= stated() ? State.WHOLE : State.BEGUN;
    }

    /** True if a header is there, whatever follows it. */
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

    /** Bytes of the frame as it says, where that can be. */
    private int stated() {
        return StartFrame.HEADER + (declared() > StartFrame.MOST_PRIVATE_DATA ? 0 : declared());
    }

    /**
     * Takes the frame out of the buffer.
     *
     * @param all whether all bytes that are there are of it, whatever it states
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

    /** True if the frame states how much private data there is, and there may be so much. */
    boolean isBounded() {
        return !boundless;
    }

    /**
     * Bytes in front of the first segment with which an FPDU may begin: more private data than the frame states. 0 if there is none.
     *
     * @param certainty of what the buffer begins with
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

    /** Whether behind more bytes an FPDU may follow private data. */
    boolean mayHaveMore() {
        return buffer.available() <= (boundless ? 0xFFFF : StartFrame.MOST_PRIVATE_DATA);
    }

    /** Passes over more bytes of private data. */
    void pass(int more) {
        buffer.drop(more);
        length += more;
    }
}
