package dev.jwarp.rnic.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.SourceDrops;
import dev.jwarp.rdmap.datagram.DatagramCounter;
import dev.jwarp.rdmap.datagram.DatagramEndpoint;
import dev.jwarp.rdmap.datagram.DatagramEvent;
import dev.jwarp.rdmap.datagram.DatagramListener;
import dev.jwarp.rdmap.datagram.DatagramOperation;
import dev.jwarp.rdmap.datagram.DatagramReceipt;
import dev.jwarp.rdmap.datagram.MessageRecord;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rnic.completion.RangeValidity;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.rnic.datagram.DatagramQueuePairPhase.Event;
import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.rnic.progress.OwnerAnswer;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.DroppedSource;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Connects a port to the {@link DatagramEndpoint} of a queue pair. Listens to the endpoint, and publishes completions
 * after each group of calls into the endpoint.
 */
final class QueuePairEndpoint implements DatagramUpperLayer, DatagramListener {
    /** Time-out for answers of the owner: far longer than any call of the owner takes. */
    static final long PATIENCE_NANOS = 10_000_000_000L;

    private final ContextCore core;
    private final RnicDatagramQueuePair queuePair;
    private final DatagramCompleter completer;
    private final DatagramEndpoint endpoint;
    private volatile @Nullable DatagramLowerLayer lower;
    private final OwnerAnswer attached;
    private volatile @Nullable OwnerAnswer resumed;

    /**
     * A peer failed, and the queue pair stops at failures of peers: it stops after the current call into the endpoint.
     * Owner only.
     */
    private boolean stopWanted;

    QueuePairEndpoint(
            ContextCore core,
            RnicDatagramQueuePair queuePair,
            DatagramCompleter completer,
            Function<DatagramListener, DatagramEndpoint> maker) {
        this.core = core;
        this.queuePair = queuePair;
        this.completer = completer;
        endpoint = maker.apply(this);
        attached = answer();
    }

    // ---- any thread

    DatagramEndpoint endpoint() {
        return endpoint;
    }

    Tally<DatagramCounter> counters() {
        return endpoint.counters();
    }

    /** Attaches the queue pair to {@code port}; returns when datagrams can arrive. */
    void attach(DatagramPort port, DatagramService service, int number, int key, boolean byDefault) {
        DatagramLowerLayer layer = port.attach(service, number, key, byDefault, this);
        lower = layer;
        boolean done = false;
        try {
            attached.awaitSurely(PATIENCE_NANOS, queuePair + " is to be attached");
            done = attached.await(0);
        } finally {
            if (!done) {
                layer.detach();
            }
        }
        if (!done) {
            throw new RdmaException(RdmaErrorCode.INTERNAL, queuePair + " could not be attached: the log says why.");
        }
    }

    DatagramLowerLayer lower() {
        return Objects.requireNonNull(lower);
    }

    /** {@return whether the port knows the queue pair, or once knew it} No events occur before that. */
    boolean wasAttached() {
        return lower != null;
    }

    /** {@return a new answer of the owner, which is also ready when the queue pair is detached} */
    OwnerAnswer answer() {
        return new OwnerAnswer(core.progression(), queuePair::detached);
    }

    void stop() {
        onOwner(() -> {
            queuePair.move(Event.FAIL); // the phase may have changed to RTS since the request
            stopEndpoint(now());
        });
    }

    /** Makes the queue pair fail for a local reason. Any thread. */
    void fail(String sentence) {
        onOwner(() -> failNow(sentence, now()));
    }

    private void failNow(String sentence, long nowNanos) {
        completer.explain(sentence);
        queuePair.move(Event.FAIL);
        try {
            core.asyncEvents().add(AsyncEventType.QP_FATAL, queuePair, queuePair + ": " + sentence);
        } finally {
            stopEndpoint(nowNanos);
        }
    }

    /**
     * Flushes the requests posted so far, and makes the endpoint work again for requests posted after {@link
     * #awaitResumed}.
     */
    void resume() {
        OwnerAnswer answer = answer();
        resumed = answer;
        onOwner(() -> {
            endpoint.stop(now());
            completer.explain(null);
            stopWanted = false; // the reason to stop is gone
            endpoint.resume();
            queuePair.move(Event.RESUME);
            answer.given();
        });
    }

    /** Waits until the endpoint works again. The caller must not hold a lock that the owner may need. */
    void awaitResumed() {
        OwnerAnswer answer = resumed;
        if (answer != null) {
            answer.awaitSurely(PATIENCE_NANOS, queuePair + " is to work again");
        }
    }

    /**
     * Makes a failed peer usable again; returns when requests to that peer are no longer flushed. The caller must not
     * hold a lock that the owner may need.
     */
    void resetPeer(DatagramPeer peer) {
        OwnerAnswer answer = answer();
        onOwner(() -> {
            lower().resetPeer(peer);
            answer.given();
        });
        answer.awaitSurely(PATIENCE_NANOS, "a peer of " + queuePair + " is to be used again");
    }

    /**
     * A region was deregistered. {@code answer} is given when no data of a peer is placed there any more, even if this
     * task throws: then the owner has left the call, and the queue pair fails.
     */
    void deregistered(TaggedBuffer registration, OwnerAnswer answer) {
        lower().execute(() -> {
            try {
                perform(() -> endpoint.deregistered(registration, now()));
            } finally {
                answer.given();
            }
        });
    }

    /** {@return which bytes of a part of a region are valid} Waits for the owner. */
    RangeValidity validity(MemoryRegion region, long offset, long length) {
        if (!(region instanceof RnicMemoryRegion own)
                || offset < 0
                || length < 0
                || offset > region.length() - length) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    length + " bytes from byte " + offset + " on are not inside " + region + ".");
        }
        RangeValidity validity = new RangeValidity(length);
        OwnerAnswer answer = answer();
        onOwner(() -> {
            endpoint.validity(own.tagged(), region.address() + offset, length, validity::add);
            answer.given();
        });
        answer.awaitSurely(PATIENCE_NANOS, "what of " + region + " is valid");
        return validity;
    }

    /** {@return the sources whose datagrams the port dropped} Waits for the owner. */
    List<DroppedSource> sourceDrops(DatagramPort port) {
        AtomicReference<List<SourceDrops>> told = new AtomicReference<>(List.of());
        OwnerAnswer answer = answer();
        port.sourceDrops(all -> {
            told.set(all);
            answer.given();
        });
        answer.awaitSurely(PATIENCE_NANOS, "the sources of dropped datagrams");
        return Objects.requireNonNull(told.get()).stream()
                .map(drops -> new DroppedSource(drops.source(), drops.datagrams(), drops.lastCause()))
                .toList();
    }

    /** Runs {@code task} on the owner's thread, then publishes completions. */
    void onOwner(Runnable task) {
        lower().execute(() -> perform(task));
    }

    private void perform(Runnable task) {
        if (!queuePair.detached()) {
            task.run();
            leave();
        }
    }

    private void stopEndpoint(long nowNanos) {
        boolean worked = endpoint.working();
        endpoint.stop(nowNanos);
        RnicSharedReceiveQueue shared = queuePair.shared();
        if (worked && shared != null) {
            String sentence = queuePair + " takes no more receives from " + shared + " until it works again.";
            core.asyncEvents().add(AsyncEventType.QP_LAST_WQE_REACHED, queuePair, sentence);
        }
    }

    private long now() {
        return core.progression().now();
    }

    // ---- the port; owner

    private void leave() {
        completer.release();
        if (stopWanted) {
            stopAsWanted(now()); // the clock is read for a stop alone: each message comes this way
            completer.release();
        }
        completer.deliver(lower());
    }

    private void stopAsWanted(long nowNanos) {
        stopWanted = false;
        stopEndpoint(nowNanos);
    }

    @Override
    public void onAttached(DatagramLowerLayer layer, long nowNanos) {
        lower = layer;
        endpoint.onAttached(layer, nowNanos);
        attached.given();
    }

    @Override
    public boolean asked(ReceivedDatagram reply) {
        return endpoint.asked(reply);
    }

    @Override
    public boolean working() {
        return endpoint.working();
    }

    @Override
    public int weight() {
        return endpoint.weight();
    }

    @Override
    public boolean hasOutput() {
        return endpoint.hasOutput();
    }

    @Override
    public SegmentFate onSegment(ReceivedDatagram segment, long nowNanos) {
        return endpoint.onSegment(segment, nowNanos);
    }

    @Override
    public boolean wantsNext() {
        return endpoint.wantsNext();
    }

    @Override
    public boolean onNextSegment(ByteBuffer buffer, int before, int offset, long nowNanos) {
        return endpoint.onNextSegment(buffer, before, offset, nowNanos);
    }

    @Override
    public TerminateCode refusal() {
        return endpoint.refusal();
    }

    @Override
    public String cause() {
        return endpoint.cause();
    }

    @Override
    public void onNotify(ReceivedDatagram reply, int control, long nowNanos) {
        endpoint.onNotify(reply, control, nowNanos);
    }

    @Override
    public void onChallenge(ReceivedDatagram reply, long cookieHigh, long cookieLow, long nowNanos) {
        endpoint.onChallenge(reply, cookieHigh, cookieLow, nowNanos);
    }

    @Override
    public boolean pollSegment(SegmentWriter out, long nowNanos) {
        return endpoint.pollSegment(out, nowNanos);
    }

    @Override
    public void onSilent(DatagramPeer peer, long nowNanos) {
        endpoint.onSilent(peer, nowNanos);
    }

    @Override
    public boolean repeatSegment(OutboundMessage message, int index, SegmentWriter out, long nowNanos) {
        return endpoint.repeatSegment(message, index, out, nowNanos);
    }

    @Override
    public void onTransmitted(long nowNanos) {
        endpoint.onTransmitted(nowNanos);
    }

    @Override
    public void onAccepted(OutboundMessage message, int segments, long nowNanos) {
        endpoint.onAccepted(message, segments, nowNanos);
    }

    @Override
    public void onUnsendable(OutboundMessage message, String sentence, long nowNanos) {
        endpoint.onUnsendable(message, sentence, nowNanos);
    }

    @Override
    public void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos) {
        endpoint.onChannelLost(peer, status, code, all, nowNanos);
        if (stopWanted) {
            stopAsWanted(nowNanos); // at once, not after the engine's call: requests to other peers must not leave
        }
    }

    @Override
    public void onVersionList(ReceivedDatagram reply, int versions, long nowNanos) {
        endpoint.onVersionList(reply, versions, nowNanos);
    }

    @Override
    public long nextTimeout() {
        return endpoint.nextTimeout();
    }

    @Override
    public void onTimeout(long nowNanos) {
        endpoint.onTimeout(nowNanos);
    }

    @Override
    public void settled() {
        leave();
    }

    @Override
    public void onFault(Throwable cause, long nowNanos) {
        try {
            failNow(FailureNames.fault(cause), nowNanos);
        } finally {
            completer.release();
            completer.deliver(lower());
        }
    }

    @Override
    public void onDetached(long nowNanos) {
        try {
            endpoint.onDetached(nowNanos);
        } catch (Throwable e) {
            completer.explain(FailureNames.fault(e));
            endpoint.onDetached(nowNanos); // continues after the step that threw
        } finally {
            queuePair.move(Event.DETACH);
            completer.end();
            completer.sendCompletions().deliverLater(); // the port may be closed, so no further call delivers
            completer.receiveCompletions().deliverLater();
            core.progression().signal(queuePair);
        }
    }

    // ---- callbacks of the endpoint; owner, within a call into the endpoint

    @Override
    public void sendCompleted(DatagramOperation operation, OperationStatus status, @Nullable MessageRecord record) {
        completer.sendCompleted(operation, status, record);
    }

    @Override
    public void receiveCompleted(ReceiveOperation operation, OperationStatus status, DatagramReceipt receipt) {
        completer.receiveCompleted(operation, status, receipt);
    }

    @Override
    public boolean writeRecorded(MessageRecord record) {
        return completer.writeRecorded(record);
    }

    @Override
    public void event(DatagramEvent event) {
        core.asyncEvents().add(DatagramEvents.of(event, queuePair));
        if (event.kind() == DatagramEvent.Kind.PEER_LOST && queuePair.stopsForAll()) {
            stopWanted = true;
        }
    }

    @Override
    public void detached() {
        // onDetached moves the queue pair after the call into the endpoint.
    }
}
