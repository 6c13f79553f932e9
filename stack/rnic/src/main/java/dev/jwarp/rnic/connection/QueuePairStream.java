package dev.jwarp.rnic.connection;

import dev.jwarp.ddp.OperationStatus;
import dev.jwarp.ddp.TerminateCode;
import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.LlpAgreement;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpEnd;
import dev.jwarp.ddp.llp.LowerLayer;
import dev.jwarp.ddp.llp.UlpduWriter;
import dev.jwarp.ddp.llp.UpperLayer;
import dev.jwarp.rdmap.OperationRing;
import dev.jwarp.rdmap.RdmapStream;
import dev.jwarp.rdmap.ReceiveDetails;
import dev.jwarp.rdmap.ReceiveOperation;
import dev.jwarp.rdmap.ReceiveSource;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rdmap.StreamListener;
import dev.jwarp.rdmap.StreamState;
import dev.jwarp.rdmap.TerminateMessage;
import dev.jwarp.rnic.connection.StreamWishes.Wish;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.LastSteps;
import dev.jwarp.rnic.core.StreamFailures;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a queue pair: stands between the lower layer and the {@link RdmapStream}, hears what the stream has to
 * tell, and carries the program's wishes (disconnect, fail, hold) to the thread that owns the connection. Ready when it is
 * over, whatever stream the queue pair has by then.
 */
final class QueuePairStream implements UpperLayer, StreamListener, Waitable, PostTarget, LiveStream {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairStream.class);

    private final ConnectionCore core;
    private final ContextCore context;
    private final RnicQueuePair queuePair;
    private final StreamEnd told;
    private final OperationRing<SendOperation> sends;
    private final Completer completer;
    private final RdmapStream stream;
    private final StreamCompleter completions;
    private final OwnerTasks owner = new OwnerTasks();
    private volatile @Nullable LowerLayer lower;
    private volatile @Nullable LlpAgreement agreement;
    private volatile boolean closing;
    private volatile boolean finishing;

    /** Its keep-alive; null for the transport's settings. Before it begins. */
    private volatile @Nullable KeepAliveTimes keepAlive;

    // The rest belongs to the owner of the connection.
    private final StreamWishes wishes = new StreamWishes(this::fulfil);
    private boolean failed;

    /** The peer ended its direction, and this side had not wanted to. */
    private boolean peerEnded;

    /** RDMA Reads and Atomics without an answer for that, and receives without a message. */
    private int unanswered;

    private int unfilled;

    /** What is said of the error of this side that ends it. */
    private @Nullable String fault;

    private final SendDrain drain;
    private @Nullable LlpEnd closedHow;

    /** How it ended; null before, and if it never began. */
    private @Nullable LlpEnd end;

    /** Why, in words; null if it ended in order. Kept here: the program may reset the queue pair as soon as it has no stream. */
    private @Nullable String why;

    private boolean over;

    /** What follows from the end. Made at the beginning: no memory is needed to come so far. */
    private final LastSteps lastSteps;

    QueuePairStream(
            ConnectionCore core,
            RnicQueuePair queuePair,
            StreamEnd told,
            OperationRing<SendOperation> sends,
            ReceiveSource receives,
            Completer completer) {
        this.core = core;
        context = core.context();
        this.queuePair = queuePair;
        this.told = told;
        this.sends = sends;
        this.completer = completer;
        completions = new StreamCompleter(completer);
        drain = new SendDrain(context, queuePair, sends.released());
        Runnable gone = () -> queuePair.streamOver(this);
        lastSteps = new LastSteps(
                this::explainEnd,
                completions::end, // what the stream has completed comes before what it left
                () -> queuePair.withoutPosts(gone),
                this::tellOfLastReceive,
                this::tellOfEnd,
                () -> core.liveStreams().over(this),
                () -> context.progression().signal(this));
        stream = new RdmapStream(
                core.streamSettings(),
                context.tags(),
                queuePair.protectionDomain(),
                queuePair.number(),
                sends,
                receives,
                this,
                context.counters().streams());
    }

    RdmapStream stream() {
        return stream;
    }

    /** {@return whether it is the connection of which this one is told} A queue pair may come to another one later. */
    boolean isOf(StreamEnd other) {
        return told == other;
    }

    @Nullable
    LlpConnection connection() {
        return owner.connection();
    }

    /** {@return whether it has begun} Changes only while nobody posts. */
    boolean hasLower() {
        return lower != null;
    }

    @Nullable
    LlpAgreement agreement() {
        return agreement;
    }

    // ---- the program's side; any thread

    /** The connection is known. */
    void connection(LlpConnection made) {
        owner.connection(made);
    }

    @Override
    public void posted() {
        LowerLayer layer = lower;
        if (layer != null) {
            layer.doorbell();
            if (stream.state() != StreamState.RTS) {
                postedAfterTheEnd();
            }
        }
    }

    @Override
    public void postedLocal() {
        owner.run(() -> wish(Wish.PERFORM_LOCAL));
    }

    @Override
    public void postedAfterTheEnd() {
        owner.run(() -> wish(Wish.FLUSH));
    }

    /** Its keep-alive; null for the transport's settings. Before it begins. */
    void keepAlive(@Nullable KeepAliveTimes wanted) {
        keepAlive = wanted;
    }

    void disconnect() {
        closing = true;
        owner.run(() -> wish(Wish.DISCONNECT));
    }

    @Override
    public void fail() {
        owner.run(() -> wish(Wish.FAIL));
    }

    @Override
    public boolean ending() {
        return closing || stream.state() == StreamState.TERMINATE;
    }

    /** Ends the stream with a Terminate, for a reason on this side. */
    void terminate(String reason) {
        completer.explain("This side ended the stream: " + reason + ".");
        owner.run(() -> wish(Wish.TERMINATE));
    }

    void holdSends(boolean hold) {
        owner.run(() -> queuePair.withoutPosts(() -> {
            if (!over) {
                stream.holdSends(hold);
                drain.hold(hold, sends.published());
            }
        }));
    }

    /**
     * The queue pair or its id is being closed: waits until everything posted has come back. An end in order is waited
     * for; after a Terminate nothing is outstanding any more, and the connection ends without us; anything else is aborted.
     */
    void finish() {
        finishing = true;
        long patience = core.streamSettings().disconnectTimeoutNanos();
        Progression progression = context.progression();
        boolean ended = ending() && progression.awaitUninterruptibly(drained(), patience);
        if (!ended) {
            fail();
            fence().await(Long.MAX_VALUE);
            ended = progression.awaitUninterruptibly(this, patience);
        }
        // A stream that is only waiting for its peer to close is left alone, once its owner is out of it.
        fence().await(Long.MAX_VALUE);
        // Only an id may be closed, and its program still post to the queue pair: what that posts is on its way back.
        // Without a connection a call that makes one is under way: what it makes is aborted.
        if (!ended && !ready() && !queuePair.idle() && owner.connection() != null) {
            LOG.error("{} was closed, but its connection does not end: a bug of jwarp or its transport", queuePair);
        }
    }

    @Override
    public boolean ready() {
        return queuePair.stream() != this;
    }

    @Override
    public Waiters waiters() {
        return queuePair.waiters();
    }

    /** {@return what is ready when it takes neither work nor input any more and everything posted has come back} */
    private Waitable drained() {
        return new Waitable() {
            @Override
            public boolean ready() {
                return QueuePairStream.this.ready()
                        || (queuePair.state() == QueuePairState.ERR && stream.inputEnded() && queuePair.idle());
            }

            @Override
            public Waiters waiters() {
                return queuePair.waiters();
            }
        };
    }

    @Override
    public OwnerAnswer fence() {
        // Who waits for it sleeps where those do who wait for the end: the
        // owner of a stream that is over may run no tasks.
        OwnerAnswer fence = new OwnerAnswer(context.progression(), waiters(), this::ready);
        if (owner.connection() == null) {
            fence.given(); // there is no owner yet, and nothing has come
            return fence;
        }
        try {
            owner.run(fence::given);
        } catch (RuntimeException e) {
            throw new RdmaException(RdmaErrorCode.INTERNAL, "The thread that owned a connection has ended.", e);
        }
        return fence;
    }

    @Override
    public boolean isIn(RnicProtectionDomain domain) {
        return queuePair.protectionDomain() == domain;
    }

    // ---- the lower layer's side; owner only

    private void fulfil(Wish wish) {
        if (over) {
            return; // asked just before the end: what is left is no longer the stream's
        }
        LowerLayer layer = lower;
        if (layer == null) {
            // There is no stream yet: the transport will tell the connection manager that the set-up failed.
            LlpConnection current = owner.connection();
            if (wish.ends() && current != null) {
                current.abort();
            }
            return;
        }
        long now = context.progression().now();
        switch (wish) {
            case FLUSH -> stream.flushPosted(now);
            case PERFORM_LOCAL -> stream.performLocal(now);
            case DISCONNECT -> stream.disconnect(now);
            case TERMINATE -> stream.terminate(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, now);
            case FAIL -> stream.fail(now);
        }
    }

    private void leave() {
        try {
            settle();
        } finally {
            if (end != null) {
                over = true;
                lastSteps.run();
            }
        }
    }

    private void settle() {
        if (completions.takeLoss()) {
            wishes.add(Wish.TERMINATE);
        }
        wishes.leave();
        completions.release();
        drain.tellIfDue();
        if (finishing) {
            context.progression().signal(this);
        }
    }

    private void wish(Wish what) {
        wishes.add(what);
        if (!wishes.inStream()) {
            wishes.enter();
            leave();
        }
    }

    @Override
    public void onEstablished(LowerLayer layer, LlpAgreement agreed, long nowNanos) {
        if (layer instanceof LlpConnection made) {
            owner.connection(made);
        }
        queuePair.withoutPosts(() -> {
            if (queuePair.stream() == this) {
                lower = layer;
            }
        });
        if (lower == null) {
            layer.abort(); // the call that was to make the connection threw
            return;
        }
        agreement = agreed;
        KeepAliveTimes wanted = keepAlive;
        if (wanted != null) {
            layer.keepAlive(wanted);
        }
        wishes.enter();
        try {
            stream.onEstablished(layer, agreed, nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
        wishes.enter();
        try {
            stream.onUlpdu(buffer, offset, length, nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public boolean wantsToSend() {
        return stream.wantsToSend();
    }

    @Override
    public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
        wishes.enter();
        try {
            return stream.pollUlpdu(out, nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public void onTransmitted(long nowNanos) {
        wishes.enter();
        try {
            stream.onTransmitted(nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {
        wishes.enter();
        try {
            stream.onLlpError(code, mayAnswer, nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public void onPeerClosed(long nowNanos) {
        peerEnded |= !closing && !stream.inputEnded();
        wishes.enter();
        try {
            stream.onPeerClosed(nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public void onFault(Throwable cause, long nowNanos) {
        String sentence = StreamFailures.fault(cause);
        fault = sentence;
        if (!over) { // else the queue pair may have another stream by now
            completer.explain(sentence);
        }
    }

    @Override
    public void onClosed(LlpEnd how, long nowNanos) {
        if (lower == null && queuePair.stream() != this) {
            return; // the connection was refused in onEstablished: what is posted is not this stream's
        }
        closedHow = how;
        wishes.enter();
        try {
            stream.onClosed(how, nowNanos);
        } finally {
            leave();
        }
    }

    @Override
    public long nextTimeout() {
        return stream.nextTimeout();
    }

    @Override
    public void onTimeout(long nowNanos) {
        wishes.enter();
        try {
            stream.onTimeout(nowNanos);
        } finally {
            leave();
        }
    }

    // ---- what the stream tells; owner only, from within a call into it

    @Override
    public void sendCompleted(SendOperation operation, OperationStatus status) {
        if (status == OperationStatus.REM_ABORT_ERR && peerEnded) {
            unanswered++;
            completer.explain(StreamFailures.unanswered());
        }
        completions.sendCompleted(operation, status);
        drain.completed();
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
        queuePair.streamChanged(state);
    }

    @Override
    public void peerClosed() {
        // Verbs know no half-open connection: what was posted goes out, then our direction ends too (RFC 5041 §6.2.1).
        closing = true;
        wish(Wish.DISCONNECT);
    }

    @Override
    public void failed(@Nullable TerminateCode code, boolean foundHere, @Nullable TerminateMessage message) {
        failed = true;
        String sentence = fault == null ? StreamFailures.sentence(code, foundHere, message, closedHow) : fault;
        completer.explain(sentence);
        if (foundHere && code != null && code.ofSender()) {
            sentence = Objects.requireNonNullElse(completer.diagnosis(), sentence); // the part that failed knows better
        }
        context.asyncEvents().add(StreamFailures.eventType(code, foundHere), queuePair, queuePair + ": " + sentence);
    }

    @Override
    public void closed(LlpEnd how) {
        end = how;
    }

    /** Start-up failed. Owner only. If the stream had begun all the same, its end is still to come. */
    void neverBegan(String sentence) {
        completer.explain(sentence);
        if (lower == null) {
            over = true;
            lastSteps.run();
        }
    }

    private boolean inOrder() {
        return end == LlpEnd.GRACEFUL && !failed && unanswered == 0;
    }

    private void explainEnd() {
        LlpEnd how = end;
        if (how != null && !inOrder()) {
            completer.explain(StreamFailures.lost(how));
        }
        why = completer.diagnosis();
    }

    private void tellOfLastReceive() {
        if (end != null && queuePair.shared() != null && !queuePair.closed()) {
            String sentence = queuePair + " takes no more receives from " + queuePair.shared() + ".";
            context.asyncEvents().add(AsyncEventType.QP_LAST_WQE_REACHED, queuePair, sentence);
        }
    }

    private void tellOfEnd() {
        if (end != null) {
            told.ended(error(), how(), why);
        }
    }

    private @Nullable RdmaErrorCode error() {
        if (inOrder()) {
            return null;
        }
        return end == LlpEnd.TIMED_OUT && fault == null ? RdmaErrorCode.TIMED_OUT : RdmaErrorCode.DISCONNECTED;
    }

    private String how() {
        if (!inOrder()) {
            return "ended in error. " + why;
        }
        return peerEnded && unfilled > 0
                ? "was closed by the peer, and " + unfilled
                        + " posted receives came back without a message. A process that was killed ends like this too."
                : "ended in order.";
    }
}
