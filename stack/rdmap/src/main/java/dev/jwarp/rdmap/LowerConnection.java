package dev.jwarp.rdmap;

import dev.jwarp.llp.LowerLayer;
import org.jspecify.annotations.Nullable;

/** The lower layer of a stream, and how far its life has come. Owner thread only. */
final class LowerConnection {
    /** In the order in which they are passed through; any may be left out. */
    private enum State {
        ABSENT,
        OPEN,
        CLOSE_REQUESTED,
        ABORTED,
        ENDED,
        /** All that follows from its end is done. */
        SETTLED
    }

    private @Nullable LowerLayer layer;
    private State state = State.ABSENT;

    private boolean reached(State some) {
        return state.compareTo(some) >= 0;
    }

    /** Goes forward only. */
    private void reach(State next) {
        if (!reached(next)) {
            state = next;
        }
    }

    void open(LowerLayer opened) {
        layer = opened;
        reach(State.OPEN);
    }

    /** {@return whether it was told to close or to abort, or is over: nothing new is sent but a Terminate} */
    boolean closing() {
        return state != State.OPEN && reached(State.CLOSE_REQUESTED);
    }

    /** {@return whether it was told to abort, or is over: it reads no memory of ours any more} */
    boolean gone() {
        return reached(State.ABORTED);
    }

    /** {@return whether it is over} */
    boolean ended() {
        return reached(State.ENDED);
    }

    /** {@return whether all that follows from its end is done} */
    boolean settled() {
        return reached(State.SETTLED);
    }

    /** Says that there is something to send. */
    void doorbell() {
        LowerLayer open = layer;
        if (open != null && !gone()) {
            open.doorbell();
        }
    }

    /**
     * RFC 5040 §6.2.1, RDMAP-6.2.1-1, RDMAP-7-1, DDP-7.1-12: ends in order even after an error, so that a Terminate
     * arrives.
     */
    void close() {
        reach(State.CLOSE_REQUESTED);
        LowerLayer open = layer;
        if (open != null && !gone()) {
            open.close();
            open.doorbell();
        }
    }

    void abort() {
        LowerLayer open = layer;
        if (open != null && !gone()) {
            reach(State.ABORTED);
            open.abort();
        }
    }

    void end() {
        reach(State.ENDED);
    }

    void settle() {
        reach(State.SETTLED);
    }
}
