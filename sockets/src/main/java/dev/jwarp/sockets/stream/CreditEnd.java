package dev.jwarp.sockets.stream;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.util.List;

/**
 * How far the two ends of a stream with credits are with its end: what this one says of its own as one table, and beside it what the peer has said. What is not in the
 * table does not happen: it was said before, or there is nothing to say any more.
 */
final class CreditEnd {
    /** Of this end. */
    enum State {
        /** The program may write. */
        OPEN,
        /** A FIN is to be said, behind what waits. */
        FIN_DUE,
        FIN_SAID,
        /** A FIN with CLOSED is to be said, behind what waits. */
        CLOSED_DUE,
        CLOSED_SAID,
        /** It says nothing more: the peer is closed, or the stream broke. */
        SHUT
    }

    /** What happens to it. */
    enum Event {
        SHUT_DOWN,
        CLOSE,
        SAY,
        NO_USE
    }

    /** Of the peer, in this order. */
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

    /** Ends of this end that the peer has not answered. */
    private int unanswered;

    /** Ends of the peer that are not answered. */
    private int answersDue;

    /** {@return whether that happens now: the table has a row for it} */
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

    /** {@return whether a FIN is to be said} */
    boolean due() {
        return state == State.FIN_DUE || state == State.CLOSED_DUE;
    }

    /** The FIN that is {@link #due} goes. */
    void say() {
        move(Event.SAY);
        unanswered++;
    }

    /** {@return whether this end was said, and the peer owes no answer to that; false: the peer has nothing to answer} */
    boolean answered() {
        if (unanswered == 0) {
            return false;
        }
        unanswered--;
        return true;
    }

    /** {@return whether the peer sends nothing more} */
    boolean peerEnded() {
        return peer != Peer.OPEN;
    }

    /** {@return whether the peer reads nothing more, either} */
    boolean peerClosed() {
        return peer == Peer.CLOSED;
    }

    /** The peer sends nothing more, as its connection shows. */
    void peerGone() {
        if (peer == Peer.OPEN) {
            peer = Peer.ENDED;
        }
    }

    /** The peer has said that it sends nothing more, and with {@code closed} that it reads nothing more. */
    void peerSays(boolean closed) {
        answersDue++;
        if (closed) {
            peer = Peer.CLOSED;
            move(Event.NO_USE);
        } else {
            peer = Peer.ENDED;
        }
    }

    /** {@return whether an answer is to go to the peer; it goes} */
    boolean takeAnswer() {
        if (answersDue == 0) {
            return false;
        }
        answersDue--;
        return true;
    }

    /** {@return whether this end says nothing more, if it is asked to close} */
    boolean saidAll() {
        return peerClosed() || state == State.CLOSED_SAID || (peerEnded() && state == State.FIN_SAID);
    }

    /** {@return whether both ends have said all, and each has the answer of the other} */
    boolean agreed() {
        return saidAll() && unanswered == 0 && answersDue == 0;
    }
}
