package dev.jwarp.rdmap;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.StreamState.Event;
import dev.jwarp.rdmap.message.TerminateMessage;
import org.jspecify.annotations.Nullable;

/**
 * The state of a stream and its first failure: applies {@link StreamState#TABLE}, notifies the listener, counts. Owner
 * thread only, except {@link #state}.
 */
final class StreamLife {
    private final StreamListener listener;
    private final RdmapCounters counters;
    private volatile StreamState state = StreamState.IDLE;
    private boolean failureTold;

    StreamLife(StreamListener listener, RdmapCounters counters) {
        this.listener = listener;
        this.counters = counters;
    }

    StreamState state() {
        return state;
    }

    /** {@return whether messages flow, at least from this side} */
    boolean flowing() {
        return state == StreamState.RTS || state == StreamState.CLOSING;
    }

    boolean allows(Event event) {
        return StreamState.TABLE.next(state, event) != null;
    }

    /**
     * Changes the state without notifying the listener; the caller calls {@link #tell} later.
     *
     * @return false if the event is not allowed in this state; the refusal is counted
     */
    boolean move(Event event) {
        StreamState next = StreamState.TABLE.next(state, event);
        if (next == null) {
            counters.count(RdmapCounter.TRANSITIONS_REFUSED);
            return false;
        }
        state = next;
        return true;
    }

    void tell() {
        listener.stateChanged(state);
    }

    void moveAndTell(Event event) {
        if (move(event)) {
            tell();
        }
    }

    /** This side found an error. RFC 5040 §7.1 (4), RDMAP-7.1-3: only the first error is reported to the program. */
    void found(TerminateCode code, @Nullable TerminateMessage message) {
        counters.count(RdmapCounter.ERRORS_FOUND);
        counters.countFound(code);
        failed(code, true, message);
    }

    /** The peer sent a Terminate; null if it was malformed. */
    void told(@Nullable TerminateMessage message) {
        if (message == null) {
            counters.count(RdmapCounter.BROKEN_TERMINATES_RECEIVED);
            failed(null, false, null);
            return;
        }
        counters.count(RdmapCounter.TERMINATES_RECEIVED);
        if (message.layout() == TerminateMessage.Layout.SIW_LITTLE_ENDIAN) {
            counters.count(RdmapCounter.MIRRORED_TERMINATES_RECEIVED);
        }
        TerminateCode code = message.code();
        if (code != null) {
            counters.countTold(code);
        }
        failed(code, false, message);
    }

    private void failed(@Nullable TerminateCode code, boolean here, @Nullable TerminateMessage message) {
        if (!failureTold) {
            failureTold = true;
            listener.failed(code, here, message);
        }
    }
}
