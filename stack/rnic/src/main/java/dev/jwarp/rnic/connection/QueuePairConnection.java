package dev.jwarp.rnic.connection;

import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.rdmap.RdmapStream;
import dev.jwarp.rdmap.ReceiveDetails;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rdmap.StreamListener;
import dev.jwarp.rdmap.StreamState;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import dev.jwarp.rnic.connection.ConnectionLife.Event;
import dev.jwarp.rnic.connection.StreamCommands.Command;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.rnic.core.LastSteps;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.OwnerAnswer;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a queue pair. Connects the lower layer to the {@link RdmapStream}, listens to the stream, and
 * passes requests of the program (disconnect, fail, hold) to the thread that owns the connection. Ready when this
 * connection has ended, even if the queue pair has another connection by then.
 */
final class QueuePairConnection implements UpperLayer, StreamListener, Waitable {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairConnection.class);

    private static final long NOT_HELD = -1;

    private static final List<Consumer<QueuePairConnection>> LAST_STEPS = List.of(
            QueuePairConnection::explainEnd,
            stream -> stream.completions.end(), // completions of the stream come before flushed requests
            stream -> stream.queuePair.withoutPosts(stream.release),
            QueuePairConnection::tellOfLastReceive,
            QueuePairConnection::tellOfEnd,
            stream -> stream.home.liveConnections().over(stream),
            stream -> stream.context.progression().signal(stream));

    /** Listener for the end of a connection: the connection id, as its connection sees it. Owner of the connection. */
    interface End {
        /**
         * The connection has ended, and all its work requests are complete. Called again if this method threw.
         *
         * @param error null if it ended in order
         * @param how the end of a sentence that begins with the name of the connection
         * @param why the reason as a sentence, if the connection ended in error
         */
        void ended(@Nullable RdmaErrorCode error, String how, @Nullable String why);
    }

    private final Connections home;
    private final ContextCore context;
    private final RnicQueuePair queuePair;
    private final End told;
    private final OperationRing<SendOperation> sends;
    private final Completer completer;
    private final ConnectionLife life = new ConnectionLife();
    private final RdmapStream stream;
    private final StreamCompleter completions;
    private final StreamCommands commands = new StreamCommands(this::carryOut, this::leave);

    /** Written once, while no post is under way. */
    private volatile @Nullable LowerLayer lower;

    private volatile @Nullable LlpAgreement agreement;

    /** The connect that waits for the port mapper; null if there is none. */
    private volatile @Nullable DeferredConnect deferred;

    /** Keep-alive of the connection; null for the transport's settings. */
    private volatile @Nullable KeepAliveTimes keepAlive;

    // The rest belongs to the owner of the connection.

    /** Whether the peer closed its direction before this side wanted to end the connection. */
    private boolean peerEnded;

    /** Number of receives that completed without a message. */
    private int unfilled;

    /** Description of the error of this side that ends the connection. */
    private @Nullable String fault;

    /** Advice about the error of the peer that ends the connection. */
    private @Nullable String advice;

    /**
     * Number of sends posted when the send queue was held (SQD of the verbs), until SQ_DRAINED reports their
     * completion; or NOT_HELD.
     */
    private long drainedAt = NOT_HELD;

    /** Number of completed sends, including those before this connection. */
    private long completed;

    /**
     * Reason for the end; null after an orderly end. Stored here, because the program may reset the queue pair as soon
     * as there is no stream.
     */
    private @Nullable String why;

    // Allocated at the beginning, so that the end needs no memory.
    private final LastSteps<QueuePairConnection> lastSteps = new LastSteps<>(this, LAST_STEPS);
    private final Runnable release;

    QueuePairConnection(
            Connections home,
            RnicQueuePair queuePair,
            End told,
            OperationRing<SendOperation> sends,
            ReceiveSource receives) {
        this.home = home;
        context = home.context();
        this.queuePair = queuePair;
        this.told = told;
        release = () -> queuePair.connectionOver(this);
        this.sends = sends;
        completer = queuePair.completer();
        completions = new StreamCompleter(completer, commands);
        completed = sends.released();
        stream = new RdmapStream(
                home.streamSettings(),
                new RdmapStream.Rights(context.tags(), queuePair.protectionDomain(), queuePair.number()),
                sends,
                receives,
                this,
                context.counters().streams());
    }

    RdmapStream stream() {
        return stream;
    }

    /**
     * {@return whether {@code other} is the listener of this connection} A later connection of the queue pair may have
     * another listener.
     */
    boolean isOf(End other) {
        return told == other;
    }

    @Nullable
    LlpConnection owner() {
        return commands.owner();
    }

    /** {@return the state} Begun and released only under the locks of both work queues. */
    ConnectionLife life() {
        return life;
    }

    @Nullable
    LlpAgreement agreement() {
        return agreement;
    }

    // ---- the program's side; any thread

    /** Sets the transport's connection, which is the owner. */
    void owner(LlpConnection made) {
        commands.owner(made);
    }

    /** Sends were posted. */
    void posted() {
        LowerLayer layer = lower;
        if (layer != null) {
            layer.doorbell();
            if (stream.state() != StreamState.RTS) {
                postedAfterTheEnd();
            }
        }
    }

    /** A local operation was posted, which need not wait for the lower layer. */
    void postedLocal() {
        commands.ask(Command.PERFORM_LOCAL);
    }

    /** Requests were posted that may have to be flushed. */
    void postedAfterTheEnd() {
        commands.ask(Command.FLUSH);
    }

    /** Sets the keep-alive; null for the transport's settings. Call it before the connection is established. */
    void keepAlive(@Nullable KeepAliveTimes wanted) {
        keepAlive = wanted;
    }

    /** Sets the connect that waits for the port mapper; null if there is none. */
    void deferred(@Nullable DeferredConnect awaited) {
        deferred = awaited;
    }

    void disconnect() {
        life.move(Event.END_WANTED);
        requestEnd(Command.DISCONNECT);
    }

    /** Aborts the connection. */
    void fail() {
        requestEnd(Command.FAIL);
    }

    private void requestEnd(Command how) {
        commands.ask(how);
        DeferredConnect awaited = deferred;
        if (awaited != null) {
            awaited.abandon();
        }
    }

    /** {@return whether the connection ends in order or with a Terminate, so that waiting for the end makes sense} */
    boolean ending() {
        return life.state().ending();
    }

    /** Ends the stream with a Terminate, for a reason on this side. */
    void terminate(String reason) {
        completer.explain("This side ended the stream: " + reason + ".");
        requestEnd(Command.TERMINATE);
    }

    void holdSends(boolean hold) {
        commands.execute(() -> queuePair.withoutPosts(() -> {
            if (!life.state().ended()) {
                stream.holdSends(hold);
                drainedAt = hold ? sends.published() : NOT_HELD;
                tellIfDrained();
            }
        }));
    }

    /** Throws WRONG_STATE if {@link #finish} would have to wait, and the caller must not. */
    void checkMayFinish() {
        if (ready() || commands.owner() == null || !context.progression().movedHere()) {
            return;
        }
        if (!(ending() && drained().ready() && fence().ready())) { // another event loop's fence is not ready at once
            context.progression().checkMayWait();
        }
    }

    /**
     * Ends the connection when the queue pair or its id is closed, and waits until all work requests are complete.
     * Waits for an end in order. After a Terminate no request is outstanding, and the connection ends by itself. In any
     * other state, aborts the connection.
     */
    void finish() {
        DeferredConnect awaited = deferred;
        if (awaited != null) {
            awaited.abandonNow();
        }
        long patience = home.streamSettings().disconnectTimeoutNanos();
        Progression progression = context.progression();
        boolean ended = ending() && progression.awaitUninterruptibly(drained(), patience);
        if (!ended) {
            fail();
            fence().await(Long.MAX_VALUE);
            ended = progression.awaitUninterruptibly(this, patience);
        }
        // A stream that only waits for its peer to close stays; but its owner has to finish its current call.
        fence().await(Long.MAX_VALUE);
        // If only the id is closed, the program may still post to the queue pair; these requests are being flushed.
        // Without an owner, a connect is in progress, and its connection will be aborted.
        if (!ended && !ready() && !queuePair.idle() && commands.owner() != null) {
            LOG.error("{} was closed, but its connection does not end: a bug of jwarp or its transport", queuePair);
        }
    }

    @Override
    public boolean ready() {
        return life.over();
    }

    @Override
    public Waiters waiters() {
        return queuePair.waiters();
    }

    /**
     * {@return a condition: the connection accepts neither work nor input any more, and all work requests are complete}
     */
    private Waitable drained() {
        return new Waitable() {
            @Override
            public boolean ready() {
                return QueuePairConnection.this.ready()
                        || (queuePair.state() == QueuePairState.ERR && stream.inputEnded() && queuePair.idle());
            }

            @Override
            public Waiters waiters() {
                return queuePair.waiters();
            }
        };
    }

    /**
     * {@return an answer that is given when the owner has finished its current call, or when the connection has ended}
     *
     * @throws RdmaException INTERNAL if the owner's thread has ended and takes no tasks
     */
    OwnerAnswer fence() {
        // The end of the connection wakes the waiting threads, too: after the end, the owner may run no tasks.
        OwnerAnswer fence = new OwnerAnswer(context.progression(), waiters(), this::ready);
        if (commands.owner() == null) {
            fence.given(); // no owner yet, so no call in progress
            return fence;
        }
        try {
            commands.execute(fence::given);
        } catch (RuntimeException e) {
            throw new RdmaException(RdmaErrorCode.INTERNAL, "The thread that owned a connection has ended.", e);
        }
        return fence;
    }

    /** {@return whether the queue pair belongs to this domain} */
    boolean isIn(RnicProtectionDomain domain) {
        return queuePair.protectionDomain() == domain;
    }

    // ---- the lower layer's side; owner only

    private void carryOut(Command command) {
        ConnectionLife.State state = life.state();
        if (state.ended()) {
            return; // requested just before the end; the stream no longer handles posted requests
        }
        LlpConnection current = commands.owner();
        if (state == ConnectionLife.State.BEGUN || state == ConnectionLife.State.UNWANTED) {
            // The stream is not established: the transport reports the failed set-up to the connection manager.
            if (command.ends() && current != null) {
                current.abort();
            }
            return;
        }
        long now = context.progression().now();
        switch (command) {
            case FLUSH -> stream.flushPosted(now);
            case PERFORM_LOCAL -> stream.performLocal(now);
            case DISCONNECT -> stream.disconnect(now);
            case TERMINATE -> stream.terminate(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, now);
            case FAIL -> stream.fail(now);
        }
    }

    private void leave() {
        try {
            commands.leave();
            completions.release();
            tellIfDrained();
        } finally {
            ConnectionLife.State now = life.state();
            if (now.ended() && life.how() != null) {
                lastSteps.run();
            } else if (!now.ended() && now != ConnectionLife.State.OPEN) {
                context.progression().signal(this); // a thread that closes the queue pair may wait for posted requests
            }
            LowerLayer layer = lower;
            if (layer != null) {
                completions.deliver(layer);
            }
        }
    }

    private void tellIfDrained() {
        if (drainedAt != NOT_HELD && completed >= drainedAt) {
            drainedAt = NOT_HELD;
            String sentence = "The send queue of " + queuePair + " is drained.";
            context.asyncEvents().add(AsyncEventType.SQ_DRAINED, queuePair, sentence);
        }
    }

    @Override
    public void onEstablished(LowerLayer layer, LlpAgreement agreed, long nowNanos) {
        if (layer instanceof LlpConnection made) {
            commands.owner(made);
        }
        queuePair.withoutPosts(() -> {
            if (life.move(Event.ESTABLISHED)) {
                lower = layer;
            }
        });
        if (lower != layer) {
            layer.abort(); // connect or accept threw
            return;
        }
        agreement = agreed;
        KeepAliveTimes wanted = keepAlive;
        if (wanted != null) {
            layer.keepAlive(wanted);
        }
        commands.enter();
        try {
            stream.onEstablished(layer, agreed, nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
        commands.enter();
        stream.onUlpdu(buffer, offset, length, nowNanos);
    }

    @Override
    public boolean wantsToSend() {
        return stream.wantsToSend();
    }

    @Override
    public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
        commands.enter();
        return stream.pollUlpdu(out, nowNanos);
    }

    @Override
    public int weight() {
        return queuePair.attributes().weight();
    }

    @Override
    public void onTransmitted(long nowNanos) {
        commands.enter();
        stream.onTransmitted(nowNanos);
    }

    @Override
    public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {
        commands.enter();
        stream.onLlpError(code, mayAnswer, nowNanos);
    }

    @Override
    public void advise(String sentence) {
        advice = sentence;
    }

    @Override
    public void onPeerClosed(long nowNanos) {
        peerEnded |= life.state() == ConnectionLife.State.OPEN;
        commands.enter();
        stream.onPeerClosed(nowNanos);
    }

    @Override
    public void onFault(Throwable cause, long nowNanos) {
        String sentence = FailureNames.fault(cause);
        fault = sentence;
        if (!life.state().ended()) { // otherwise the queue pair may have another stream
            completer.explain(sentence);
        }
    }

    @Override
    public void onClosed(LlpEnd how, long nowNanos) {
        if (life.state().ended() && life.how() == null) {
            return; // never established, or aborted in onEstablished: posted requests do not belong to this stream
        }
        life.lowerGone(how);
        commands.enter();
        try {
            stream.onClosed(how, nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public void settled() {
        if (commands.inStream()) {
            leave();
        }
    }

    @Override
    public long nextTimeout() {
        return stream.nextTimeout();
    }

    @Override
    public void onTimeout(long nowNanos) {
        commands.enter();
        stream.onTimeout(nowNanos);
    }

    // ---- callbacks of the stream; owner only, within a call into the stream

    @Override
    public void sendCompleted(SendOperation operation, OperationStatus status) {
        if (status == OperationStatus.REM_ABORT_ERR && peerEnded) {
            life.failed();
            completer.explain(FailureNames.unanswered());
        }
        completions.sendCompleted(operation, status);
        completed++;
    }

    @Override
    public void receiveCompleted(ReceiveOperation operation, OperationStatus status, ReceiveDetails details) {
        if (status == OperationStatus.WR_FLUSH_ERR) {
            unfilled++;
        }
        completions.receiveCompleted(operation, status, details);
    }

    @Override
    public void stateChanged(StreamState state) {
        if (state == StreamState.TERMINATE) {
            life.move(Event.END_WANTED);
        } else if (state == StreamState.ERROR) {
            life.move(Event.FAILED);
        }
        queuePair.streamChanged(state);
    }

    @Override
    public void peerClosed() {
        // The verbs have no half-closed connections: this side sends the posted requests, then closes its direction,
        // too (RFC 5041 §6.2.1).
        life.move(Event.END_WANTED);
        commands.add(Command.DISCONNECT);
    }

    @Override
    public void failed(@Nullable TerminateCode code, boolean foundHere, @Nullable TerminateMessage message) {
        life.failed();
        String sentence = fault == null ? FailureNames.sentence(code, foundHere, message, life.how()) : fault;
        if (advice != null) {
            sentence += " " + advice;
        }
        completer.explain(sentence);
        if (foundHere && code != null && code.ofSender()) {
            sentence = Objects.requireNonNullElse(completer.diagnosis(), sentence); // the failed part's own diagnosis
        }
        context.asyncEvents().add(FailureNames.eventType(code, foundHere), queuePair, queuePair + ": " + sentence);
    }

    @Override
    public void closed(LlpEnd how) {
        life.move(Event.CLOSED);
    }

    /** Start-up failed. Owner only. If the stream was established nevertheless, its end follows. */
    void neverBegan(String sentence) {
        completer.explain(sentence);
        life.move(Event.NEVER_BEGAN);
        if (life.state().ended()) {
            lastSteps.run();
        }
    }

    private void explainEnd() {
        LlpEnd how = life.how();
        if (how != null && !life.inOrder()) {
            completer.explain(FailureNames.lost(how));
        }
        why = completer.diagnosis();
    }

    private void tellOfLastReceive() {
        if (life.how() != null && queuePair.shared() != null && !queuePair.closed()) {
            String sentence = queuePair + " takes no more receives from " + queuePair.shared() + ".";
            context.asyncEvents().add(AsyncEventType.QP_LAST_WQE_REACHED, queuePair, sentence);
        }
    }

    private void tellOfEnd() {
        if (life.how() != null) {
            told.ended(error(), how(), why);
        }
    }

    private @Nullable RdmaErrorCode error() {
        if (life.inOrder()) {
            return null;
        }
        return life.how() == LlpEnd.TIMED_OUT && fault == null ? RdmaErrorCode.TIMED_OUT : RdmaErrorCode.DISCONNECTED;
    }

    private String how() {
        if (!life.inOrder()) {
            return "ended in error. " + why;
        }
        return peerEnded && unfilled > 0
                ? "was closed by the peer, and " + unfilled
                        + " posted receives came back without a message. A process that was killed ends like this too."
                : "ended in order.";
    }
}
