package dev.jwarp.rnic.core;

import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.verbs.AsyncEventType;
import org.jspecify.annotations.Nullable;

/** What a failed stream is called: a sentence for people, an event for programs. */
public final class StreamFailures {
    private static final int LOWER_LAYER = 2;
    private static final int PROTECTION_ERROR = 1;

    private StreamFailures() {}

    /** {@return what is said when this side failed in the middle of something} */
    public static String fault(Throwable cause) {
        return "This side failed: " + cause + ".";
    }

    public static String lost(LlpEnd how) {
        return how == LlpEnd.ABORTED
                ? "This side aborted the connection."
                : "The connection was lost: " + how.sentence() + ".";
    }

    /** {@return what is said of an end in which RDMA Reads or Atomics of this side got no answer} */
    public static String unanswered() {
        return "The peer closed the connection before it had answered what this side asked of it. A process that was"
                + " killed ends like this too.";
    }

    /**
     * {@return what happened}
     *
     * @param how the connection ended, if that is what happened
     */
    public static String sentence(
            @Nullable TerminateCode code, boolean foundHere, @Nullable TerminateMessage message, @Nullable LlpEnd how) {
        if (code == TerminateCode.MPA_CONNECTION_LOST && how != null) {
            return lost(how);
        }
        if (foundHere) {
            if (code == null) {
                return "This side ended the stream.";
            }
            return code.ofSender()
                    ? "This side failed, and sent a Terminate (" + code.triple() + ", " + code.source()
                            + "): a work request that is neither a success nor flushed says why."
                    : "This side refused what the peer sent: " + text(code) + ".";
        }
        if (code == null) {
            return "The peer sent a Terminate with a code that no RFC defines"
                    + (message == null ? "." : ": " + message + ".");
        }
        return "The peer sent a Terminate: " + text(code) + ".";
    }

    private static String text(TerminateCode code) {
        return code.sentence() + " (" + code.triple() + ", " + code.source() + ")";
    }

    public static AsyncEventType eventType(@Nullable TerminateCode code, boolean foundHere) {
        if (!foundHere || code == null || code.layer() == LOWER_LAYER || code.ofSender()) {
            return AsyncEventType.QP_FATAL;
        }
        return code.errorType() == PROTECTION_ERROR ? AsyncEventType.QP_ACCESS_ERR : AsyncEventType.QP_REQ_ERR;
    }
}
