package dev.jwarp.rnic.connection;

import dev.jwarp.base.Faults;
import dev.jwarp.ddp.llp.LlpAgreement;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.rdmap.StreamState;
import dev.jwarp.rnic.completion.CompletionUser;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.QueuePair;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair as the program sees it: its {@link WorkQueues}, and its state. What happens to what was posted is the
 * business of its {@link QueuePairStream} while it has one; otherwise it is flushed.
 */
public final class RnicQueuePair implements QueuePair, CompletionUser, QueueOwner {
    private final ConnectionCore core;
    private final ContextCore context;
    private final Consumer<RnicQueuePair> forget;
    private final RnicProtectionDomain domain;
    private final int number;
    private final QueuePairAttributes attributes;
    private final @Nullable RnicSharedReceiveQueue shared;
    private final Completer completer;
    private final WorkQueues queues;
    private final Waiters waiters;

    /** Changes only while no post is under way. */
    private volatile QueuePairPhase phase = QueuePairPhase.RESET;

    /** The stream of the connection, from connect or accept until it is over; changes only while no post is under way. */
    private volatile @Nullable QueuePairStream stream;

    private volatile @Nullable Object attachment;

    /**
     * A queue pair in state RESET.
     *
     * @param forget is given the queue pair when it is closed
     */
    RnicQueuePair(
            ConnectionCore core,
            RnicProtectionDomain domain,
            int number,
            QueuePairAttributes attributes,
            RnicCompletionQueue sendCompletions,
            RnicCompletionQueue receiveCompletions,
            @Nullable RnicSharedReceiveQueue shared,
            Consumer<RnicQueuePair> forget) {
        this.core = core;
        context = core.context();
        this.forget = forget;
        this.domain = domain;
        this.number = number;
        this.attributes = attributes;
        this.shared = shared;
        completer = new Completer(number, sendCompletions, receiveCompletions);
        queues = new WorkQueues(this, domain, attributes, shared, completer);
        waiters = context.progression().newWaiters();
    }

    // ---- posting

    @Override
    public void postSend(SendWorkRequest request) {
        if (!queues.post(request)) {
            throw full("send", attributes.maxSendWorkRequests());
        }
    }

    @Override
    public boolean tryPostSend(SendWorkRequest request) {
        return queues.post(request);
    }

    @Override
    public int postSend(SendWorkRequest[] requests, int count) {
        ContextCore.checkList(requests, count);
        return queues.post(requests, count);
    }

    @Override
    public void postReceive(ReceiveWorkRequest request) {
        if (!queues.post(request)) {
            throw full("receive", attributes.maxReceiveWorkRequests());
        }
    }

    @Override
    public boolean tryPostReceive(ReceiveWorkRequest request) {
        return queues.post(request);
    }

    @Override
    public int postReceive(ReceiveWorkRequest[] requests, int count) {
        ContextCore.checkList(requests, count);
        return queues.post(requests, count);
    }

    private RdmaException full(String queue, int limit) {
        return new RdmaException(
                RdmaErrorCode.QUEUE_FULL,
                "The " + queue + " queue of " + this + " is full: all its " + limit
                        + " work requests are outstanding. Take completions first, then post again.");
    }

    @Override
    public void checkOpen() {
        if (closed()) {
            throw new RdmaException(RdmaErrorCode.CLOSED, this + " is closed.");
        }
    }

    // ---- state

    @Override
    public QueuePairState state() {
        return phase.verbs();
    }

    @Override
    public QueuePairPhase phase() {
        return phase;
    }

    /** {@return false if the event is not allowed in this phase} While no post is under way. */
    boolean move(QueuePairEvent event) {
        QueuePairPhase next = QueuePairTransitions.TABLE.next(phase, event);
        if (next == null) {
            return false;
        }
        phase = next;
        return true;
    }

    @Override
    public String streamState() {
        QueuePairStream current = stream;
        if (current != null) {
            return current.stream().state().name();
        }
        return phase.flushes() ? StreamState.ERROR.name() : StreamState.IDLE.name();
    }

    @Override
    public void modify(QueuePairState target) {
        RdmaException.requireArgument(target, "target");
        queues.exclusively(() -> {
            checkOpen();
            change(target);
        });
    }

    private void change(QueuePairState target) {
        QueuePairEvent event = QueuePairEvent.modifyTo(target);
        QueuePairPhase next = event == null ? null : QueuePairTransitions.TABLE.next(phase, event);
        if (next == null) {
            throw noWay(target);
        }
        if (next == QueuePairPhase.RESET) {
            queues.flush();
            completer.reset();
        }
        phase = next;
        QueuePairStream current = stream;
        switch (next) {
            case ERR -> queues.flush();
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
    QueuePairStream begin(StreamEnd end) {
        AtomicReference<@Nullable QueuePairStream> made = new AtomicReference<>();
        queues.exclusively(() -> {
            checkOpen();
            if (phase != QueuePairPhase.INIT) {
                throw new RdmaException(
                        RdmaErrorCode.WRONG_STATE,
                        this + " is in state " + state()
                                + ": it must be in INIT to be connected. Make a new one, or modify"
                                + " it to RESET and INIT.");
            }
            // While no post is under way: it begins where the queues are now.
            QueuePairStream begun =
                    new QueuePairStream(core, this, end, queues.sends(), queues.receiveSource(), completer);
            core.liveStreams().began(begun);
            stream = begun;
            move(QueuePairEvent.BEGUN);
            made.set(begun);
        });
        return Objects.requireNonNull(made.get());
    }

    /**
     * The call that was to make the connection threw: back to where it was, unless the queue pair was closed or failed meanwhile.
     *
     * @return false if it is too late: the lower layer has begun, or has given it up, and the stream comes to an end of its own
     */
    boolean unbegin(QueuePairStream begun) {
        AtomicBoolean done = new AtomicBoolean();
        queues.exclusively(() -> {
            if (!begun.life().move(ConnectionEvent.RELEASED)) {
                return;
            }
            done.set(true);
            stream = null;
            move(QueuePairEvent.UNBEGUN);
            if (phase != QueuePairPhase.INIT) {
                queues.flush();
            }
        });
        if (done.get()) {
            core.liveStreams().over(begun);
            context.progression().signal(begun);
        }
        return done.get();
    }

    /** The stream is in another state. Owner of the stream. */
    void streamChanged(StreamState now) {
        QueuePairEvent event = now == StreamState.RTS ? QueuePairEvent.ESTABLISHED : QueuePairEvent.STREAM_ENDS;
        queues.exclusively(() -> move(event));
    }

    /**
     * This stream is over and completes nothing more: what it has left comes back. If that throws, it may be told again, also when
     * the program has begun anew meanwhile. While no post is under way: as soon as there is no stream the program may begin anew.
     */
    void streamOver(QueuePairStream ended) {
        if (ended.life().move(ConnectionEvent.RELEASED)) {
            stream = null;
            move(QueuePairEvent.RELEASED);
        }
        if (stream == null && phase.flushes()) {
            try {
                queues.flush();
            } finally {
                completer.endBindings();
            }
        }
    }

    /** Ends the stream from this side for a reason that is ours. Any thread. */
    @Override
    public void failLocally(String reason) {
        QueuePairStream current = stream;
        if (current != null) {
            current.terminate(reason);
        }
    }

    @Override
    public void handlerFailed(String reason) {
        failLocally(reason);
    }

    @Override
    public void notTold(Throwable cause) {
        context.failed("no completion could be given for a work request of " + this, cause);
    }

    @Override
    public void sendNotTold(Throwable cause) {
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
    public int mostOn(RnicCompletionQueue queue) {
        int sends = sendCompletions() == queue ? attributes.maxSendWorkRequests() : 0;
        return receiveCompletions() == queue && shared == null ? sends + attributes.maxReceiveWorkRequests() : sends;
    }

    @Override
    public void roomAgain() {
        // Queue pairs of connections set no places aside.
    }

    @Override
    public void bindingEnded(int stag) {
        completer.bindingEnded(stag);
    }

    /** Runs {@code task} while no post is under way. */
    void withoutPosts(Runnable task) {
        queues.exclusively(task);
    }

    // ---- the rest

    @Override
    public QueuePairInformation query() {
        QueuePairStream current = stream;
        LlpConnection connection = current == null ? null : current.connection();
        LlpAgreement agreement = current == null ? null : current.agreement();
        return new QueuePairInformation(
                state(),
                streamState(),
                connection == null ? null : connection.localAddress(),
                connection == null ? null : connection.remoteAddress(),
                agreement == null ? 0 : agreement.ird(),
                agreement == null ? 0 : agreement.ord(),
                queues.sendsOutstanding(),
                queues.receivesOutstanding(),
                completer.diagnosis());
    }

    @Override
    public RnicProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairAttributes attributes() {
        return attributes;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public void attach(@Nullable Object object) {
        attachment = object;
    }

    @Nullable
    public RnicSharedReceiveQueue shared() {
        return shared;
    }

    public Completer completer() {
        return completer;
    }

    /** {@return where threads sleep that wait for its streams} */
    Waiters waiters() {
        return waiters;
    }

    @Override
    public void close() {
        QueuePairStream waited = stream;
        if (waited != null) {
            waited.checkMayFinish();
        }
        queues.exclusively(() -> move(QueuePairEvent.CLOSE));
        if (phase == QueuePairPhase.GONE) {
            return;
        }
        // What throws here leaves it known, so that it can be closed again.
        QueuePairStream current = stream;
        if (current != null) {
            current.finish();
        }
        queues.exclusively(() -> {
            if (stream == null) {
                queues.flush();
            }
        });
        completer.endBindings();
        forget.accept(this);
        move(QueuePairEvent.FORGOTTEN); // nothing else moves what is closed
    }

    boolean closed() {
        return phase.closed();
    }

    /** {@return whether everything posted has come back} */
    boolean idle() {
        return queues.sendsOutstanding() == 0 && queues.receivesOutstanding() == 0;
    }

    public RnicCompletionQueue sendCompletions() {
        return completer.sendCompletions();
    }

    public RnicCompletionQueue receiveCompletions() {
        return completer.receiveCompletions();
    }

    @Override
    public @Nullable QueuePairStream stream() {
        return stream;
    }

    @Override
    public String toString() {
        return "queue pair " + number;
    }
}
