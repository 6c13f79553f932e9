package dev.jwarp.rnic.datagram;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.rdmap.datagram.DatagramEndpoint;
import dev.jwarp.rdmap.datagram.DatagramListener;
import dev.jwarp.rdmap.datagram.DatagramSettings;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.rnic.datagram.DatagramPorts.SharedPort;
import dev.jwarp.rnic.datagram.DatagramQueuePairPhase.Event;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.rnic.queuepair.QueuePairBase;
import dev.jwarp.rnic.queuepair.WorkQueue;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.DroppedSource;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.PlainDatagramHandler;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairInformation;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A datagram queue pair, as the program sees it. Its {@link QueuePairEndpoint} carries out the work requests. */
public final class RnicDatagramQueuePair extends QueuePairBase<DatagramCompleter>
        implements DatagramQueuePair, Waitable {
    /** The part of a context that a datagram queue pair uses. Any thread. */
    interface Home {
        /** {@return a new endpoint for a queue pair} */
        DatagramEndpoint newEndpoint(RnicDatagramQueuePair queuePair, DatagramListener listener);

        /** {@return the current limits of a queue pair} */
        DatagramSettings settings(RnicDatagramQueuePair queuePair);

        /** Removes a queue pair that is closed. */
        void remove(RnicDatagramQueuePair queuePair);
    }

    private final Home home;
    private final QueuePairType type;
    private final int key;
    private final DatagramAttributes datagramAttributes;
    private final SharedPort port;
    private final DatagramSendQueue sends;
    private final DatagramReceiveQueue receives;
    private final QueuePairEndpoint endpoint;
    private final Waiters waiters;
    private final AddressHandles handles;
    private volatile DatagramTimeouts timeouts;

    /** Changes under the monitor of {@link #endpoint}. */
    private volatile DatagramQueuePairPhase phase = DatagramQueuePairPhase.RTS;

    /** Type, port and key of a queue pair, which identify it to peers together with its number. */
    record Place(QueuePairType type, SharedPort port, int key) {}

    RnicDatagramQueuePair(
            Home home,
            RnicProtectionDomain domain,
            Place place,
            QueuePairAttributes attributes,
            DatagramCompleter completer,
            DatagramAttributes datagramAttributes) {
        super(domain, attributes, completer);
        this.home = home;
        type = place.type;
        key = place.key;
        port = place.port;
        this.datagramAttributes = datagramAttributes;
        timeouts = datagramAttributes.timeouts();
        ContextCore core = domain.core();
        waiters = new Waiters();
        handles = new AddressHandles(this, port.port());
        sends = new DatagramSendQueue(this);
        receives = new DatagramReceiveQueue(this);
        endpoint = new QueuePairEndpoint(core, this, completer, listener -> home.newEndpoint(this, listener));
    }

    /** Attaches the queue pair to its port; after that it can be used. */
    void attach() {
        try {
            endpoint.attach(port.port(), service(type), number(), key, datagramAttributes.byDefault());
        } catch (LlpException e) {
            throw FailureNames.exception(e);
        }
        if (closed()) { // while it was attached, with its domain or its context
            endpoint.lower().detach();
            checkOpen();
        }
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

    DatagramSendQueue sends() {
        return sends;
    }

    DatagramReceiveQueue receives() {
        return receives;
    }

    @Override
    public boolean reserves() {
        return true;
    }

    @Override
    public void roomAgain() {
        SharedReceives shared = receives.sharedReceives();
        if (shared != null) {
            shared.placesAgain();
        }
        endpoint.endpoint().completionsFreed();
    }

    @Override
    public void failLocally(String reason) {
        endpoint.fail("This side stopped the queue pair: " + reason + ".");
    }

    @Override
    public boolean closed() {
        return phase.closed();
    }

    /** {@return whether all work requests are complete and no events follow} */
    boolean detached() {
        return phase.detached();
    }

    /** {@return false if the event is not allowed in this phase} Any thread. */
    boolean move(Event event) {
        synchronized (endpoint) {
            DatagramQueuePairPhase next = DatagramQueuePairPhase.TABLE.next(phase, event);
            phase = next == null ? phase : next;
            return next != null;
        }
    }

    DatagramQueuePairPhase phase() {
        return phase;
    }

    /** {@return whether the queue pair is open and belongs to this context} */
    boolean isOpenIn(ContextCore core) {
        return !closed() && protectionDomain().core() == core;
    }

    /** {@return the service of datagram-iWARP that queue pairs of this type use} */
    static DatagramService service(QueuePairType type) {
        return type == QueuePairType.RD ? DatagramService.RD : DatagramService.UD;
    }

    @Override
    public QueuePairState state() {
        return phase.verbs();
    }

    @Override
    public String streamState() {
        return state().name();
    }

    @Override
    public void modify(QueuePairState target) {
        RdmaException.requireArgument(target, "target");
        withoutPosts(() -> {
            checkOpen();
            if (target == QueuePairState.ERR) {
                move(Event.MODIFY_TO_ERR);
                endpoint.stop();
            } else if (target == QueuePairState.RTS) {
                if (phase == DatagramQueuePairPhase.ERR) {
                    if (type == QueuePairType.RD) {
                        endpoint.onOwner(() -> endpoint.lower().resetPeer(null));
                    }
                    endpoint.resume();
                }
            } else {
                throw new RdmaException(
                        RdmaErrorCode.WRONG_STATE,
                        this + " has no connection and knows the states RTS and ERR only, not " + target + ".");
            }
        });
        endpoint.awaitResumed();
    }

    /**
     * {@return whether the failure of one peer stops the queue pair for all peers} If so, moves the queue pair to the
     * error state. Owner only.
     */
    boolean stopsForAll() {
        if (datagramAttributes.errorStopsAll()) {
            move(Event.FAIL);
        }
        return datagramAttributes.errorStopsAll();
    }

    @Override
    public QueuePairInformation query() {
        int outstanding = sends.operations().size();
        return new QueuePairInformation(
                state(), streamState(), localAddress(), null, 0, 0, outstanding, receives.outstanding(), null);
    }

    @Override
    public AddressHandle createAddressHandle(InetSocketAddress address, int queuePairNumber, int peerKey) {
        return createAddressHandle(address, queuePairNumber, peerKey, datagramAttributes.pathMtu(), 0);
    }

    @Override
    public AddressHandle createAddressHandle(
            InetSocketAddress address, int queuePairNumber, int peerKey, int pathMtu, long pace) {
        checkOpen();
        RdmaException.requireArgument(address, "address");
        return handles.create(address, queuePairNumber, peerKey, pathMtu, pace);
    }

    @Override
    public AddressHandle createAddressHandle(WorkCompletion completion, int peerKey) {
        checkOpen();
        RdmaException.requireArgument(completion, "completion");
        return handles.answering(completion, peerKey);
    }

    /**
     * Closes an address handle of this queue pair; throws RESOURCE_BUSY if requests with that handle are outstanding.
     */
    void close(RnicAddressHandle handle) {
        withoutPosts(() -> {
            if (handle.closeIfIdle()) {
                handles.remove(handle);
            }
        });
    }

    @Override
    public AddressHandle joinGroup(InetSocketAddress group, @Nullable NetworkInterface on, int groupKey) {
        checkOpen();
        RdmaException.requireArgument(group, "group");
        return handles.join(group, on, groupKey);
    }

    @Override
    public void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) {
        checkOpen();
        handles.sendToGroups(through, hops, loop);
    }

    @Override
    public void leaveGroup(InetSocketAddress group) {
        checkOpen();
        RdmaException.requireArgument(group, "group");
        handles.leave(group);
    }

    @Override
    public void resetPeer(AddressHandle peer) {
        checkOpen();
        RnicAddressHandle own = handles.own(peer);
        if (type == QueuePairType.RD) {
            endpoint.resetPeer(own.peer());
        }
    }

    @Override
    public ValidityMap queryValidity(MemoryRegion region, long offset, long length) {
        checkOpen();
        return endpoint.validity(region, offset, length);
    }

    @Override
    public int readHoles(ValidityMap validity, SendWorkRequest whole) {
        RdmaException.requireArgument(validity, "validity");
        RdmaException.requireArgument(whole, "whole");
        return MissingReads.post(validity, whole, this);
    }

    @Override
    public int retryRead(WorkCompletion completion, @Nullable Duration timeout) {
        RdmaException.requireArgument(completion, "completion");
        SendWorkRequest whole = MissingReads.whole(completion).timeout(timeout);
        ValidityMap validity = completion.validity();
        return validity == null ? 0 : readHoles(validity, whole);
    }

    @Override
    public void readAll(SendWorkRequest whole, int rounds) {
        checkOpen();
        RdmaException.requireArgument(whole, "whole");
        ContextCore.checkRange(rounds, 0, 1_000, "rounds");
        if (!BulkRead.post(this, whole, rounds)) {
            throw sends.refusal();
        }
    }

    @Override
    public void onPlain(PlainDatagramHandler handler) {
        checkOpen();
        RdmaException.requireArgument(handler, "handler");
        if (!datagramAttributes.byDefault()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    this
                            + " is not the default queue pair of its port, which alone receives datagrams for no queue pair.");
        }
        try {
            port.port().takePlain((in, offset, length, source) -> {
                ByteBuffer datagram =
                        in.asReadOnlyBuffer().limit(offset + length).position(offset);
                handler.plain(datagram, source.toSocketAddress());
            });
        } catch (IllegalStateException e) {
            throw new RdmaException(RdmaErrorCode.NOT_SUPPORTED, e.getMessage() + ".", e);
        }
    }

    @Override
    public boolean sendPlain(ByteBuffer datagram, InetSocketAddress to) {
        checkOpen();
        RdmaException.requireArgument(datagram, "datagram");
        RdmaException.requireArgument(to, "to");
        try {
            return port.port().sendPlain(datagram, DatagramAddress.of(to));
        } catch (IllegalArgumentException e) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, e.getMessage() + ".", e);
        } catch (IllegalStateException e) {
            throw new RdmaException(RdmaErrorCode.NOT_SUPPORTED, e.getMessage() + ".", e);
        }
    }

    @Override
    public List<DroppedSource> droppedSources() {
        checkOpen();
        return endpoint.sourceDrops(port.port());
    }

    @Override
    public OptionalLong systemDrops() {
        return port.systemDrops();
    }

    @Override
    public DatagramTimeouts timeouts() {
        return timeouts;
    }

    @Override
    public void timeouts(DatagramTimeouts values) {
        checkOpen();
        timeouts = RdmaException.requireArgument(values, "values");
        endpoint.onOwner(() -> endpoint.endpoint().settings(home.settings(this)));
    }

    @Override
    public QueuePairType type() {
        return type;
    }

    @Override
    public InetSocketAddress localAddress() {
        return port.address();
    }

    @Override
    public int key() {
        return key;
    }

    @Override
    public DatagramAttributes datagramAttributes() {
        return datagramAttributes;
    }

    @Override
    public int receiveBuffer() {
        return port.port().receiveBuffer();
    }

    QueuePairEndpoint endpoint() {
        return endpoint;
    }

    /** {@return the address handles of this queue pair} */
    public AddressHandles handles() {
        return handles;
    }

    SharedPort port() {
        return port;
    }

    @Override
    public void leave() {
        SharedReceives shared = receives.sharedReceives();
        if (shared != null) {
            shared.queue().removeTaker(shared);
        }
        super.leave();
    }

    private void withoutPosts(Runnable task) {
        WorkQueue.withoutPosts(sends, receives, task);
    }

    @Override
    public boolean ready() {
        return detached();
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }

    @Override
    public void close() {
        if (!closed() && endpoint.wasAttached() && !endpoint.lower().isHere()) {
            protectionDomain()
                    .core()
                    .progression()
                    .checkMayWait(); // the call waits for the port's thread; checked before any change
        }
        AtomicBoolean first = new AtomicBoolean();
        withoutPosts(() -> first.set(move(Event.CLOSE)));
        if (!first.get()) {
            return;
        }
        try {
            if (endpoint.wasAttached()) {
                if (datagramAttributes.byDefault()) {
                    port.port().takePlain(null);
                }
                endpoint.lower().detach();
                // Waits until all work requests are complete and no events follow.
                protectionDomain().core().progression().awaitUninterruptibly(this, QueuePairEndpoint.PATIENCE_NANOS);
            }
        } finally {
            try {
                handles.removeAll();
            } finally {
                home.remove(this);
            }
        }
    }
}
