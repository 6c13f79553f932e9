package dev.jwarp.rnic.connection;

import dev.jwarp.base.Faults;
import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.rdmap.StreamState;
import dev.jwarp.rnic.connection.QueuePairPhase.Event;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.memory.RequestMemory;
import dev.jwarp.rnic.memory.RnicMemoryWindow;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.rnic.queuepair.QueuePairBase;
import dev.jwarp.rnic.queuepair.WorkQueue;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairInformation;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of type RC, as the program sees it: queues and state. The {@link QueuePairConnection} carries out the
 * work requests; without a connection they are flushed.
 */
public final class RnicQueuePair extends QueuePairBase<Completer> implements RnicMemoryWindow.User {
    private final Connections home;
    private final ContextCore context;
    private final SendQueue sends;
    private final Receives receives;
    private final Waiters waiters;

    /** Modified under the locks of both work queues. */
    private volatile QueuePairPhase phase = QueuePairPhase.RESET;

    /** Set from connect or accept until the end of the connection. Modified under the locks of both work queues. */
    private volatile @Nullable QueuePairConnection connection;

    /** A queue pair in state RESET. */
    RnicQueuePair(Connections home, RnicProtectionDomain domain, QueuePairAttributes attributes, Completer completer) {
        super(domain, attributes, completer);
        this.home = home;
        context = home.context();
        sends = new SendQueue(this);
        receives = new Receives();
        waiters = new Waiters();
    }

    // ---- posting

    @Override
    public void postSend(SendWorkRequest request) {
        sends.post(request);
    }

    @Override
    public boolean tryPostSend(SendWorkRequest request) {
        return sends.tryPost(request);
    }

    @Override
    public int postSend(SendWorkRequest[] requests, int count) {
        return sends.post(requests, count);
    }

    @Override
    public void postReceive(ReceiveWorkRequest request) {
        receives.post(request);
    }

    @Override
    public boolean tryPostReceive(ReceiveWorkRequest request) {
        return receives.tryPost(request);
    }

    @Override
    public int postReceive(ReceiveWorkRequest[] requests, int count) {
        return receives.post(requests, count);
    }

    /** The posting side of the receive queue. */
    private final class Receives extends WorkQueue<ReceiveWorkRequest> {
        private final RequestMemory local = protectionDomain().requestMemory();
        private final ReceiveQueue queue = new ReceiveQueue(
                Math.max(1, attributes().maxReceiveWorkRequests()), attributes().maxReceiveElements());

        Receives() {
            super(context.progression());
        }

        @Override
        protected void check() {
            checkOwnReceives();
            if (!phase.takesReceives()) {
                checkOpen();
                throw new RdmaException(
                        RdmaErrorCode.WRONG_STATE,
                        RnicQueuePair.this + " is in state RESET: move it to INIT before posting receives.");
            }
        }

        @Override
        protected boolean enqueue(ReceiveWorkRequest request) {
            if (!queue.begin(request.id())) {
                return false;
            }
            int count = RequestMemory.checkCount(request, attributes().maxReceiveElements());
            for (int i = 0; i < count; i++) {
                TaggedBuffer buffer = local.element(request, i, Access.LOCAL_WRITE);
                queue.add(buffer, buffer.position(request.address(i)), request.length(i));
            }
            queue.publish();
            completer().counts().receivePosted();
            return true;
        }

        /**
         * Flushes receives posted in the error state, in order: at once without a connection, otherwise by the
         * connection's owner.
         */
        @Override
        protected void enqueued() {
            if (phase.flushes()) {
                QueuePairConnection current = connection;
                try {
                    if (current == null) {
                        completer().flush(queue);
                    } else {
                        current.postedAfterTheEnd();
                    }
                } catch (Throwable e) {
                    notTold(e);
                }
            }
        }

        @Override
        protected void posted() {
            // The stream takes a receive when a message arrives.
        }

        @Override
        protected String full() {
            return RnicQueuePair.this.full("receive", attributes().maxReceiveWorkRequests());
        }
    }

    /** Flushes both queues. There must be no connection. Under the locks of both work queues. */
    private void flush() {
        if (connection != null) {
            throw new IllegalStateException("the connection of " + this + " completes its requests: a bug of jwarp");
        }
        try {
            sends.flush();
        } finally {
            completer().flush(receives.queue);
        }
    }

    // ---- state

    @Override
    public QueuePairState state() {
        return phase.verbs();
    }

    /** {@return the phase} Changes that affect posts are made under the locks of both work queues. */
    QueuePairPhase phase() {
        return phase;
    }

    /** {@return false if the event is not allowed in this phase} Under the locks of both work queues. */
    boolean move(Event event) {
        QueuePairPhase next = phase.next(event);
        if (next == null) {
            return false;
        }
        phase = next;
        return true;
    }

    @Override
    public String streamState() {
        QueuePairConnection current = connection;
        if (current != null) {
            return current.stream().state().name();
        }
        return phase.flushes() ? StreamState.ERROR.name() : StreamState.IDLE.name();
    }

    @Override
    public void modify(QueuePairState target) {
        RdmaException.requireArgument(target, "target");
        withoutPosts(() -> {
            checkOpen();
            change(target);
        });
    }

    private void change(QueuePairState target) {
        Event event = Event.modifyTo(target);
        QueuePairPhase next = event == null ? null : phase.next(event);
        if (next == null) {
            throw noWay(target);
        }
        if (next == QueuePairPhase.RESET) {
            flush();
            completer().reset();
        }
        phase = next;
        QueuePairConnection current = connection;
        switch (next) {
            case ERR -> flush();
            case ENDING -> Objects.requireNonNull(current).fail();
            case SQD -> Objects.requireNonNull(current).holdSends(true);
            case RTS -> Objects.requireNonNull(current).holdSends(false);
            default -> {
                // Nothing else follows.
            }
        }
    }

    private RdmaException noWay(QueuePairState target) {
        String advice =
                switch (target) {
                    case RTR, RTS -> "The connection manager makes that transition: use connect or accept of its CmId.";
                    case RESET -> "Modify it to ERR and wait until its connection is over.";
                    default -> "See QueuePairState for the possible transitions.";
                };
        return new RdmaException(
                RdmaErrorCode.WRONG_STATE, this + " cannot go from " + state() + " to " + target + ". " + advice);
    }

    /**
     * Begins a connection.
     *
     * @param end listener for the end of the connection
     * @return the upper layer for the transport
     */
    QueuePairConnection begin(QueuePairConnection.End end) {
        AtomicReference<@Nullable QueuePairConnection> made = new AtomicReference<>();
        withoutPosts(() -> {
            checkOpen();
            if (phase != QueuePairPhase.INIT) {
                throw new RdmaException(
                        RdmaErrorCode.WRONG_STATE,
                        this + " is in state " + state()
                                + ": it must be in INIT to be connected. Make a new one, or modify"
                                + " it to RESET and INIT.");
            }
            // Under the locks, because the connection begins at the current positions of the queues.
            QueuePairConnection begun = new QueuePairConnection(
                    home, this, end, sends.operations(), shared() == null ? receives.queue : shared());
            home.liveConnections().began(begun);
            connection = begun;
            move(Event.BEGUN);
            made.set(begun);
        });
        return Objects.requireNonNull(made.get());
    }

    /**
     * Undoes {@link #begin} after connect or accept threw, unless the queue pair was closed or failed meanwhile.
     *
     * @return false if the lower layer was established or has failed already, so that the connection ends by itself
     */
    boolean unbegin(QueuePairConnection begun) {
        AtomicBoolean done = new AtomicBoolean();
        withoutPosts(() -> {
            if (!begun.life().move(ConnectionLife.Event.RELEASED)) {
                return;
            }
            done.set(true);
            connection = null;
            move(Event.UNBEGUN);
            if (phase != QueuePairPhase.INIT) {
                flush();
            }
        });
        if (done.get()) {
            home.liveConnections().over(begun);
            context.progression().signal(begun);
        }
        return done.get();
    }

    /** The state of the stream has changed. Owner of the connection. */
    void streamChanged(StreamState now) {
        Event event = now == StreamState.RTS ? Event.ESTABLISHED : Event.STREAM_ENDS;
        withoutPosts(() -> move(event));
    }

    /**
     * The connection has ended and completes nothing more: flushes the remaining requests. After an exception this
     * method may be called again, even if the program has begun another connection. Under the locks of both work
     * queues, because the program may begin another connection as soon as there is none.
     */
    void connectionOver(QueuePairConnection ended) {
        if (ended.life().move(ConnectionLife.Event.RELEASED)) {
            connection = null;
            move(Event.RELEASED);
        }
        if (connection == null && phase.flushes()) {
            try {
                flush();
            } finally {
                completer().endBindings();
            }
        }
    }

    /** Ends the connection for a local reason. Any thread. */
    @Override
    public void failLocally(String reason) {
        QueuePairConnection current = connection;
        if (current != null) {
            current.terminate(reason);
        }
    }

    /**
     * Logs an exception after the publication of a request. The request is posted, so the program must not get the
     * exception. Throws nothing.
     */
    void notTold(Throwable cause) {
        context.failed("no completion could be given for a work request of " + this, cause);
    }

    /**
     * As {@link #notTold}, for a send that its connection was not notified of: ends the connection, which flushes the
     * send.
     */
    void sendNotTold(Throwable cause) {
        notTold(cause);
        try {
            failLocally("no completion could be given for a work request: " + cause);
        } catch (Throwable e) {
            Faults.suppress(cause, e); // its thread has ended, or the next call of the program notifies it
        }
    }

    @Override
    public boolean reserves() {
        return false;
    }

    @Override
    public void roomAgain() {
        // Queue pairs of type RC reserve no entries.
    }

    @Override
    public void bindingEnded(int stag) {
        completer().bindingEnded(stag);
    }

    /** Runs {@code task} under the locks of both work queues. */
    void withoutPosts(Runnable task) {
        WorkQueue.withoutPosts(sends, receives, task);
    }

    // ---- other properties

    @Override
    public QueuePairInformation query() {
        QueuePairConnection current = connection;
        LlpConnection llp = current == null ? null : current.owner();
        LlpAgreement agreement = current == null ? null : current.agreement();
        return new QueuePairInformation(
                state(),
                streamState(),
                llp == null ? null : llp.localAddress(),
                llp == null ? null : llp.remoteAddress(),
                agreement == null ? 0 : agreement.ird(),
                agreement == null ? 0 : agreement.ord(),
                sends.operations().size(),
                receives.queue.outstanding(),
                completer().diagnosis());
    }

    /** {@return the threads that wait for connections of this queue pair} */
    Waiters waiters() {
        return waiters;
    }

    @Override
    public void close() {
        QueuePairConnection waited = connection;
        if (waited != null) {
            waited.checkMayFinish();
        }
        withoutPosts(() -> move(Event.CLOSE));
        if (phase == QueuePairPhase.GONE) {
            return;
        }
        // After an exception below, the queue pair stays registered, so that it can be closed again.
        QueuePairConnection current = connection;
        if (current != null) {
            current.finish();
        }
        withoutPosts(() -> {
            if (connection == null) {
                flush();
            }
        });
        completer().endBindings();
        home.queuePairs().remove(this);
        move(Event.FORGOTTEN); // a closed queue pair has no other transition
    }

    @Override
    public boolean closed() {
        return phase.closed();
    }

    /** {@return whether all work requests are complete} */
    boolean idle() {
        return sends.operations().size() == 0 && receives.queue.outstanding() == 0;
    }

    /** {@return the connection; null if there is none} Modified under the locks of both work queues. */
    @Nullable
    QueuePairConnection connection() {
        return connection;
    }
}
