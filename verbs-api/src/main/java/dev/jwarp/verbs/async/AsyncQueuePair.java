package dev.jwarp.verbs.async;

import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair whose work requests are futures. It is a thin layer: a completion queue of its own with a {@linkplain
 * CompletionQueue#onCompletion handler}, and a future for each request. A request allocates a few small objects, which posting to a
 * {@link QueuePair} does not.
 *
 * <pre>{@code
 * AsyncQueuePair pair = AsyncQueuePair.create(id, domain, 16, 16);
 * id.connect();
 * int length = pair.call(region, 0, 5, region, 64, 64).join().byteLength();
 * }</pre>
 *
 * <ul>
 *   <li>A future ends with the request's {@link WorkCompletion}, a copy that is the program's; or, if the request was not carried
 *       out, with a {@link WorkRequestException}. {@code join} throws that within a {@link CompletionException}. Every future ends: when
 *       the connection ends, those of requests that are outstanding end with WR_FLUSH_ERR; see {@link #close}.
 *   <li>What the verbs refuse, such as a request too many (QUEUE_FULL), a call throws at once, as {@link QueuePair#postSend(SendWorkRequest)}
 *       does. There is no future then.
 *   <li>The memory of a request belongs to the device until its future ends. A future that the program completes or cancels itself
 *       takes nothing back.
 *   <li>Stages that depend on a future, {@code thenAccept} for instance, run where completions are handed over: with {@link
 *       Progress#THREADED} on the event loop of the connection, where what they post leaves without waking a thread. They must not
 *       wait there; {@code thenAcceptAsync} with an executor of the program's goes elsewhere.
 *   <li>With {@link Progress#INLINE} the thread in {@link Context#poll} or {@link Context#await(java.time.Duration)} drives it, so that
 *       thread must not wait for a future.
 * </ul>
 *
 * <p>Threads: any. A thread that waits for a future holds no lock and no monitor: virtual threads are not pinned.
 */
public final class AsyncQueuePair implements AutoCloseable {
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final Room sends;
    private final Room receives;

    /** Those that wait, by their ids. A poster adds one, and who hands over or fails to post removes it. */
    private final Map<Long, Posted> pending = new ConcurrentHashMap<>();

    /** Of those who post, so that the receives of calls have the order of their sends. */
    private final Object posting = new Object();

    // Guarded by posting.
    private final SendWorkRequest sendRequest = new SendWorkRequest();
    private final ReceiveWorkRequest receiveRequest = new ReceiveWorkRequest();
    private long lastId;

    private volatile boolean closed;

    /**
     * How many of one kind wait for their completions to be handed over. A queue pair takes another one before that, and there would
     * be no room for its completion.
     */
    private record Room(boolean ofReceives, int most, AtomicInteger taken) {}

    /** One work request. */
    private record Posted(long id, Room room, Outcome of) {}

    /** What becomes of one work request, or of the two of a call. Completions are handed over one at a time: nothing else touches it. */
    private static final class Outcome {
        private final CompletableFuture<WorkCompletion> future = new CompletableFuture<>();
        private int left;
        private @Nullable WorkCompletion last;
        private @Nullable Throwable failure;

        Outcome(int requests) {
            left = requests;
        }

        /** @param answer whether it counts more than that of another request */
        void completed(WorkCompletion completion, boolean answer) {
            if (completion.succeeded()) {
                last = last == null || answer ? completion.copy() : last;
            } else if (failure == null) { // those that follow the first are flushed
                failure = new WorkRequestException(completion.copy());
            }
        }

        /** One more is over; with the last one the memory of all is the program's. */
        void ended() {
            if (--left > 0) {
                return;
            }
            if (failure != null) {
                future.completeExceptionally(failure);
            } else {
                future.complete(last);
            }
        }
    }

    private AsyncQueuePair(
            CompletionQueue completions,
            CmId id,
            ProtectionDomain domain,
            UnaryOperator<QueuePairAttributes.Builder> wishes) {
        this.completions = completions;
        completions.onCompletion(this::completed);
        QueuePairAttributes attributes =
                wishes.apply(QueuePairAttributes.builder(completions)).build();
        queuePair = id.createQueuePair(domain, attributes);
        sends = new Room(false, attributes.maxSendWorkRequests(), new AtomicInteger());
        receives = new Room(true, attributes.maxReceiveWorkRequests(), new AtomicInteger());
    }

    /**
     * Makes a queue pair for {@code id}, before that connects or accepts.
     *
     * @param id gets the queue pair, as by {@link CmId#createQueuePair}
     * @param domain of the same context
     * @param maxSends sends, Reads, Writes and calls that may be outstanding, at least 1
     * @param maxReceives receives and calls that may be outstanding, at least 1
     * @return the queue pair; close it before or after the id
     * @throws RdmaException as {@link Context#createCompletionQueue(int)} and {@link CmId#createQueuePair}
     */
    public static AsyncQueuePair create(CmId id, ProtectionDomain domain, int maxSends, int maxReceives) {
        RdmaException.requireArgument(id, "id");
        RdmaException.requireArgument(domain, "domain");
        CompletionQueue queue = id.context().createCompletionQueue(Math.max(1, maxSends + maxReceives));
        try {
            return new AsyncQueuePair(
                    queue,
                    id,
                    domain,
                    builder -> builder.maxSendWorkRequests(maxSends).maxReceiveWorkRequests(maxReceives));
        } catch (Throwable e) {
            queue.close();
            throw e;
        }
    }

    /**
     * {@return the queue pair below} To look at, to change its state, to attach to. Nothing may be posted to it directly: the numbers of
     * its work requests and its places are this object's.
     */
    public QueuePair queuePair() {
        return queuePair;
    }

    // ---- what can be asked for

    /**
     * Sends a part of a region (RFC 5040 §5.3).
     *
     * @param region registered memory
     * @param offset bytes from its start
     * @param length bytes
     * @return ends when the message is sent, not when the peer has it
     * @throws RdmaException as {@link QueuePair#postSend(SendWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> send(MemoryRegion region, long offset, int length) {
        RdmaException.requireArgument(region, "region");
        synchronized (posting) {
            return begin(sendRequest.clear().add(region, offset, length));
        }
    }

    /**
     * Posts a receive. Messages come into receives in the order in which these were posted.
     *
     * @param region with LOCAL_WRITE
     * @param offset bytes from its start
     * @param length bytes that a message may have
     * @return ends when a message has come; {@link WorkCompletion#byteLength} is its length
     * @throws RdmaException as {@link QueuePair#postReceive(ReceiveWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> receive(MemoryRegion region, long offset, int length) {
        RdmaException.requireArgument(region, "region");
        synchronized (posting) {
            return begin(receiveRequest.clear().add(region, offset, length));
        }
    }

    /**
     * Reads memory of the peer (RFC 5040 §5.2).
     *
     * @param region where to, with LOCAL_WRITE
     * @param offset bytes from its start
     * @param length bytes
     * @param peerAddress of the first byte in the peer's memory
     * @param peerKey the key of the peer's memory
     * @return ends when the data is there
     * @throws RdmaException as {@link QueuePair#postSend(SendWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> read(
            MemoryRegion region, long offset, int length, long peerAddress, int peerKey) {
        RdmaException.requireArgument(region, "region");
        synchronized (posting) {
            return begin(sendRequest.clear().rdmaRead(peerAddress, peerKey).add(region, offset, length));
        }
    }

    /**
     * Writes to memory of the peer, whose program does not learn of it (RFC 5040 §5.1).
     *
     * @param region where from
     * @param offset bytes from its start
     * @param length bytes
     * @param peerAddress of the first byte in the peer's memory
     * @param peerKey the key of the peer's memory
     * @return ends when the data is sent, not when it is in place
     * @throws RdmaException as {@link QueuePair#postSend(SendWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> write(
            MemoryRegion region, long offset, int length, long peerAddress, int peerKey) {
        RdmaException.requireArgument(region, "region");
        synchronized (posting) {
            return begin(sendRequest.clear().rdmaWrite(peerAddress, peerKey).add(region, offset, length));
        }
    }

    /**
     * Sends a message and awaits the answer. Answers are told by their order: messages of the peer come into receives and calls in the
     * order in which these were posted. So the peer answers calls in order, and sends nothing else while one is outstanding. Many
     * calls may be outstanding.
     *
     * @param region what to send
     * @param offset bytes from its start
     * @param length bytes
     * @param answer where the answer comes to, with LOCAL_WRITE
     * @param answerOffset bytes from its start
     * @param answerLength bytes that the answer may have
     * @return ends when the message is sent and the answer has come, with the completion of the receive: the length of the answer is
     *     {@link WorkCompletion#byteLength}
     * @throws RdmaException QUEUE_FULL if as many sends or receives are outstanding as there may be; WRONG_STATE before {@link
     *     CmId#connect} or {@link CmId#accept}; as {@link QueuePair#postReceive(ReceiveWorkRequest)}: nothing was posted then. As {@link
     *     QueuePair#postSend(SendWorkRequest)} for memory to send that is not there: then the receive is posted already, and the queue
     *     pair goes to the state ERR, as the next answer would be taken for one to this call
     */
    public CompletableFuture<WorkCompletion> call(
            MemoryRegion region, long offset, int length, MemoryRegion answer, long answerOffset, int answerLength) {
        RdmaException.requireArgument(region, "region");
        RdmaException.requireArgument(answer, "answer");
        synchronized (posting) {
            if (queuePair.state() == QueuePairState.INIT) {
                throw new RdmaException(
                        RdmaErrorCode.WRONG_STATE,
                        queuePair + " is in the state INIT: connect or accept before a call.");
            }
            checkRoom(sends);
            Outcome both = new Outcome(2);
            post(receiveRequest.clear().add(answer, answerOffset, answerLength), both);
            try {
                post(sendRequest.clear().add(region, offset, length), both);
            } catch (Throwable e) {
                queuePair.modify(QueuePairState.ERR);
                throw e;
            }
            return both.future;
        }
    }

    /**
     * Posts any request to the send queue: Atomics, Sends with invalidation, several elements.
     *
     * @param request read during the call only, which sets its id, and that it is signalled
     * @return ends when it is done
     * @throws RdmaException as {@link QueuePair#postSend(SendWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> post(SendWorkRequest request) {
        RdmaException.requireArgument(request, "request");
        synchronized (posting) {
            return begin(request.signaled(true));
        }
    }

    /**
     * Posts a receive of several elements.
     *
     * @param request read during the call only, which sets its id
     * @return ends when a message has come
     * @throws RdmaException as {@link QueuePair#postReceive(ReceiveWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> post(ReceiveWorkRequest request) {
        RdmaException.requireArgument(request, "request");
        synchronized (posting) {
            return begin(request);
        }
    }

    private CompletableFuture<WorkCompletion> begin(SendWorkRequest request) {
        Outcome own = new Outcome(1);
        post(request, own);
        return own.future;
    }

    private CompletableFuture<WorkCompletion> begin(ReceiveWorkRequest request) {
        Outcome own = new Outcome(1);
        post(request, own);
        return own.future;
    }

    private void post(SendWorkRequest request, Outcome of) {
        Posted made = add(sends, of);
        try {
            queuePair.postSend(request.id(made.id));
        } catch (Throwable e) {
            notPosted(made);
            throw e;
        }
    }

    private void post(ReceiveWorkRequest request, Outcome of) {
        Posted made = add(receives, of);
        try {
            queuePair.postReceive(request.id(made.id));
        } catch (Throwable e) {
            notPosted(made);
            throw e;
        }
    }

    private void checkRoom(Room room) {
        if (room.taken.get() >= room.most) {
            throw new RdmaException(
                    RdmaErrorCode.QUEUE_FULL,
                    room.most + (room.ofReceives ? " receives of " : " sends of ") + queuePair
                            + " are outstanding already, the most there can be: post again when a future has ended.");
        }
    }

    /** Before it is posted: its completion may come at once. */
    private Posted add(Room room, Outcome of) {
        checkRoom(room);
        Posted made = new Posted(++lastId, room, of);
        pending.put(made.id, made);
        room.taken.incrementAndGet();
        return made;
    }

    private void notPosted(Posted made) {
        forget(made.id);
        closeIfDone();
    }

    private @Nullable Posted forget(long id) {
        Posted known = pending.remove(id);
        if (known != null) {
            known.room.taken.decrementAndGet();
        }
        return known;
    }

    // ---- what comes of it

    @SuppressWarnings("CatchingUnchecked") // whatever it is, each future ends
    private void completed(CompletionQueue queue, WorkCompletion[] taken, int count) {
        for (int i = 0; i < count; i++) {
            Posted known = forget(taken[i].id());
            if (known == null) {
                continue;
            }
            try {
                known.of.completed(taken[i], known.room.ofReceives);
            } catch (Throwable e) { // such as no memory
                known.of.failure = e;
            }
            known.of.ended();
        }
        closeIfDone();
    }

    private void closeIfDone() {
        if (closed && pending.isEmpty()) {
            completions.close();
        }
    }

    /**
     * Frees the queue pair, as {@link QueuePair#close} does; the futures of what is outstanding end with WR_FLUSH_ERR, soon after this
     * returns: where completions are handed over, or, if that comes first, where the context is closed. More calls do nothing.
     *
     * @throws RdmaException WRONG_STATE on an event loop or in a stage that runs there, if the connection is not over: see {@link
     *     CompletionQueue#onCompletion}
     */
    @Override
    public void close() {
        queuePair.close();
        closed = true;
        closeIfDone();
    }
}
