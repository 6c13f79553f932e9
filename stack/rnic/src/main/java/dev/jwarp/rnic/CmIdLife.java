package dev.jwarp.rnic;

import dev.jwarp.base.HostPort;
import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far a connection id has come. The program moves it from any thread, the owner of the connection reports what
 * happened: both under this object's monitor, which is not held while anything is waited for or reported.
 */
final class CmIdLife {
    enum State {
        NEW,
        BOUND,
        RESOLVED,
        LISTENING,
        CONNECTING,
        REQUESTED,
        ACCEPTING,
        ESTABLISHED,
        OVER,
        CLOSED
    }

    private final RnicContext context;
    private final RnicCmId id;
    private final CmIdEvents events;

    /** Of a request: the listener that took it, and what the peer said. */
    private final @Nullable RnicListener parent;

    private final @Nullable StartParameters request;

    // Guarded by this.
    private State state;
    private boolean waitingToBeTaken;
    private @Nullable RdmaException failure;

    /** The state in which it came to its end, until the program has been told. */
    private @Nullable State untold;

    /** The attempt to connect that counts. */
    private @Nullable Attempt attempt;

    /** What the request is to be accepted with; and whether the transport has it. */
    private @Nullable QueuePairStream acceptor;

    private boolean accepted;

    private volatile @Nullable LlpConnection connection;
    private volatile @Nullable InetSocketAddress remote;

    /** The life of an id that the program made. */
    CmIdLife(RnicContext context, RnicCmId id, CmIdEvents events) {
        this.context = context;
        this.id = id;
        this.events = events;
        this.parent = null;
        this.request = null;
        this.state = State.NEW;
    }

    /** The life of an id for a peer's request. */
    CmIdLife(
            RnicContext context,
            RnicCmId id,
            CmIdEvents events,
            LlpConnection connection,
            StartParameters request,
            RnicListener parent) {
        this.context = context;
        this.id = id;
        this.events = events;
        this.parent = parent;
        this.request = request;
        this.state = State.REQUESTED;
        this.waitingToBeTaken = true;
        this.connection = connection;
        this.remote = connection.remoteAddress();
    }

    // ---- for the calls of the program; those that say so under the monitor

    synchronized State state() {
        return state;
    }

    /** Under the monitor. */
    void state(State next) {
        state = next;
    }

    /** Under the monitor. Throws unless the id is in the state that {@code call} needs. */
    void require(State wanted, String call) {
        if (state != wanted) {
            throw wrongState(call);
        }
    }

    /** As {@link #require}; a request that has failed meanwhile says how. Under the monitor. */
    void requireRequest(String call) {
        if (failure != null && state == State.OVER) {
            throw new RdmaException(failure.code(), String.valueOf(failure.getMessage()), failure);
        }
        require(State.REQUESTED, call);
    }

    RdmaException wrongState(String call) {
        return new RdmaException(
                state == State.CLOSED ? RdmaErrorCode.CLOSED : RdmaErrorCode.WRONG_STATE,
                id + " is in state " + state + ": " + call + " is not possible there.");
    }

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
        state = State.OVER;
        context.deviceCounters().increment(counter);
        forgottenByParent();
        current.execute(() -> current.reject(reason));
    }

    /** Answers the request with yes, as soon as its owner can. Under the monitor, in state REQUESTED. */
    void accept(StartParameters reply, QueuePairStream stream) {
        LlpConnection current = Objects.requireNonNull(connection);
        acceptor = stream;
        stream.connection(current);
        state = State.ACCEPTING;
        current.execute(() -> {
            // If it failed meanwhile, the transport has no use for an answer; nor if that call threw.
            if (handsOver(stream)) {
                current.accept(reply, stream);
            }
        });
    }

    private synchronized boolean handsOver(QueuePairStream stream) {
        boolean wanted = state == State.ACCEPTING && acceptor == stream;
        accepted |= wanted;
        return wanted;
    }

    /** {@link #accept} threw. Answers false if it is too late: the transport has the stream. Under the monitor. */
    boolean takeBack() {
        if (accepted) {
            return false;
        }
        acceptor = null;
        if (state == State.ACCEPTING) {
            state = State.REQUESTED;
        }
        return true;
    }

    /** {@return whom the transport is to tell of an attempt to connect} */
    Attempt newAttempt() {
        return new Attempt();
    }

    /** An attempt to connect begins. Under the monitor, in state RESOLVED. */
    void connecting(Attempt begun) {
        attempt = begun;
        state = State.CONNECTING;
    }

    /** The call that made the attempt threw: what the transport tells of it is of no interest any more. */
    synchronized void giveUp(Attempt given) {
        if (attempt == given && state == State.CONNECTING) {
            attempt = null;
            state = State.RESOLVED;
        }
    }

    /** Somebody takes the request, or gives it up. Answers true the first time. */
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

    /** As {@link #take}, where nobody is to see the request any more. */
    boolean takeUnseen() {
        boolean taken = take();
        if (taken && parent != null) {
            parent.withdraw(id);
        }
        return taken;
    }

    private void forgottenByParent() {
        if (parent != null && connection != null) {
            parent.forget(connection);
        }
    }

    // ---- what the transport reports

    /** The owner of a connection that {@link RnicListener} took; see {@link Attempt} for those of this side. */
    void onEstablished(LlpConnection begun, StartParameters peer) {
        State before;
        synchronized (this) {
            if (state != State.CONNECTING && state != State.ACCEPTING) {
                return;
            }
            before = state;
            connection = begun;
            state = State.ESTABLISHED;
        }
        boolean told = false;
        try {
            String sentence = "The connection with " + peer(begun) + " is established.";
            context.deviceCounters().increment(RnicCounter.CONNECTIONS_ESTABLISHED);
            tell(CmEventType.ESTABLISHED, null, sentence, ReadDepths.fromPeer(peer));
            told = true;
        } finally {
            if (!told) {
                notEstablished(before);
            }
        }
    }

    /** It was not told: who waits for it hears of its end as of one before it was established. */
    private synchronized void notEstablished(State before) {
        if (state == State.ESTABLISHED) {
            state = before;
        }
    }

    void onFailed(LlpFailure why, String sentence) {
        failed(
                CmFailures.eventType(why),
                new RdmaException(CmFailures.code(why), sentence),
                ConnectionParameters.DEFAULT);
    }

    /** One attempt to connect. The transport may still tell of one that was given up, when the next is under way. */
    final class Attempt implements ConnectionHandler {
        private boolean counts() {
            synchronized (CmIdLife.this) {
                return attempt == this;
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
                        ReadDepths.fromPeer(peer));
            }
        }

        @Override
        public void onFailed(LlpConnection begun, LlpFailure why, String sentence) {
            if (counts()) {
                CmIdLife.this.onFailed(why, sentence);
            }
        }
    }

    /** {@return the peer's host and port, in numbers} */
    static String peer(LlpConnection connection) {
        return HostPort.text(connection.remoteAddress());
    }

    /** The set-up came to nothing. Told again if it threw: goes on where it was. */
    private void failed(CmEventType type, RdmaException why, ConnectionParameters parameters) {
        State before;
        synchronized (this) {
            if (state == State.CONNECTING || state == State.ACCEPTING || state == State.REQUESTED) {
                if (state == State.CONNECTING) {
                    context.deviceCounters().increment(RnicCounter.CONNECTIONS_FAILED);
                }
                untold = state;
                state = State.OVER;
                failure = why;
            }
            before = untold;
        }
        String sentence = String.valueOf(why.getMessage());
        try {
            if (before != State.REQUESTED) {
                id.neverBegan(sentence);
            }
        } finally {
            boolean unseen = false;
            try {
                unseen = takeUnseen();
            } finally {
                if (unseen) {
                    id.close(); // nobody has seen the request: nobody needs to see it fail
                }
            }
            if (!unseen) {
                tellOnce(type, why.code(), sentence, parameters);
            }
        }
    }

    /**
     * The connection is over, all its work has come back. Told again if it threw.
     *
     * @param error null if it ended in order
     * @param how for a sentence that begins with the connection
     * @param why a sentence, if it ended in error
     */
    void ended(@Nullable RdmaErrorCode error, String how, @Nullable String why) {
        State before;
        synchronized (this) {
            if (state == State.ESTABLISHED || state == State.CONNECTING || state == State.ACCEPTING) {
                if (state == State.ESTABLISHED) {
                    context.deviceCounters()
                            .increment(error == null ? RnicCounter.CONNECTIONS_ENDED : RnicCounter.CONNECTIONS_BROKEN);
                }
                untold = state;
                state = State.OVER;
            }
            before = untold;
        }
        if (before == null) {
            return;
        }
        forgottenByParent();
        String peer = "The connection with " + (connection == null ? "the peer" : peer(connection));
        if (before == State.ESTABLISHED) {
            tellOnce(CmEventType.DISCONNECTED, error, peer + " " + how, ConnectionParameters.DEFAULT);
        } else {
            tellOnce(
                    CmEventType.CONNECT_ERROR,
                    RdmaErrorCode.CLOSED_BY_PEER,
                    peer + " ended before it was established." + (why == null ? "" : " " + why),
                    ConnectionParameters.DEFAULT);
        }
    }

    /** Tells how it came to its end, unless that was told, or the id is closed and nobody listens. */
    private void tellOnce(
            CmEventType type, @Nullable RdmaErrorCode error, String sentence, ConnectionParameters parameters) {
        synchronized (this) {
            if (untold == null || state != State.OVER) {
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
