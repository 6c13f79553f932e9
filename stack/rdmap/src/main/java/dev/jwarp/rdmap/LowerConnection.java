package dev.jwarp.rdmap;

import dev.jwarp.llp.LowerLayer;
import org.jspecify.annotations.Nullable;

/** The lower layer of a stream and its state. Owner thread only. */
final class LowerConnection {
    /** The states in order; any state may be skipped. */
    private enum State {
        ABSENT,
        OPEN,
        CLOSE_REQUESTED,
        ABORTED,
        ENDED,
        /** The stream has processed the end of the connection. */
        SETTLED
    }

    private @Nullable LowerLayer layer;
    private State state = State.ABSENT;

    private boolean reached(State some) {
        return state.compareTo(some) >= 0;
    }

    /** Moves forward only. */
    private void reach(State next) {
        if (!reached(next)) {
            state = next;
        }
    }

    void open(LowerLayer opened) {
        layer = opened;
        reach(State.OPEN);
    }

    /** {@return whether the connection is closing, aborted or ended: nothing new is sent but a Terminate} */
    boolean closing() {
        return state != State.OPEN && reached(State.CLOSE_REQUESTED);
    }

    /** {@return whether the connection is aborted or ended: the lower layer no longer reads our memory} */
    boolean gone() {
        return reached(State.ABORTED);
    }

    /** {@return whether the connection has ended} */
    boolean ended() {
        return reached(State.ENDED);
    }

    /** {@return whether the stream has processed the end of the connection} */
    boolean settled() {
        return reached(State.SETTLED);
    }

    /** Notifies the lower layer that there is something to send. */
    void doorbell() {
        LowerLayer open = layer;
        if (open != null && !gone()) {
            open.doorbell();
        }
    }

    /**
     * RFC 5040 §6.2.1, RDMAP-6.2.1-1, RDMAP-7-1, DDP-7.1-12: closes in order even after an error, so that a Terminate
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
