package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Collects a Request or a Reply from a byte stream that comes in pieces of any size, and judges it as early as it can: a
 * wrong key at its first wrong octet, a wrong revision or length when the 20 octets of the header are there. So a peer
 * that speaks something else is found at once, and never more than {@link StartFrame#MAX_LENGTH} octets are kept.
 *
 * <p>Not thread-safe.
 */
public final class StartFrameAssembler {
    /** How far the frame is. */
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

    /** An assembler for the frame that is expected from the peer. */
    public StartFrameAssembler(StartFrame.Kind expected) {
        this(expected, false);
    }

    /**
     * An assembler for the frame that is expected from the peer.
     *
     * @param revisionZero whether to take a frame of revision 0 for one of revision 1: RFC 5044 §7.1.1 has it closed on, as it is the RDMA
     *     Consortium's, whose flags and FPDUs may mean something else; but there are peers that say 0 and mean 1
     */
    public StartFrameAssembler(StartFrame.Kind expected, boolean revisionZero) {
        kind = expected;
        this.revisionZero = revisionZero;
    }

    /**
     * Takes octets from the position of {@code in} on, no more than belong to the frame: what is left in {@code in}
     * behind a complete Reply belongs to what comes next. Behind a Request nothing may come before it is answered: pass
     * in whatever arrives until then, and it breaks the frame.
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
     * Tells that the peer closed the connection.
     *
     * @return {@link Progress#BROKEN}, unless the frame is complete
     */
    public Progress endOfInput() {
        if (progress() == Progress.INCOMPLETE) {
            problem = StartFrameProblem.ENDED_EARLY;
        }
        return progress();
    }

    /** {@return whether no octet has come yet} */
    public boolean isEmpty() {
        return collected.position() == 0;
    }

    /** {@return the revision that the peer's frame says, 0 to 255; -1 while its header is not all there} */
    public int revision() {
        return headerJudged ? collected.get(StartFrame.REVISION_OFFSET) & 0xFF : -1;
    }

    /** {@return how far the frame is} */
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

    /** {@return what is wrong; null unless {@link Progress#BROKEN}} */
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
            return StartFrameProblem.MISSING_READ_DEPTHS; // RFC 6581 §6, MPA2-6-4: S says that the word is there
        }
        return null;
    }
}
