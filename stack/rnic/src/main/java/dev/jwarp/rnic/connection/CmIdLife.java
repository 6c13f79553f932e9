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
 * The life cycle of a connection id, with the transitions of {@link CmIdState}. Calls of the program on any thread and
 * reports of the connection's owner change the state under this object's monitor. The monitor is not held during waits
 * and reports.
 */
public final class CmIdLife implements QueuePairConnection.End {
    private final ContextCore core;
    private final RnicCmId id;
    private final CmIdEvents events;

    /** The listener of a connection request; null for an id of the program. */
    private final @Nullable RnicListener parent;

    // Guarded by this.

    /** The peer's parameters in a connection request, until the transport has the answer. */
    private @Nullable StartParameters request;

    private volatile CmIdState state;
    private boolean waitingToBeTaken;
    private @Nullable RdmaException failure;

    /** The last state before OVER, until the event for the end is added. */
    private @Nullable CmIdState untold;

    /** The current attempt to connect; reports of earlier attempts are ignored. */
    private @Nullable Attempt attempt;

    /** The connection that accepts the request, until the transport has it. */
    private @Nullable QueuePairConnection acceptor;

    private volatile @Nullable LlpConnection connection;
    private volatile @Nullable InetSocketAddress remote;

    /**
     * The life cycle of an id. The last three parameters belong to a connection request; they are null for an id of the
     * program.
     */
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

    // ---- for calls of the program; under the monitor where stated

    /** {@return the state} Any thread; a snapshot unless the caller has the monitor. */
    public CmIdState state() {
        return state;
    }

    /** {@return whether the program has closed the id} Any thread, which may hold any lock. */
    boolean closed() {
        return state == CmIdState.CLOSED || state == CmIdState.GONE;
    }

    /** {@return false if the move is not allowed in the current state} */
    synchronized boolean move(Move move) {
        CmIdState next = CmIdState.TABLE.next(state, move);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    /** Throws if {@link #move} would return false. Under the monitor. */
    void require(Move move, String call) {
        core.progression().checkThread();
        if (CmIdState.TABLE.next(state, move) == null) {
            throw wrongState(call);
        }
    }

    /** As {@link #require}, but for a failed connection request throws the cause of that failure. Under the monitor. */
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

    /** {@return the peer's parameters in a connection request} Under the monitor, in state REQUESTED. */
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

    /** Rejects the connection request, and increments {@code counter}. Under the monitor, in state REQUESTED. */
    void refuse(byte[] reason, RnicCounter counter) {
        LlpConnection current = Objects.requireNonNull(connection);
        move(Move.REFUSE);
        core.counters().increment(counter);
        forgottenByParent();
        current.execute(() -> current.reject(reason));
    }

    /** Makes the owner accept the connection request soon. Under the monitor, in state REQUESTED. */
    void accept(StartParameters reply, QueuePairConnection accepting) {
        LlpConnection current = Objects.requireNonNull(connection);
        acceptor = accepting;
        accepting.owner(current);
        move(Move.ACCEPT);
        current.execute(() -> {
            // No answer if the request failed meanwhile, or if accept threw.
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

    /**
     * Undoes {@link #accept}, which threw. Returns false if the transport has the accepted connection already. Under
     * the monitor.
     */
    boolean takeBack() {
        if (acceptor == null) {
            return false;
        }
        acceptor = null;
        move(Move.ACCEPT_THREW);
        return true;
    }

    /** {@return the handler for a new attempt to connect} */
    Attempt newAttempt() {
        return new Attempt();
    }

    /** Begins an attempt to connect. Under the monitor, in state RESOLVED. */
    void connecting(Attempt begun) {
        attempt = begun;
        move(Move.CONNECT);
    }

    /** Ends an attempt because its call threw. Later reports of that attempt are ignored. */
    synchronized void giveUp(Attempt given) {
        if (attempt == given && move(Move.CONNECT_THREW)) {
            attempt = null;
        }
    }

    /** Marks the connection request as taken by the program, or as given up. Returns true the first time. */
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

    /** As {@link #take}, but also removes the request's events, so that the program does not see the request. */
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

    // ---- reports of the transport

    /**
     * Reports that the connection is established. Called by {@link RnicListener} for accepted connections, and by
     * {@link Attempt} for connects of this side. Owner only.
     */
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
                // No event was added, so the end is reported as a failed set-up.
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

    /**
     * One attempt to connect. The transport may report about an abandoned attempt while the next one is in progress.
     */
    final class Attempt implements ConnectionHandler {
        private boolean counts() {
            synchronized (CmIdLife.this) {
                return attempt == this;
            }
        }

        /** Reports that no connection exists or will exist. */
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

    /** {@return the peer's numeric address and port} */
    static String peer(LlpConnection connection) {
        return HostPort.text(connection.remoteAddress());
    }

    /** The set-up failed. After an exception, a further call continues with the remaining steps. */
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
                    id.close(); // the program never sees a request that failed before it was taken
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

    /** Adds the event for the end, once, unless the id is closed. */
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
