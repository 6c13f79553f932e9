package dev.jwarp.messaging;

import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ThreadModel;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A service, or a client of services. It sends messages to other services by their ids, and gets messages from any of
 * them: {@link #receive}, or {@link #onMessage}.
 *
 * <pre>{@code
 * try (MessageEndpoint client = MessageEndpoint.open(context, directory, EndpointOptions.of(0))) {
 *     Message answer = client.call(7, question, Duration.ofSeconds(1)).get();
 * }
 * }</pre>
 *
 * <p>A <em>short</em> message is copied, and the program may reuse its memory at once. Over RC and RD short messages to
 * a service arrive in order, and once, while the conversation lives; over UD they can be lost. A <em>long</em> message
 * lies in buffers of the {@link BufferPool}. It arrives whole or not at all, and its future says which.
 *
 * <p>Progress: with an inline context, threads in {@link #receive}, or in {@link Context#await(Duration)}, drive it.
 *
 * <p>Threads: any. The context must be {@link ThreadModel#MULTI}.
 */
public final class MessageEndpoint implements AutoCloseable {
    static final long SEND = 1L << 56;
    static final long TICK_NANOS = 20_000_000;
    static final long REPEAT_NANOS = 50_000_000;
    static final long LONGEST_REPEAT_NANOS = 1_000_000_000;

    private static final long RECEIVE = 1L << 57;
    private static final long OPERATION = 1L << 58;
    private static final int CARRIER_AT = 32;
    private static final int SENDS = 2_048;
    /** A power of two, at most 2^16: a session has so many bits of place. */
    private static final int MOST_PEERS = 1 << 14;

    private static final int FIRST_RANDOM_SERVICE = 0x8000;
    private static final int TRIES = 16;
    private static final Duration CLOSING = Duration.ofSeconds(1);
    private static final Duration SLICE = Duration.ofMillis(2);
    /** Failures of a message that another attempt would meet again. */
    private static final Set<RdmaErrorCode> LASTING =
            EnumSet.of(RdmaErrorCode.INVALID_ARGUMENT, RdmaErrorCode.LIMIT_REACHED, RdmaErrorCode.CLOSED);

    private static final Logger LOG = System.getLogger(MessageEndpoint.class.getName());

    final Context context;
    final EndpointOptions options;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final Slots sends;
    final BufferPool pool;
    final WaitingFrame.Spare spare = new WaitingFrame.Spare();
    final SendWorkRequest request = new SendWorkRequest();
    private final Map<EndpointCounter, long[]> counted = EndpointCounter.zeros();

    private final Directory directory;
    private final SecureRandom random = new SecureRandom();
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Runnable> after = new ArrayDeque<>();
    /** Whether the thread is in {@link #leave}, which calls the program. */
    private final ThreadLocal<boolean[]> leaving = ThreadLocal.withInitial(() -> new boolean[1]);

    private final List<Receives> receives = new ArrayList<>();
    private final @Nullable Peer[][] byService = new Peer[1 << 8][];
    private @Nullable Peer[] bySession = new Peer[16];
    private int peers;
    /** Peers that found no slot to send from, or no receive for the reply to a call. */
    private final ArrayDeque<Peer> hungry = new ArrayDeque<>();
    /** Whether something was posted that no flush has followed. */
    boolean posted;
    /** Whether a long message found no memory. */
    boolean memoryWanted;
    /** Peers that may write return buffers of this side, by STag. */
    final Map<Integer, Peer> writers = new HashMap<>();

    private final Calls calls = new Calls();
    /** Calls whose reply came; completed when the lock is left. */
    private final ArrayDeque<Call> ended = new ArrayDeque<>();

    private final ArrayDeque<Message> arrived = new ArrayDeque<>();
    private final ProgressCondition someArrived;
    private volatile int waiting;
    private volatile @Nullable MessageHandler handler;
    private final AtomicBoolean handling = new AtomicBoolean();
    /** The thread in the handler, which must not wait. */
    private volatile @Nullable Thread inHandler;
    /** The thread of the timer, once it has run. */
    private volatile @Nullable Thread inTimer;

    private final Map<Long, Operation> operations = new HashMap<>();
    private long lastOperation;
    private final ScheduledExecutorService timer;
    private final ExecutorService background;
    private boolean ticking;
    private final AtomicBoolean closing = new AtomicBoolean();
    volatile boolean closed;
    private int service;
    private @Nullable Connections connections;
    private @Nullable Datagrams datagrams;
    private @Nullable Place place;

    private MessageEndpoint(Context context, Directory directory, EndpointOptions options) {
        this.context = RdmaException.requireArgument(context, "context");
        this.directory = RdmaException.requireArgument(directory, "directory");
        this.options = RdmaException.requireArgument(options, "options");
        if (context.threadModel() == ThreadModel.SINGLE) {
            throw new RdmaException(
                    RdmaErrorCode.NOT_SUPPORTED,
                    "An endpoint has a timer of its own: open the context without jwarp.threads=single.");
        }
        Set<QueuePairType> missing = EnumSet.copyOf(options.carriers());
        missing.removeAll(context.device().queuePairTypes());
        if (!missing.isEmpty()) {
            throw new RdmaException(
                    RdmaErrorCode.NOT_SUPPORTED,
                    context.device() + " has no " + missing
                            + ": put its transport on the class path, or choose others.");
        }
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(completions());
        queue.onCompletion(this::completed);
        sends = new Slots(domain, SENDS, Receives.size(options));
        someArrived = context.newCondition(() -> waiting > 0 || closed);
        ThreadFactory daemons = Daemons.named("jwarp-messages");
        timer = Executors.newSingleThreadScheduledExecutor(daemons);
        // Its threads end by themselves, because tasks may come after the endpoint was closed.
        background =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons);
        pool = new BufferPool(domain, options.memory(), options.trackBuffers(), background);
        pool.onFreed(this::memoryFreed);
    }

    /**
     * {@return a new endpoint; the caller closes it, before the context}
     *
     * @param context context with threaded or inline progress; may have other users
     * @param directory finds other services, and tells others where this one is
     * @param options service id, carriers, limits
     * @throws RdmaException ADDRESS_IN_USE if another endpoint has the service id; NOT_SUPPORTED without the transport
     *     of a carrier; LIMIT_REACHED
     */
    public static MessageEndpoint open(Context context, Directory directory, EndpointOptions options) {
        MessageEndpoint made = new MessageEndpoint(context, directory, options);
        try {
            made.begin();
            made.endIdleSometimes();
            return made;
        } catch (Throwable e) {
            made.close();
            throw e;
        }
    }

    /** {@return the most completions that can wait: of all receives, and of full send queues} */
    private int completions() {
        int connections = options.halfOfReceives() / options.receivesOfConnection();
        return options.receives() * options.carriers().size()
                + connections * Connections.SENDS
                + QueuePairType.values().length * Datagrams.SENDS;
    }

    private void begin() {
        for (QueuePairType type : options.carriers()) {
            receives.add(new Receives(
                    domain,
                    options,
                    type,
                    RECEIVE | (long) receives.size() << CARRIER_AT,
                    slot -> new Message(this, slot, slot.slice(Receives.size(options)))));
        }
        for (int tries = 1; ; tries++) {
            service = options.service() != 0
                    ? options.service()
                    : FIRST_RANDOM_SERVICE + random.nextInt(FIRST_RANDOM_SERVICE);
            try {
                listen(directory.bindAddress(service));
                directory.announce(service, place());
                return;
            } catch (RdmaException e) {
                boolean anyPort =
                        place == null && directory.bindAddress(service).getPort() == 0;
                boolean another = options.service() == 0 || anyPort;
                stopListening();
                if (e.code() != RdmaErrorCode.ADDRESS_IN_USE || tries == TRIES || !another) {
                    throw e;
                }
            }
        }
    }

    /** TCP and UDP use one number of port. */
    private void listen(InetSocketAddress local) {
        InetSocketAddress at = local;
        List<Receives> ofDatagrams = new ArrayList<>(receives);
        for (Receives each : receives) {
            if (each.type == QueuePairType.RC) {
                ofDatagrams.remove(each);
                Connections made = new Connections(this, each, at);
                connections = made;
                at = new InetSocketAddress(at.getAddress(), made.localAddress().getPort());
            }
        }
        if (!ofDatagrams.isEmpty()) {
            Datagrams made = new Datagrams(this, ofDatagrams, at);
            datagrams = made;
            at = new InetSocketAddress(at.getAddress(), made.localAddress().getPort());
        }
        place = new Place(at, Set.copyOf(options.carriers()));
    }

    private void stopListening() {
        Connections ofStreams = connections;
        Datagrams ofDatagrams = datagrams;
        connections = null;
        datagrams = null;
        place = null;
        if (ofStreams != null) {
            ofStreams.close();
        }
        if (ofDatagrams != null) {
            ofDatagrams.close();
        }
    }

    /** {@return where this endpoint is; all local addresses if the directory has no other one} */
    public Place place() {
        return Objects.requireNonNull(place);
    }

    /** {@return how this endpoint was made} */
    public EndpointOptions options() {
        return options;
    }

    /** {@return the service id of this endpoint} */
    public int service() {
        return service;
    }

    /** {@return the memory for long messages} */
    public BufferPool buffers() {
        return pool;
    }

    /** {@return the counters of this endpoint since it was opened; for meters, see docs/metrics.md} */
    public List<Counter> counters() {
        return read(() -> EndpointCounter.list(counted));
    }

    void count(EndpointCounter which) {
        Objects.requireNonNull(counted.get(which))[0]++;
    }

    // ---- sending

    /**
     * Sends a short message. Returns when the message is copied; it waits up to the timeout of the options while the
     * peer has not granted more.
     *
     * @param to service id of the receiver
     * @param message the bytes between position and limit, at most {@link EndpointOptions#maxShort}
     * @throws RdmaException INVALID_ARGUMENT if the message is too long; NOT_FOUND, UNREACHABLE, REJECTED,
     *     DISCONNECTED, CLOSED_BY_PEER, TIMED_OUT if an earlier attempt to reach the service failed in this call;
     *     QUEUE_FULL on an event loop or in a handler if the message would have to wait; CLOSED
     */
    public void sendShort(int to, ByteBuffer message) {
        checkShort(message);
        enter();
        Peer peer;
        try {
            peer = peer(to);
            if (peer.trySend(0, 0, message, List.of())) {
                return;
            }
        } finally {
            leaveAndFlush();
        }
        sendWithRoom(peer, 0, 0, message, List.of());
    }

    void reply(Peer peer, long correlation, ByteBuffer message) {
        checkShort(message);
        enter();
        try {
            peer.trySend(Frame.REPLY, correlation, message, List.of());
        } finally {
            leaveAndFlush();
        }
    }

    private void sendWithRoom(Peer peer, int flags, long correlation, ByteBuffer message, List<MessageBuffer> returns) {
        long end = now() + options.timeout().toNanos();
        for (boolean again = false; true; again = true) {
            ProgressCondition room;
            enter();
            try {
                if (peer.trySend(flags, correlation, message, returns)) {
                    return;
                }
                room = peer.room();
            } finally {
                leaveAndFlush();
            }
            awaitRoom(peer, room, again ? Duration.ofNanos(Math.max(0, end - now())) : options.timeout());
        }
    }

    private void awaitRoom(Peer peer, ProgressCondition room, Duration left) {
        if (Thread.currentThread().equals(inHandler)) {
            throw handlerWaits(peer, null);
        }
        boolean some;
        try {
            some = room.await(left);
        } catch (RdmaException e) {
            if (e.code() == RdmaErrorCode.CLOSED) {
                return; // the conversation has ended: the next attempt says why
            }
            throw e.code() == RdmaErrorCode.WRONG_STATE ? handlerWaits(peer, e) : e;
        }
        if (!some) {
            throw new RdmaException(
                    RdmaErrorCode.TIMED_OUT,
                    peer + " has taken no message for " + options.timeout().toMillis() + " ms.");
        }
    }

    private static RdmaException handlerWaits(Peer peer, @Nullable RdmaException cause) {
        return new RdmaException(
                RdmaErrorCode.QUEUE_FULL,
                peer + " takes messages slower than this side sends them, and a handler cannot wait: send later.",
                cause);
    }

    private void checkShort(ByteBuffer message) {
        int length = RdmaException.requireArgument(message, "message").remaining();
        if (length > options.maxShort()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A short message has at most " + options.maxShort() + " bytes, not " + length
                            + ": send a long one, or raise the limit at both ends.");
        }
    }

    /**
     * Sends a long message.
     *
     * @param to service id of the receiver
     * @param message buffers of {@link #buffers}, at most 16: the bytes between their positions and limits. They belong
     *     to the endpoint until the future completes.
     * @return completes when the receiver has the whole message; then, or after a failure, no peer reaches the buffers
     *     any more. Failures are those of {@link #sendShort}, and LIMIT_REACHED if the receiver has too little memory.
     * @throws RdmaException INVALID_ARGUMENT, CLOSED
     */
    public CompletableFuture<Void> sendLong(int to, MessageBuffer... message) {
        return sendLong(to, List.of(message), List.of());
    }

    /**
     * Sends a long message with return buffers: a later long message of the receiver is written into the smallest one
     * that is large enough, instead of being read.
     *
     * @param to service id of the receiver
     * @param message as for {@link #sendLong(int, MessageBuffer...)}
     * @param returns buffers of {@link #buffers}, at most 16 unused ones at the receiver: they belong to the endpoint,
     *     until one is the buffer of a received message
     * @return as {@link #sendLong(int, MessageBuffer...)}
     * @throws RdmaException INVALID_ARGUMENT, CLOSED
     */
    public CompletableFuture<Void> sendLong(int to, List<MessageBuffer> message, List<MessageBuffer> returns) {
        return locked(() -> sendLong(peer(to), 0, 0, message, returns)).future;
    }

    /**
     * Sends a long message at least once: if its conversation ends, it is sent again in a new one, perhaps to another
     * instance of the service. An instance that fails late may have it, too.
     *
     * @param to service id of the receiver
     * @param within how long it is sent again
     * @param message as for {@link #sendLong(int, MessageBuffer...)}
     * @return as {@link #sendLong(int, MessageBuffer...)}; fails with the last failure when the time is over
     * @throws RdmaException INVALID_ARGUMENT, CLOSED
     */
    public CompletableFuture<Void> sendLong(int to, Duration within, MessageBuffer... message) {
        CompletableFuture<Void> arrived = new CompletableFuture<>();
        send(to, now() + within.toNanos(), message, arrived);
        return arrived;
    }

    private void send(int to, long end, MessageBuffer[] message, CompletableFuture<Void> arrived) {
        CompletableFuture<Void> unused = sendLong(to, message).whenComplete((done, failure) -> {
            boolean again = failure instanceof RdmaException known
                    && !LASTING.contains(known.code())
                    && !closed
                    && now() - end < 0;
            if (failure == null) {
                arrived.complete(null);
            } else if (again) {
                sendAgain(to, end, message, arrived, failure);
            } else {
                arrived.completeExceptionally(failure);
            }
        });
    }

    private void sendAgain(
            int to, long end, MessageBuffer[] message, CompletableFuture<Void> arrived, Throwable failure) {
        try {
            Future<?> unused = timer.schedule(
                    () -> {
                        try {
                            send(to, end, message, arrived);
                        } catch (RdmaException e) {
                            arrived.completeExceptionally(e);
                        }
                    },
                    REPEAT_NANOS,
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) { // the endpoint is being closed
            arrived.completeExceptionally(failure);
        }
    }

    CompletableFuture<Void> replyLong(Peer peer, long correlation, MessageBuffer... message) {
        return locked(() -> sendLong(peer, Frame.REPLY, correlation, List.of(message), List.of())).future;
    }

    private LongSend sendLong(
            Peer peer, int flags, long correlation, List<MessageBuffer> message, List<MessageBuffer> returns) {
        check(message);
        check(returns);
        LongSend made =
                new LongSend(peer, flags, correlation, message.toArray(MessageBuffer[]::new), List.copyOf(returns));
        peer.send(made, returns.size());
        return made;
    }

    private void check(List<MessageBuffer> buffers) {
        if (buffers.size() > Frame.MOST_BUFFERS) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A message has at most " + Frame.MOST_BUFFERS + " buffers and as many return buffers.");
        }
        for (MessageBuffer each : buffers) {
            each.data(); // throws if it was given back
            if (each.pool() != pool) {
                throw new RdmaException(
                        RdmaErrorCode.INVALID_ARGUMENT, "A buffer is of another endpoint's pool: copy its bytes.");
            }
        }
    }

    /**
     * Calls a service with a short message.
     *
     * @param to service id
     * @param question as for {@link #sendShort}
     * @param timeout how long to wait for the reply
     * @return completes with the reply, which the caller closes; fails with an {@link RdmaException}: TIMED_OUT, or a
     *     failure of {@link #sendShort}. A reply to a cancelled call is closed unseen.
     * @throws RdmaException INVALID_ARGUMENT, CLOSED, QUEUE_FULL if too many calls wait
     */
    public CompletableFuture<Message> call(int to, ByteBuffer question, Duration timeout) {
        return call(to, question, List.of(), timeout);
    }

    /**
     * Calls a service with a short message, and gives it memory for a long reply.
     *
     * @param to service id
     * @param question as for {@link #sendShort}
     * @param returns as for {@link #sendLong(int, List, List)}: a long reply is written into one of them. The reply gives
     *     the others back to the pool. A call without a reply gives all of them back: over RC and RD when the conversation
     *     ends
     * @param timeout how long to wait for the reply
     * @return as {@link #call(int, ByteBuffer, Duration)}
     * @throws RdmaException INVALID_ARGUMENT, CLOSED, QUEUE_FULL if too many calls wait, LIMIT_REACHED if the service
     *     has 16 return buffers
     */
    public CompletableFuture<Message> call(int to, ByteBuffer question, List<MessageBuffer> returns, Duration timeout) {
        checkShort(question);
        check(returns);
        Call call;
        boolean sent = false;
        enter();
        try {
            Peer peer = peer(to);
            call = begin(peer, timeout);
            try {
                sent = peer.trySend(Frame.CALL, call.correlation, question, returns);
            } catch (RdmaException e) {
                call.cancel(false); // the next tick ends it
                throw e;
            }
        } finally {
            leaveAndFlush();
        }
        try {
            if (!sent) {
                sendWithRoom(call.peer, Frame.CALL, call.correlation, question, returns);
            }
        } catch (RdmaException e) {
            returns.forEach(MessageBuffer::close);
            call.completeExceptionally(e); // the next tick ends it
        }
        return call;
    }

    /**
     * Calls a service with a long message.
     *
     * @param to service id
     * @param question as for {@link #sendLong(int, List, List)}
     * @param returns as for {@link #call(int, ByteBuffer, List, Duration)}
     * @param timeout how long to wait for the reply
     * @return as {@link #call(int, ByteBuffer, Duration)}; when it completes, the buffers of the question are the
     *     program's again. So over RC and RD it completes after the timeout while a service that answers has not read the
     *     question.
     */
    public CompletableFuture<Message> callLong(
            int to, List<MessageBuffer> question, List<MessageBuffer> returns, Duration timeout) {
        return locked(() -> {
            Peer peer = peer(to);
            Call call = begin(peer, timeout);
            try {
                call.question = sendLong(peer, Frame.CALL, call.correlation, question, returns);
            } catch (RdmaException e) {
                call.cancel(false); // the next tick ends it
                throw e;
            }
            call.question.future.exceptionally(failure -> {
                call.completeExceptionally(failure);
                return null;
            });
            return call;
        });
    }

    private Call begin(Peer peer, Duration timeout) {
        count(EndpointCounter.CALLS);
        tickSoon();
        return calls.begin(peer, now() + timeout.toNanos());
    }

    // ---- receiving

    /**
     * Waits for a message, from anyone.
     *
     * @param timeout how long to wait
     * @return the message, which the caller closes; null after the timeout
     * @throws RdmaException WRONG_STATE if the endpoint has a handler; CLOSED, INTERRUPTED
     */
    public @Nullable Message receive(Duration timeout) {
        long end = now() + timeout.toNanos();
        Message next = poll();
        for (Duration left = timeout; next == null && someArrived.await(left); ) {
            next = poll();
            if (next == null) { // another thread has it
                left = Duration.ofNanos(Math.max(0, end - now()));
            }
        }
        return next;
    }

    private @Nullable Message poll() {
        enter();
        try {
            checkOpen();
            if (handler != null) {
                throw new RdmaException(RdmaErrorCode.WRONG_STATE, "A handler gets the messages of this endpoint.");
            }
            Message next = arrived.poll();
            waiting = arrived.size();
            return next;
        } finally {
            leave();
        }
    }

    /**
     * Sets a handler for all messages, in place of {@link #receive}.
     *
     * @param then called until the endpoint is closed
     * @throws RdmaException WRONG_STATE if the endpoint has a handler
     */
    public void onMessage(MessageHandler then) {
        RdmaException.requireArgument(then, "then");
        locked(() -> {
            if (handler != null) {
                throw new RdmaException(RdmaErrorCode.WRONG_STATE, "The endpoint has a handler already.");
            }
            handler = then;
        });
    }

    /** A message came; under the lock. */
    void deliver(Message message) {
        count(message.isLong() ? EndpointCounter.LONG_RECEIVED : EndpointCounter.SHORT_RECEIVED);
        if (!message.isReply()) {
            arrived.add(message);
            waiting = arrived.size();
            return;
        }
        Peer peer = message.from();
        Call call = calls.find(peer, message.correlation());
        if (call != null && !call.sent) {
            after(message::close);
            peer.fail(new RdmaException(RdmaErrorCode.PROTOCOL_MISMATCH, peer + " has replied to what was not sent."));
            return;
        }
        peer.endReturns(message.correlation());
        boolean reserved = call != null || peer.repliedLate();
        if (message.isLong() && reserved) {
            peer.replied(); // its memory is of the pool
        } else if (!message.isLong()) {
            message.reserved = reserved;
        }
        if (call == null) {
            count(EndpointCounter.REPLIES_LATE);
            after(message::close);
            return;
        }
        calls.end(call);
        if (call.question != null) {
            call.question.done(LongReceive.WHOLE); // the reply overtook it
        }
        call.reply = message;
        ended.add(call);
    }

    /** As {@link #deliver}, without the lock. */
    void deliverLong(Message message) {
        locked(() -> {
            if (closed) {
                after(message::close);
            } else {
                deliver(message);
            }
        });
    }

    /**
     * The program has closed a short message.
     *
     * @param reserved of a reply: whether its receive was reserved
     */
    void released(Slot slot, Peer from, boolean reply, boolean reserved) {
        enter();
        try {
            if (!closed) {
                repost(slot);
                if (!reply) {
                    from.released();
                } else if (reserved) {
                    from.replied();
                }
            }
        } finally {
            leaveAndFlush();
        }
    }

    /**
     * The program has closed a long message, or taken its memory.
     *
     * @param share whether the memory was of the peer's share of the pool
     */
    void longReleased(MessageBuffer buffer, Peer from, boolean share) {
        locked(() -> {
            from.longOpen(-1);
            if (share) {
                from.memoryReleased(buffer);
                memoryFreed();
            }
        });
    }

    private void repost(Slot slot) {
        for (int i = 0; i < receives.size(); i++) { // no iterator for each message
            if (receives.get(i).has(slot)) {
                receives.get(i).post(slot);
            }
        }
    }

    private void memoryFreed() {
        locked(() -> {
            if (memoryWanted) {
                memoryWanted = false;
                all().forEach(Peer::memoryFreed);
            }
        });
    }

    // ---- completions

    private void completed(CompletionQueue from, WorkCompletion[] completions, int count) {
        enter();
        try {
            for (int i = 0; i < count; i++) {
                completed(completions[i]);
            }
        } finally {
            leave();
        }
    }

    private void completed(WorkCompletion completion) {
        long id = completion.id();
        if (completion.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
            recorded(completion);
        } else if ((id & SEND) != 0) {
            Slot sent = sends.get((int) id);
            sends.give(sent);
            Objects.requireNonNull(sent.sender).completed(completion);
            feed();
        } else if ((id & RECEIVE) != 0) {
            Slot slot = receives.get((int) (id >> CARRIER_AT) & 0xf).slot((int) id);
            if (!closed && (!completion.succeeded() || !received(slot, completion))) {
                repost(slot);
            }
        } else {
            Operation operation = operations.remove(id);
            if (operation != null) {
                operation.completed(completion);
            }
        }
    }

    /** {@return whether the program holds the slot} */
    private boolean received(Slot slot, WorkCompletion completion) {
        int length = completion.byteLength();
        if (!Frame.legal(slot.of.memory, slot.at, length)) {
            count(EndpointCounter.FRAMES_DROPPED);
            return false;
        }
        Peer peer = bySession(slot.of.memory.getInt(slot.at + Frame.SESSION_AT));
        if (peer == null || !peer.isSource(completion)) {
            count(EndpointCounter.FRAMES_DROPPED);
            return false;
        }
        return peer.received(slot, length);
    }

    private void recorded(WorkCompletion completion) {
        Peer writer = writers.get(completion.localKey());
        if (writer != null) {
            writer.recorded(completion);
        }
        completion.release();
    }

    /** {@return a call that waits; null if it has ended} */
    @Nullable
    Call call(Peer peer, long correlation) {
        return calls.find(peer, correlation);
    }

    /** A call that could not be sent ends. */
    void fail(Call call, RdmaException cause) {
        calls.end(call);
        count(EndpointCounter.CALLS_WITHOUT_REPLY);
        after(() -> call.fail(cause));
    }

    /** The peer waits for a slot, or for a receive. */
    void hungry(Peer peer) {
        if (!peer.hungry) {
            peer.hungry = true;
            hungry.add(peer);
        }
    }

    /** There is a slot or a receive again: peers get it in turn. */
    void feed() {
        Peer next = hungry.poll();
        while (next != null) {
            next.hungry = false;
            next.flush();
            next = next.hungry ? null : hungry.poll();
        }
    }

    /** {@return the request of the endpoint, for {@code operation}} */
    SendWorkRequest begin(Operation operation) {
        long id = OPERATION | ++lastOperation;
        operations.put(id, operation);
        return request.clear().id(id);
    }

    /** {@return whether the request of {@link #begin} was posted} */
    boolean post(Peer peer, SendWorkRequest begun) {
        long id = begun.id(); // if the peer fails, the same request has carried another frame
        boolean done = peer.post(begun);
        if (!done) {
            operations.remove(id);
        }
        return done;
    }

    /** As {@link #post}, for {@link Peer#readAll}. */
    boolean readAll(Peer peer, SendWorkRequest begun, int rounds) {
        long id = begun.id();
        boolean done = peer.readAll(begun, rounds);
        if (!done) {
            operations.remove(id);
        }
        return done;
    }

    // ---- peers

    /** {@return the conversation with a service; begins one if there is none} */
    private Peer peer(int to) {
        checkOpen();
        if (to < 1 || to >= byService.length << 8) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, "A service id is 1 to 65535, not " + to + ".");
        }
        Peer known = current(to);
        if (known != null) {
            return known;
        }
        Peer made = newPeer(to);
        after(() -> find(made)); // the directory may answer within the call
        tickSoon();
        return made;
    }

    /** {@return the conversation for messages to a service; null if there is none} */
    @Nullable
    Peer current(int with) {
        Peer[] some = byService[with >> 8];
        return some == null ? null : some[with & 0xff];
    }

    /** {@return the conversation that has begun with that hello already; null if there is none} */
    @Nullable
    Peer begunWith(Hello theirs) {
        for (Peer each : bySession) {
            if (each != null && each.service() == theirs.service() && each.isWith(theirs)) {
                return each;
            }
        }
        return null;
    }

    /** {@return the conversation that this side is setting up with a service that asks for one by that carrier, too} */
    @Nullable
    Peer settingUp(Hello theirs, QueuePairType by) {
        Peer known = current(theirs.service());
        boolean same = known != null
                && theirs.service() != service
                && known.state == Peer.State.SETTING_UP
                && (known.carrier == null || known.carrier == by)
                && known.takes(theirs);
        return same ? known : null;
    }

    private void find(Peer peer) {
        CompletionStage<Place> answer;
        try {
            answer = directory.find(peer.service());
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((found, failure) -> {
            enter();
            try {
                if (peer.state == Peer.State.SETTING_UP) {
                    if (found != null) {
                        connect(peer, found);
                    } else {
                        peer.fail(asRdma(failure, peer));
                    }
                }
            } catch (RdmaException e) {
                peer.fail(e);
            } finally {
                leaveAndFlush();
            }
        });
    }

    private static RdmaException asRdma(@Nullable Throwable failure, Peer peer) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof RdmaException known
                ? known
                : new RdmaException(RdmaErrorCode.INTERNAL, "The directory failed to find " + peer + ".", cause);
    }

    private void connect(Peer peer, Place found) {
        peer.place = found;
        for (QueuePairType type : options.carriers()) {
            if (found.carriers().contains(type)) {
                peer.carrier = type;
                if (type == QueuePairType.RC) {
                    Objects.requireNonNull(connections).connect(peer, found);
                } else {
                    Objects.requireNonNull(datagrams).connect(peer, type, found);
                }
                return;
            }
        }
        throw new RdmaException(
                RdmaErrorCode.NO_AGREEMENT,
                peer + " accepts " + found.carriers() + ", and this endpoint has " + options.carriers() + ".");
    }

    /** {@return a new conversation; used for messages to that service, unless this side is setting up another one} */
    Peer newPeer(int with) {
        checkOpen();
        int index = 0;
        while (index < bySession.length && bySession[index] != null) {
            index++;
        }
        if (index == bySession.length) {
            if (index < MOST_PEERS) {
                bySession = Arrays.copyOf(bySession, 2 * index);
            } else {
                Peer quiet = quietest();
                quiet.fail(new RdmaException(
                        RdmaErrorCode.LIMIT_REACHED, quiet + " gave way: this endpoint has " + MOST_PEERS + " peers."));
                index = quiet.ownSession & MOST_PEERS - 1;
            }
        }
        Peer made = new Peer(this, with, random.nextInt() << 16 | index);
        bySession[index] = made;
        peers++;
        Peer[] some = byService[with >> 8];
        if (some == null) {
            some = new Peer[1 << 8];
            byService[with >> 8] = some;
        }
        Peer before = some[with & 0xff];
        if (before == null || before.state != Peer.State.SETTING_UP) {
            some[with & 0xff] = made;
        } else {
            before.next = made;
        }
        return made;
    }

    private Peer quietest() {
        Peer found = null;
        for (Peer each : all()) {
            if (found == null || each.lastHeard() - found.lastHeard() < 0) {
                found = each;
            }
        }
        return Objects.requireNonNull(found);
    }

    private @Nullable Peer bySession(int session) {
        int index = session & MOST_PEERS - 1;
        Peer found = index < bySession.length ? bySession[index] : null;
        return found != null && found.ownSession == session ? found : null;
    }

    /** A conversation has ended. */
    void forget(Peer peer, RdmaException cause) {
        bySession[peer.ownSession & MOST_PEERS - 1] = null;
        peers--;
        Peer[] some = byService[peer.service() >> 8];
        if (some != null && some[peer.service() & 0xff] == peer) {
            Peer next = peer.next;
            some[peer.service() & 0xff] = next != null && next.state == Peer.State.READY ? next : null;
        }
        List<Call> left = calls.of(peer, cause);
        after(() -> left.forEach(each -> each.fail(cause)));
        Place was = peer.place;
        if (was != null && cause.code() != RdmaErrorCode.CLOSED) { // the place is as good as before
            doubt(peer.service(), was);
        }
    }

    /** The service is perhaps no longer there. */
    void doubt(int peer, Place was) {
        after(() -> directory.doubt(peer, was));
    }

    void end(CmId id) {
        Connections all = connections;
        if (all != null) {
            all.end(id);
        }
    }

    /** {@return the number of conversations} */
    int peers() {
        return read(() -> peers);
    }

    private List<Peer> all() {
        List<Peer> found = new ArrayList<>(peers);
        for (Peer each : bySession) {
            if (each != null) {
                found.add(each);
            }
        }
        return found;
    }

    /** {@return the hello to a peer} */
    Hello hello(Peer to, int queuePairNumber, int key, int port) {
        return new Hello(
                service, to.service(), options.window(), to.ownSession, options.maxShort(), queuePairNumber, key, port);
    }

    // ---- lock, time, end

    void enter() {
        lock.lock();
    }

    Condition newLockCondition() {
        return lock.newCondition();
    }

    /** Leaves the lock, then does what was left for {@link #after}. */
    void leave() {
        if (lock.getHoldCount() > 1) { // the outer call goes on
            lock.unlock();
            return;
        }
        if (after.isEmpty() && ended.isEmpty()) {
            lock.unlock();
        } else {
            leaveAndRun();
        }
        if (waiting > 0) {
            if (handler == null) {
                someArrived.signal();
            } else if (Thread.currentThread().equals(inTimer)) { // which a program must not keep
                background(this::handle);
            } else {
                handle();
            }
        }
    }

    private void leaveAndRun() {
        boolean[] here = leaving.get();
        if (here[0]) { // the outer call goes on
            lock.unlock();
            return;
        }
        here[0] = true;
        try {
            while (!after.isEmpty() || !ended.isEmpty()) {
                Runnable task = after.poll();
                Call call = task == null ? ended.poll() : null;
                lock.unlock();
                try {
                    if (task != null) {
                        run(task);
                    } else if (call != null) {
                        call.end();
                    }
                } catch (RuntimeException | Error e) { // the next ones are others' messages
                    LOG.log(Logger.Level.WARNING, "a callback of service " + service + " failed", e);
                } finally {
                    lock.lock();
                }
            }
        } finally {
            lock.unlock();
            here[0] = false;
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.WRONG_STATE) {
                throw e;
            }
            background(task); // the end of a region waits for other threads of the context, and this one must not
        }
    }

    private void locked(Runnable task) {
        locked(() -> {
            task.run();
            return this;
        });
    }

    private <T> T locked(Supplier<T> task) {
        enter();
        try {
            return task.get();
        } finally {
            leaveAndFlush();
        }
    }

    /** As {@link #locked}, but nothing is sent, and no program is called. */
    private <T> T read(Supplier<T> what) {
        enter();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    private void leaveAndFlush() {
        boolean flush = posted && context.progress() == Progress.INLINE && lock.getHoldCount() == 1;
        posted &= !flush;
        leave();
        if (flush) {
            context.flush();
        }
    }

    /**
     * Runs {@code task} when the lock is left: what can wait, and calls of the program. Under the lock. A task that ends
     * regions does so first: if it fails with WRONG_STATE, it runs again on another thread.
     */
    void after(Runnable task) {
        after.add(task);
    }

    private void handle() {
        while (true) {
            Message next;
            lock.lock();
            try {
                next = closed || arrived.isEmpty() || !handling.compareAndSet(false, true) ? null : arrived.poll();
                waiting = arrived.size();
                if (next == null) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            int arrival = next.arrival();
            inHandler = Thread.currentThread();
            try {
                Objects.requireNonNull(handler).onMessage(next);
            } catch (RuntimeException | Error e) { // it would end the conversations of all peers
                LOG.log(Logger.Level.WARNING, "the handler of service " + service + " failed", e);
            } finally {
                inHandler = null;
                next.handled(arrival);
                handling.set(false);
            }
        }
    }

    long now() {
        return System.nanoTime();
    }

    void background(Runnable task) {
        background.execute(task);
    }

    /** Time matters from now on; under the lock. */
    void tickSoon() {
        if (!ticking && !closed) {
            ticking = true;
            Future<?> unused = timer.schedule(this::tick, TICK_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void tick() {
        inTimer = Thread.currentThread();
        enter();
        try {
            ticking = false;
            long now = now();
            boolean more = false;
            for (Call each : calls.late(now)) {
                after(() -> each.fail(Calls.late(each.peer)));
            }
            for (Peer each : all()) {
                more |= passed(each, now);
            }
            if (more || calls.any()) {
                tickSoon();
            }
        } finally {
            leaveAndFlush();
        }
    }

    private boolean passed(Peer peer, long now) {
        try {
            return peer.tick(now);
        } catch (RuntimeException e) {
            LOG.log(Logger.Level.WARNING, "the timer of service " + service + " failed for " + peer, e);
            return true;
        }
    }

    private void endIdleSometimes() {
        long nanos = options.idle().toNanos();
        if (nanos > 0) {
            Future<?> unused = timer.scheduleWithFixedDelay(this::endIdle, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    void endIdle() {
        locked(() -> all().forEach(Peer::endIfIdle));
    }

    /** Waits a while for what ends soon. */
    private void awaitSoon(BooleanSupplier condition) {
        try (ProgressCondition soon = context.newCondition(condition)) {
            long end = now() + CLOSING.toNanos();
            while (!soon.await(SLICE) && now() - end < 0) {
                Thread.onSpinWait(); // nothing signals it
            }
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.CLOSED) { // the context has completed all requests
                throw e;
            }
        }
    }

    private boolean noOperations() {
        return read(operations::isEmpty);
    }

    /** {@return whether all short messages were sent} */
    private boolean allSent() {
        return read(() -> all().stream().allMatch(Peer::allSent));
    }

    private void checkOpen() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The endpoint of service " + service + " is closed.");
        }
    }

    /**
     * Closes the endpoint. It waits up to a second until short messages were sent, then as long until peers were told,
     * and until requests have ended. Long messages and calls fail with CLOSED. The program must not call this in a
     * handler. Further calls have no effect.
     */
    @Override
    public void close() {
        if (closing.getAndSet(true)) {
            return;
        }
        if (!allSent()) {
            awaitSoon(this::allSent);
        }
        Place was = place;
        if (was != null) {
            directory.withdraw(service, was);
        }
        enter();
        RdmaException cause =
                new RdmaException(RdmaErrorCode.CLOSED, "The endpoint of service " + service + " is closed.");
        List<Peer> last = all();
        last.forEach(each -> each.fail(cause));
        closed = true;
        List<Message> left = List.copyOf(arrived);
        arrived.clear();
        waiting = 0;
        leaveAndFlush();
        left.forEach(Message::close);
        timer.shutdown();
        BooleanSupplier told = () -> read(() -> last.stream().allMatch(Peer::hasNonePosted));
        if (!told.getAsBoolean()) {
            awaitSoon(told);
        }
        stopListening();
        someArrived.signal();
        someArrived.close();
        awaitSoon(this::noOperations);
        receives.forEach(Receives::close);
        queue.close();
        sends.region.close();
        pool.close();
        if (pool.taken() == 0) { // else the memory of the program's messages lives as long as the context
            domain.close();
        }
    }
}
