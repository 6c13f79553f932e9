package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Collects a Request or a Reply from a byte stream that arrives in pieces of any size, and checks it as early as
 * possible: a wrong key at its first wrong octet, a wrong revision or length when the 20 octets of the header are
 * complete. So a peer with another protocol is detected at once, and at most {@link StartFrame#MAX_LENGTH} octets are
 * stored.
 *
 * <p>Not thread-safe.
 */
public final class StartFrameAssembler {
    /** The progress of the frame. */
    public enum Progress {
        /** More octets are needed. */
        INCOMPLETE,
        /** See {@link #frame()}. */
        COMPLETE,
        /** See {@link #problem()}. */
        BROKEN
    }

    private final StartFrame.Kind kind;
    private final boolean revisionZero;
    private ByteBuffer collected = ByteBuffer.allocate(StartFrame.HEADER_LENGTH);
    private boolean headerJudged;
    private @Nullable StartFrame frame;
    private @Nullable StartFrameProblem problem;

    /** Creates an assembler for the frame expected from the peer, without revision 0. */
    public StartFrameAssembler(StartFrame.Kind expected) {
        this(expected, false);
    }

    /**
     * Creates an assembler for the frame expected from the peer.
     *
     * @param revisionZero whether to treat a frame of revision 0 as one of revision 1. RFC 5044 §7.1.1 requires to
     *     close the connection, because revision 0 is the RDMA Consortium's, whose flags and FPDUs may have another
     *     meaning; but some peers send 0 and mean 1
     */
    public StartFrameAssembler(StartFrame.Kind expected, boolean revisionZero) {
        kind = expected;
        this.revisionZero = revisionZero;
    }

    /**
     * Consumes octets from the position of {@code in}, only those of the frame: octets left in {@code in} after a
     * complete Reply belong to the first FPDU. After a Request no octet may arrive before the Reply: pass in all octets
     * that arrive until then, and they make the frame invalid.
     */
    public Progress receive(ByteBuffer in) {
        while (progress() == Progress.INCOMPLETE) {
            int wanted = collected.position() < StartFrame.KEY_LENGTH ? 1 : collected.remaining();
            int taken = Math.min(wanted, in.remaining());
            if (taken == 0) {
                break;
            }
            collected.put(collected.position(), in, in.position(), taken);
            collected.position(collected.position() + taken);
            in.position(in.position() + taken);
            judge();
        }
        if (kind == StartFrame.Kind.REQUEST && frame != null && in.hasRemaining()) {
            // RFC 5044 §7.1.2 (9), MPA-7.1.1-14: more than PD_Length says
            problem = StartFrameProblem.OCTETS_BEHIND_REQUEST;
        }
        return progress();
    }

    /**
     * The peer closed the connection.
     *
     * @return {@link Progress#BROKEN}, unless the frame is complete
     */
    public Progress endOfInput() {
        if (progress() == Progress.INCOMPLETE) {
            problem = StartFrameProblem.ENDED_EARLY;
        }
        return progress();
    }

    /** {@return whether no octet has arrived yet} */
    public boolean isEmpty() {
        return collected.position() == 0;
    }

    /** {@return the revision of the peer's frame, 0 to 255; -1 while its header is incomplete} */
    public int revision() {
        return headerJudged ? collected.get(StartFrame.REVISION_OFFSET) & 0xFF : -1;
    }

    /** {@return the progress of the frame} */
    public Progress progress() {
        if (problem != null) {
            return Progress.BROKEN;
        }
        return frame == null ? Progress.INCOMPLETE : Progress.COMPLETE;
    }

    /** {@return the frame, which must be {@link Progress#COMPLETE}} */
    public StartFrame frame() {
        if (frame == null || problem != null) {
            throw new IllegalStateException("the start-up frame is not complete");
        }
        return frame;
    }

    /** {@return the problem; null unless {@link Progress#BROKEN}} */
    public @Nullable StartFrameProblem problem() {
        return problem;
    }

    private void judge() {
        int length = collected.position();
        if (length <= StartFrame.KEY_LENGTH) {
            problem = judgeKeyOctet(length - 1);
        } else if (!headerJudged && length == StartFrame.HEADER_LENGTH) {
            headerJudged = true;
            problem = judgeHeader();
            if (problem == null) {
                int privateData = collected.getShort(StartFrame.PD_LENGTH_OFFSET);
                collected = ByteBuffer.allocate(length + privateData).put(collected.flip());
            }
        }
        if (headerJudged && problem == null && !collected.hasRemaining()) {
            frame = StartFrame.decode(kind, collected.flip());
        }
    }

    private @Nullable StartFrameProblem judgeKeyOctet(int index) {
        byte octet = collected.get(index);
        if (octet == kind.keyAt(index)) {
            return null;
        }
        if (octet != kind.other().keyAt(index)) {
            return StartFrameProblem.WRONG_KEY; // RFC 5044 §7.1.1, MPA-7.1.1-2, MPA-7.1.1-4: the key must match
        }
        // RFC 5044 §7.1.2 (8), MPA-7.1.2-8, MPA-7.1.2-2: the keys differ so that two initiators notice each other.
        return kind == StartFrame.Kind.REPLY
                ? StartFrameProblem.REQUEST_FOR_REPLY
                : StartFrameProblem.REPLY_FOR_REQUEST;
    }

    private @Nullable StartFrameProblem judgeHeader() {
        int revision = collected.get(StartFrame.REVISION_OFFSET) & 0xFF;
        int least = revisionZero ? StartFrame.REVISION_0 : StartFrame.REVISION_1;
        if (revision < least || revision > StartFrame.REVISION_2) {
            return StartFrameProblem.UNSUPPORTED_REVISION; // RFC 5044 §7.1.1, MPA-7.1.1-10; 0 is the RDMA Consortium's
        }
        int privateData = collected.getShort(StartFrame.PD_LENGTH_OFFSET) & 0xFFFF;
        if (privateData > PrivateData.MAX_LENGTH) {
            // RFC 5044 §7.1.1, MPA-7.1.1-12; judged before any of it is stored
            return StartFrameProblem.PRIVATE_DATA_TOO_LONG;
        }
        if (StartFrame.hasEnhancedData(collected) && privateData < EnhancedData.LENGTH) {
            return StartFrameProblem.MISSING_READ_DEPTHS; // RFC 6581 §6, MPA2-6-4: S announces the word
        }
        return null;
    }
}
