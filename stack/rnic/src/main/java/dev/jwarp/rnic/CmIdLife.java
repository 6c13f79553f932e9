package dev.jwarp.rnic;

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
final class CmIdLife implements ConnectionHandler {
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

    /** Answers the request with no. Under the monitor, in state REQUESTED. */
    void refuse(byte[] reason) {
        LlpConnection current = Objects.requireNonNull(connection);
        state = State.OVER;
        context.deviceCounters().increment(RnicCounter.REQUESTS_REJECTED);
        forgottenByParent();
        current.execute(() -> current.reject(reason));
    }

    /** Answers the request with yes, as soon as its owner can. Under the monitor, in state REQUESTED. */
    void accept(StartParameters reply, QueuePairStream stream) {
        LlpConnection current = Objects.requireNonNull(connection);
        stream.connection(current);
        state = State.ACCEPTING;
        current.execute(() -> {
            // If it failed meanwhile, the transport has no use for an answer.
            if (state() == State.ACCEPTING) {
                current.accept(reply, stream);
            }
        });
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

    private void forgottenByParent() {
        if (parent != null && connection != null) {
            parent.forget(connection);
        }
    }

    // ---- what the transport reports

    @Override
    public void onRequest(LlpConnection begun, StartParameters peer) {
        throw new IllegalStateException("Only a listener gets requests");
    }

    @Override
    public void onEstablished(LlpConnection begun, StartParameters peer) {
        synchronized (this) {
            if (state != State.CONNECTING && state != State.ACCEPTING) {
                return;
            }
            connection = begun;
            state = State.ESTABLISHED;
        }
        context.deviceCounters().increment(RnicCounter.CONNECTIONS_ESTABLISHED);
        String sentence = "The connection with " + peer(begun) + " is established.";
        tell(CmEventType.ESTABLISHED, null, sentence, ReadDepths.fromPeer(peer));
    }

    @Override
    public void onRejected(LlpConnection begun, StartParameters peer) {
        String sentence = peer(begun) + " rejected the connection.";
        failed(
                CmEventType.REJECTED,
                new RdmaException(RdmaErrorCode.REJECTED, sentence, null, 0, peer.privateData()),
                ReadDepths.fromPeer(peer));
    }

    @Override
    public void onFailed(LlpConnection begun, LlpFailure why, String sentence) {
        failed(
                CmFailures.eventType(why),
                new RdmaException(CmFailures.code(why), sentence),
                ConnectionParameters.DEFAULT);
    }

    /** {@return the peer's host and port, in numbers} */
    static String peer(LlpConnection connection) {
        InetSocketAddress address = connection.remoteAddress();
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** The set-up came to nothing. */
    private void failed(CmEventType type, RdmaException why, ConnectionParameters parameters) {
        State before;
        synchronized (this) {
            before = state;
            if (before == State.CONNECTING || before == State.ACCEPTING || before == State.REQUESTED) {
                state = State.OVER;
                failure = why;
            }
        }
        if (before == State.CONNECTING) {
            context.deviceCounters().increment(RnicCounter.CONNECTIONS_FAILED);
        }
        String sentence = String.valueOf(why.getMessage());
        if (before != State.REQUESTED) {
            id.neverBegan(sentence);
        }
        if (take()) {
            // Nobody has seen the request: nobody needs to see it fail.
            id.close();
        } else if (before != State.CLOSED && before != State.OVER) {
            try {
                tell(type, why.code(), sentence, parameters);
            } catch (Throwable e) {
                synchronized (this) {
                    state = before; // it is told again
                }
                throw e;
            }
        }
    }

    /** The connection is over, all its work has come back. */
    void ended(boolean inOrder, @Nullable String diagnosis) {
        boolean established;
        synchronized (this) {
            established = state == State.ESTABLISHED;
            if (!established && state != State.CONNECTING && state != State.ACCEPTING) {
                return;
            }
            state = State.OVER;
        }
        forgottenByParent();
        String peer = "The connection with " + (connection == null ? "the peer" : peer(connection));
        if (established) {
            context.deviceCounters()
                    .increment(inOrder ? RnicCounter.CONNECTIONS_ENDED : RnicCounter.CONNECTIONS_BROKEN);
            tell(
                    CmEventType.DISCONNECTED,
                    inOrder ? null : RdmaErrorCode.DISCONNECTED,
                    inOrder ? peer + " ended in order." : peer + " ended in error. " + diagnosis,
                    ConnectionParameters.DEFAULT);
        } else {
            tell(
                    CmEventType.CONNECT_ERROR,
                    RdmaErrorCode.CLOSED_BY_PEER,
                    peer + " ended before it was established.",
                    ConnectionParameters.DEFAULT);
        }
    }

    void tell(CmEventType type, @Nullable RdmaErrorCode error, String sentence, ConnectionParameters parameters) {
        events.add(new CmEvent(type, id, null, error, sentence, parameters));
    }
}
