package dev.jwarp.rnic.connection;

import dev.jwarp.base.HostPort;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.rnic.connection.CmIdState.Move;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.rnic.core.RnicCounter;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far a connection id has come: moves along the table of {@link CmIdState}. The program moves it from any thread,
 * the owner of the connection reports what happened: both under this object's monitor, which is not held while anything
 * is waited for or reported.
 */
public final class CmIdLife implements QueuePairConnection.End {
    private final ContextCore core;
    private final RnicCmId id;
    private final CmIdEvents events;

    /** Of a request: the listener that took it. */
    private final @Nullable RnicListener parent;

    // Guarded by this.

    /** What the peer of a request said, until the transport has the answer. */
    private @Nullable StartParameters request;

    private volatile CmIdState state;
    private boolean waitingToBeTaken;
    private @Nullable RdmaException failure;

    /** The state in which it came to its end, until the program has been told. */
    private @Nullable CmIdState untold;

    /** The attempt to connect that counts. */
    private @Nullable Attempt attempt;

    /** What the request is to be accepted with, until the transport has it. */
    private @Nullable QueuePairConnection acceptor;

    private volatile @Nullable LlpConnection connection;
    private volatile @Nullable InetSocketAddress remote;

    /** The life of an id for a peer's request; the last three null for an id that the program made. */
    CmIdLife(
            ContextCore core,
            RnicCmId id,
            CmIdEvents events,
            @Nullable LlpConnection connection,
            @Nullable StartParameters request,
            @Nullable RnicListener parent) {
        this.core = core;
        this.id = id;
        this.events = events;
        this.parent = parent;
        this.request = request;
        this.state = parent == null ? CmIdState.NEW : CmIdState.REQUESTED;
        this.waitingToBeTaken = parent != null;
        this.connection = connection;
        this.remote = connection == null ? null : connection.remoteAddress();
    }

    // ---- for the calls of the program; those that say so under the monitor

    /** {@return the state} Any thread; a snapshot unless the caller has the monitor. */
    public CmIdState state() {
        return state;
    }

    /** {@return whether the program has closed it, so that nothing can be done with it} Any thread, under any lock. */
    boolean closed() {
        return state == CmIdState.CLOSED || state == CmIdState.GONE;
    }

    /** {@return false if this is not allowed in its state} */
    synchronized boolean move(Move move) {
        CmIdState next = CmIdState.TABLE.next(state, move);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    /** Under the monitor. Throws unless {@link #move} would do it. */
    void require(Move move, String call) {
        if (CmIdState.TABLE.next(state, move) == null) {
            throw wrongState(call);
        }
    }

    /** As {@link #require}; a request that has failed meanwhile says how. Under the monitor. */
    void requireRequest(Move move, String call) {
        if (failure != null && state == CmIdState.OVER) {
            throw new RdmaException(failure.code(), String.valueOf(failure.getMessage()), failure);
        }
        require(move, call);
    }

    RdmaException wrongState(String call) {
        boolean closed = closed();
        return new RdmaException(
                closed ? RdmaErrorCode.CLOSED : RdmaErrorCode.WRONG_STATE,
                id + " is in state " + (closed ? CmIdState.CLOSED : state) + ": " + call + " is not possible there.");
    }

    /** {@return what the peer of a request said} Under the monitor, in state REQUESTED. */
    StartParameters request() {
        return Objects.requireNonNull(request);
    }

    @Nullable
    LlpConnection connection() {
        return connection;
    }

    void connection(LlpConnection begun) {
        connection = begun;
    }

    @Nullable
    InetSocketAddress remote() {
        return remote;
    }

    void remote(InetSocketAddress address) {
        remote = address;
    }

    /** Answers the request with no, and counts that as {@code counter}. Under the monitor, in state REQUESTED. */
    void refuse(byte[] reason, RnicCounter counter) {
        LlpConnection current = Objects.requireNonNull(connection);
        move(Move.REFUSE);
        core.counters().increment(counter);
        forgottenByParent();
        current.execute(() -> current.reject(reason));
    }

    /** Answers the request with yes, as soon as its owner can. Under the monitor, in state REQUESTED. */
    void accept(StartParameters reply, QueuePairConnection accepting) {
        LlpConnection current = Objects.requireNonNull(connection);
        acceptor = accepting;
        accepting.owner(current);
        move(Move.ACCEPT);
        current.execute(() -> {
            // If it failed meanwhile, the transport has no use for an answer; nor if that call threw.
            if (handsOver(accepting)) {
                current.accept(reply, accepting);
            }
        });
    }

    private synchronized boolean handsOver(QueuePairConnection accepting) {
        boolean wanted = state == CmIdState.ACCEPTING && acceptor == accepting;
        if (wanted) {
            acceptor = null;
            request = null;
        }
        return wanted;
    }

    /** {@link #accept} threw. Answers false if it is too late: the transport has the accepted connection. Under the monitor. */
    boolean takeBack() {
        if (acceptor == null) {
            return false;
        }
        acceptor = null;
        move(Move.ACCEPT_THREW);
        return true;
    }

    /** {@return what the transport is to tell of an attempt to connect} */
    Attempt newAttempt() {
        return new Attempt();
    }

    /** An attempt to connect begins. Under the monitor, in state RESOLVED. */
    void connecting(Attempt begun) {
        attempt = begun;
        move(Move.CONNECT);
    }

    /** The call that made the attempt threw: what the transport tells of it is of no interest any more. */
    synchronized void giveUp(Attempt given) {
        if (attempt == given && move(Move.CONNECT_THREW)) {
            attempt = null;
        }
    }

    /** The request is taken, or given up. Answers true the first time. */
    boolean take() {
        synchronized (this) {
            if (!waitingToBeTaken) {
                return false;
            }
            waitingToBeTaken = false;
        }
        if (parent != null) {
            parent.noLongerWaiting(id);
        }
        return true;
    }

    /** As {@link #take}, where the program is not to see the request any more. */
    boolean takeUnseen() {
        boolean taken = take();
        if (taken && parent != null) {
            parent.withdraw(id);
        }
        return taken;
    }

    private void forgottenByParent() {
        LlpConnection current = connection;
        if (parent != null && current != null) {
            parent.forget(current);
        }
    }

    // ---- what the transport reports

    /** The owner of a connection that {@link RnicListener} took; see {@link Attempt} for those of this side. */
    void onEstablished(LlpConnection begun, StartParameters peer) {
        CmIdState before;
        synchronized (this) {
            before = state;
            if (!move(Move.ESTABLISH)) {
                return;
            }
            connection = begun;
        }
        boolean told = false;
        try {
            String sentence = "The connection with " + peer(begun) + " is established.";
            core.counters().increment(RnicCounter.CONNECTIONS_ESTABLISHED);
            tell(CmEventType.ESTABLISHED, null, sentence, ConnectionTerms.fromPeer(peer));
            told = true;
        } finally {
            if (!told) {
                // Whoever waits for it hears of its end as of one before it was established.
                move(before == CmIdState.CONNECTING ? Move.CONNECT_UNTOLD : Move.ACCEPT_UNTOLD);
            }
        }
    }

    void onFailed(LlpFailure why, String sentence) {
        failed(
                FailureNames.eventType(why),
                new RdmaException(FailureNames.code(why), sentence),
                ConnectionParameters.DEFAULT);
    }

    /** One attempt to connect. The transport may still tell of one that was given up, when the next is under way. */
    final class Attempt implements ConnectionHandler {
        private boolean counts() {
            synchronized (CmIdLife.this) {
                return attempt == this;
            }
        }

        /** There is no connection that could tell of its end, and there will be none. */
        void neverBegan(LlpFailure why, String sentence) {
            if (counts()) {
                CmIdLife.this.onFailed(why, sentence);
            }
        }

        @Override
        public void onRequest(LlpConnection begun, StartParameters peer) {
            throw new IllegalStateException("Only a listener gets requests");
        }

        @Override
        public void onEstablished(LlpConnection begun, StartParameters peer) {
            if (counts()) {
                CmIdLife.this.onEstablished(begun, peer);
            } else {
                begun.abort();
            }
        }

        @Override
        public void onRejected(LlpConnection begun, StartParameters peer) {
            if (counts()) {
                String sentence = peer(begun) + " rejected the connection.";
                failed(
                        CmEventType.REJECTED,
                        new RdmaException(RdmaErrorCode.REJECTED, sentence, null, 0, peer.privateData()),
                        ConnectionTerms.fromPeer(peer));
            }
        }

        @Override
        public void onFailed(LlpConnection begun, LlpFailure why, String sentence) {
            neverBegan(why, sentence);
        }
    }

    /** {@return the peer's host and port, in numbers} */
    static String peer(LlpConnection connection) {
        return HostPort.text(connection.remoteAddress());
    }

    /** The set-up came to nothing. Told again if it threw: goes on where it was. */
    private void failed(CmEventType type, RdmaException why, ConnectionParameters parameters) {
        CmIdState before;
        synchronized (this) {
            before = state;
            if (move(Move.FAIL)) {
                if (before == CmIdState.CONNECTING) {
                    core.counters().increment(RnicCounter.CONNECTIONS_FAILED);
                }
                untold = before;
                failure = why;
            }
            before = untold;
        }
        String sentence = String.valueOf(why.getMessage());
        try {
            if (before != CmIdState.REQUESTED) {
                id.neverBegan(sentence);
            }
        } finally {
            boolean unseen = false;
            try {
                unseen = takeUnseen();
            } finally {
                if (unseen) {
                    id.close(); // the program has not seen the request, and need not see it fail
                }
            }
            if (!unseen) {
                tellOnce(type, why.code(), sentence, parameters);
            }
        }
    }

    @Override
    public void ended(@Nullable RdmaErrorCode error, String how, @Nullable String why) {
        CmIdState before;
        synchronized (this) {
            before = state;
            if (move(Move.END)) {
                if (before == CmIdState.ESTABLISHED) {
                    core.counters()
                            .increment(error == null ? RnicCounter.CONNECTIONS_ENDED : RnicCounter.CONNECTIONS_BROKEN);
                }
                untold = before;
            }
            before = untold;
        }
        if (before == null) {
            return;
        }
        forgottenByParent();
        String peer = "The connection with " + (connection == null ? "the peer" : peer(connection));
        if (before == CmIdState.ESTABLISHED) {
            tellOnce(CmEventType.DISCONNECTED, error, peer + " " + how, ConnectionParameters.DEFAULT);
        } else {
            tellOnce(
                    CmEventType.CONNECT_ERROR,
                    RdmaErrorCode.CLOSED_BY_PEER,
                    peer + " ended before it was established." + (why == null ? "" : " " + why),
                    ConnectionParameters.DEFAULT);
        }
    }

    /** Tells how it came to its end, unless that was told, or the id is closed. */
    private void tellOnce(
            CmEventType type, @Nullable RdmaErrorCode error, String sentence, ConnectionParameters parameters) {
        synchronized (this) {
            if (untold == null || state != CmIdState.OVER) {
                return;
            }
        }
        tell(type, error, sentence, parameters);
        synchronized (this) {
            untold = null;
        }
    }

    void tell(CmEventType type, @Nullable RdmaErrorCode error, String sentence, ConnectionParameters parameters) {
        events.add(new CmEvent(type, id, null, error, sentence, parameters));
    }
}
