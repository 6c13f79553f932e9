package dev.jwarp.sockets.stream;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far the two ends of a stream with credits are with its end: what this end says as one table, and beside it what the peer has said, and how the connection ended. What is not in the
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

    /** The connection ends, and how is not known yet. */
    private boolean broken;

    private boolean finished;
    private @Nullable StreamException failure;

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

    /** {@return whether a FIN has to be sent} */
    boolean due() {
        return state == State.FIN_DUE || state == State.CLOSED_DUE;
    }

    /** The FIN that is {@link #due} goes. */
    void say() {
        move(Event.SAY);
        unanswered++;
    }

    /** {@return whether the peer had an end of this side to answer, which it has answered now} */
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

    // ---- the end of the connection

    /** {@return whether both ends have said all, and each has the answer of the other} */
    boolean agreed() {
        return saidAll() && unanswered == 0 && answersDue == 0;
    }

    /** Both ends have {@link #agreed}, and the answers are done: the connection can be ended. */
    void finish() {
        finished = true;
    }

    /** The program closes its end before there is a connection. */
    void finishUnconnected() {
        move(Event.NO_USE);
        finished = true;
    }

    /** {@return whether this end sends nothing more: all was sent, or the stream broke} */
    boolean finished() {
        return finished || failure != null;
    }

    /** {@return whether the ends have agreed on the end, or a work request has failed; false after a fault of the peer, as posted requests still go} */
    boolean ended() {
        return finished;
    }

    /** {@return whether the ends have agreed on the end} */
    boolean inOrder() {
        return finished && !broken && failure == null;
    }

    /** The peer, or what carries the stream, has broken it. */
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

    /** A work request failed: the connection ends, and {@link #over} says how. */
    void breakOff() {
        if (!finished()) {
            broken = true;
            finishUnconnected();
        }
    }

    /**
     * The connection is over.
     *
     * @param orderly as {@link SocketEngine#onEnded}, and no message of the program is cut
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

    /** @throws IOException if the program can write no more */
    void checkOutput() throws IOException {
        if (failure != null) {
            throw failure.again();
        }
        if (!open()) {
            throw peerClosed() || broken
                    ? SocketFault.BROKEN_PIPE.exception("the peer has closed the connection")
                    : new AsynchronousCloseException(); // the program shuts it down while a thread of it writes
        }
    }

    /** @throws StreamException if the stream broke before the peer had said all */
    void checkInput() throws StreamException {
        if (failure != null && !(peerEnded() && failure.fault() == PeerFault.ENDED_EARLY)) {
            throw failure.again();
        }
    }
}
