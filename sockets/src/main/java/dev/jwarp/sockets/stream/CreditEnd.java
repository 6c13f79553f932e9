package dev.jwarp.sockets.stream;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The closing of a credit stream: the states of this end as one table, the state of the peer, and the result of the
 * connection. An event without a row in the table is ignored: its message was sent before, or is not needed any more.
 */
final class CreditEnd {
    /** States of this end. */
    enum State {
        /** The program may write. */
        OPEN,
        /** A FIN is to be sent after the waiting data. */
        FIN_DUE,
        FIN_SAID,
        /** A FIN with CLOSED is to be sent after the waiting data. */
        CLOSED_DUE,
        CLOSED_SAID,
        /** This end sends no FIN any more: the peer is closed, or the stream has failed. */
        SHUT
    }

    /** Events of this end. */
    enum Event {
        SHUT_DOWN,
        CLOSE,
        SAY,
        NO_USE
    }

    /** States of the peer, in this order. */
    private enum Peer {
        OPEN,
        ENDED,
        CLOSED
    }

    static final Transitions<State, Event> TABLE = new Transitions<>(
            State.class,
            Event.class,
            List.of(
                    row(State.OPEN, Event.SHUT_DOWN, State.FIN_DUE),
                    row(State.OPEN, Event.CLOSE, State.CLOSED_DUE),
                    row(State.OPEN, Event.NO_USE, State.SHUT),
                    row(State.FIN_DUE, Event.SAY, State.FIN_SAID),
                    row(State.FIN_DUE, Event.CLOSE, State.CLOSED_DUE),
                    row(State.FIN_DUE, Event.NO_USE, State.SHUT),
                    row(State.FIN_SAID, Event.CLOSE, State.CLOSED_DUE),
                    row(State.FIN_SAID, Event.NO_USE, State.SHUT),
                    row(State.CLOSED_DUE, Event.CLOSE, State.CLOSED_DUE),
                    row(State.CLOSED_DUE, Event.SAY, State.CLOSED_SAID),
                    row(State.CLOSED_DUE, Event.NO_USE, State.SHUT)));

    private State state = State.OPEN;
    private Peer peer = Peer.OPEN;

    /** FINs of this end that the peer has not acknowledged. */
    private int unanswered;

    /** FINs of the peer that this end has not acknowledged. */
    private int answersDue;

    /** Whether the connection ends with a reason that is not known yet. */
    private boolean broken;

    private boolean finished;
    private @Nullable StreamException failure;

    /** {@return whether the event changes the state: the table has a row for it} */
    boolean move(Event event) {
        State next = TABLE.next(state, event);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    State state() {
        return state;
    }

    /** {@return whether the program may write} */
    boolean open() {
        return state == State.OPEN;
    }

    /** {@return whether a FIN has to be sent} */
    boolean due() {
        return state == State.FIN_DUE || state == State.CLOSED_DUE;
    }

    /** Notes that the FIN that is {@link #due} is sent. */
    void say() {
        move(Event.SAY);
        unanswered++;
    }

    /** {@return whether an acknowledgement of the peer is valid: a FIN of this end was not acknowledged yet} */
    boolean answered() {
        if (unanswered == 0) {
            return false;
        }
        unanswered--;
        return true;
    }

    /** {@return whether the peer has sent a FIN} */
    boolean peerEnded() {
        return peer != Peer.OPEN;
    }

    /** {@return whether the peer has sent a FIN with CLOSED, and therefore reads no more} */
    boolean peerClosed() {
        return peer == Peer.CLOSED;
    }

    /** Notes a FIN of the peer; with {@code closed} the peer also reads no more. */
    void peerSays(boolean closed) {
        answersDue++;
        if (closed) {
            peer = Peer.CLOSED;
            move(Event.NO_USE);
        } else {
            peer = Peer.ENDED;
        }
    }

    /** {@return whether an acknowledgement of a FIN of the peer is due; the caller sends it} */
    boolean takeAnswer() {
        if (answersDue == 0) {
            return false;
        }
        answersDue--;
        return true;
    }

    /** {@return whether this end has no FIN to send, even if it is closed now} */
    boolean saidAll() {
        return peerClosed() || state == State.CLOSED_SAID || (peerEnded() && state == State.FIN_SAID);
    }

    // ---- the end of the connection

    /** {@return whether both ends have sent all their FINs, and all are acknowledged} */
    boolean agreed() {
        return saidAll() && unanswered == 0 && answersDue == 0;
    }

    /**
     * Notes that both ends have {@link #agreed} and the acknowledgements have completed: the connection can be closed.
     */
    void finish() {
        finished = true;
    }

    /** Notes that the program closes its end before there is a connection. */
    void finishUnconnected() {
        move(Event.NO_USE);
        finished = true;
    }

    /** {@return whether this end sends no more: everything was sent, or the stream has failed} */
    boolean finished() {
        return finished || failure != null;
    }

    /**
     * {@return whether the ends have agreed on the end, or a work request has failed; false after a fault of the peer,
     * because posted requests still complete}
     */
    boolean ended() {
        return finished;
    }

    /** {@return whether the ends have agreed on the end} */
    boolean inOrder() {
        return finished && !broken && failure == null;
    }

    /** Notes that the stream has failed because of the peer or the connection. */
    void fail(PeerFault fault, String detail) {
        fail(new StreamException(fault, detail));
    }

    void fail(StreamException why) {
        failure = why;
        move(Event.NO_USE);
    }

    boolean failed() {
        return failure != null;
    }

    /** Notes that a work request has failed: the connection ends, and {@link #over} gets the reason. */
    void breakOff() {
        if (!finished()) {
            broken = true;
            finishUnconnected();
        }
    }

    /**
     * Notes the end of the connection.
     *
     * @param orderly as {@link SocketEngine#onEnded}, and no message of the program is truncated
     * @param left bytes that the program has not read
     */
    void over(boolean orderly, int left) {
        if (broken || !finished()) {
            if (orderly && peer == Peer.OPEN) {
                peer = Peer.ENDED;
            }
            fail(PeerFault.ENDED_EARLY, left + " bytes are left to be read");
        }
        broken = false;
        finished = true;
    }

    /** @throws IOException if the program can no longer write */
    void checkOutput() throws IOException {
        if (failure != null) {
            throw failure.again();
        }
        if (!open()) {
            throw peerClosed() || broken
                    ? SocketFault.BROKEN_PIPE.exception("the peer has closed the connection")
                    : new AsynchronousCloseException(); // the program shuts down the output during a write
        }
    }

    /** @throws StreamException if the stream has failed before the peer had sent everything */
    void checkInput() throws StreamException {
        if (failure != null && !(peerEnded() && failure.fault() == PeerFault.ENDED_EARLY)) {
            throw failure.again();
        }
    }
}
