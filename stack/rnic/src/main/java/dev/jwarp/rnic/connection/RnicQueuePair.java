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
 * A queue pair with connections, as the program sees it: its queues, and its state. What happens to what was posted is the
 * business of its {@link QueuePairConnection} while it has one; otherwise it is flushed.
 */
public final class RnicQueuePair extends QueuePairBase<Completer> implements RnicMemoryWindow.User {
    private final Connections home;
    private final ContextCore context;
    private final SendQueue sends;
    private final Receives receives;
    private final Waiters waiters;

    /** Changes only while no post is under way. */
    private volatile QueuePairPhase phase = QueuePairPhase.RESET;

    /** From connect or accept until it is over; changes only while no post is under way. */
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

    /** The receive queue, from the side of those who post. */
    private final class Receives extends WorkQueue<ReceiveWorkRequest> {
        private final RequestMemory local = protectionDomain().requestMemory();
        private final ReceiveQueue queue = new ReceiveQueue(
                Math.max(1, attributes().maxReceiveWorkRequests()), attributes().maxReceiveElements());

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

        /** A receive posted in the error state comes back, in order: at once if there is no connection, else by its owner. */
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
            // Whoever takes them looks for one when a message comes.
        }

        @Override
        protected String full() {
            return RnicQueuePair.this.full("receive", attributes().maxReceiveWorkRequests());
        }
    }

    /** Completes everything as flushed. There must be no connection. While no post is under way. */
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

    /** {@return how far it has come; changes that matter to posts only while no post is under way} */
    QueuePairPhase phase() {
        return phase;
    }

    /** {@return false if the event is not allowed in this phase} While no post is under way. */
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
                    case RTR, RTS -> "The connection manager brings it there: use connect or accept of its CmId.";
                    case RESET -> "Modify it to ERR and wait until its connection is over.";
                    default -> "See QueuePairState for the ways there are.";
                };
        return new RdmaException(
                RdmaErrorCode.WRONG_STATE, this + " cannot go from " + state() + " to " + target + ". " + advice);
    }

    /**
     * A connection is about to be made.
     *
     * @param end is told that it is over
     * @return what the lower layer is to talk to
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
            // While no post is under way: it begins where the queues are now.
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
     * The call that was to make the connection threw: back to where it was, unless the queue pair was closed or failed meanwhile.
     *
     * @return false if it is too late: the lower layer has begun, or has given it up, and the connection comes to an end of its own
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

    /** The stream is in another state. Owner of the connection. */
    void streamChanged(StreamState now) {
        Event event = now == StreamState.RTS ? Event.ESTABLISHED : Event.STREAM_ENDS;
        withoutPosts(() -> move(event));
    }

    /**
     * This connection is over and completes nothing more: what it has left comes back. If that throws, it may be told
     * again, also when the program has begun anew meanwhile. While no post is under way: as soon as there is no
     * connection the program may begin anew.
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

    /** Ends the connection from this side for a reason that is ours. Any thread. */
    @Override
    public void failLocally(String reason) {
        QueuePairConnection current = connection;
        if (current != null) {
            current.terminate(reason);
        }
    }

    /**
     * Something threw behind the publication of a request: it is posted, and the program must not hear otherwise.
     * Throws nothing.
     */
    void notTold(Throwable cause) {
        context.failed("no completion could be given for a work request of " + this, cause);
    }

    /** As {@link #notTold}, of a send whose connection does not know of it: the connection ends, and with it what was posted. */
    void sendNotTold(Throwable cause) {
        notTold(cause);
        try {
            failLocally("no completion could be given for a work request: " + cause);
        } catch (Throwable e) {
            Faults.suppress(cause, e); // its thread is no more, or the next call of the program tells it
        }
    }

    @Override
    public boolean reserves() {
        return false;
    }

    @Override
    public void roomAgain() {
        // Queue pairs of connections set no places aside.
    }

    @Override
    public void bindingEnded(int stag) {
        completer().bindingEnded(stag);
    }

    /** Runs {@code task} while no post is under way. */
    void withoutPosts(Runnable task) {
        WorkQueue.withoutPosts(sends, receives, task);
    }

    // ---- the rest

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

    /** {@return where threads sleep that wait for its connections} */
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
        // What throws here leaves it known, so that it can be closed again.
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
        move(Event.FORGOTTEN); // nothing else moves what is closed
    }

    @Override
    public boolean closed() {
        return phase.closed();
    }

    /** {@return whether everything posted has come back} */
    boolean idle() {
        return sends.operations().size() == 0 && receives.queue.outstanding() == 0;
    }

    /** {@return what carries out what is posted; null while there is no connection} Changes only while no post is under way. */
    @Nullable
    QueuePairConnection connection() {
        return connection;
    }
}
