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
 * A queue pair whose work requests return futures. A thin layer with its own completion queue, a
 * {@linkplain CompletionQueue#onCompletion handler}, and one future per request. In contrast to {@link QueuePair}, each
 * request allocates a few small objects.
 *
 * <pre>{@code
 * AsyncQueuePair pair = AsyncQueuePair.create(id, domain, 16, 16);
 * id.connect();
 * int length = pair.call(region, 0, 5, region, 64, 64).join().byteLength();
 * }</pre>
 *
 * <ul>
 *   <li>A future completes with a copy of the request's {@link WorkCompletion}, owned by the program, or exceptionally
 *       with a {@link WorkRequestException}; {@code join} throws that within a {@link CompletionException}. Every
 *       future completes: when the connection ends, the futures of outstanding requests complete with WR_FLUSH_ERR; see
 *       {@link #close}.
 *   <li>If a request cannot be posted, for instance because the queue is full (QUEUE_FULL), the call throws as
 *       {@link QueuePair#postSend(SendWorkRequest)} does and returns no future.
 *   <li>The memory of a request belongs to the device until its future completes. If the program completes or cancels
 *       the future itself, the request continues.
 *   <li>Dependent stages such as {@code thenAccept} run in the completion handler: with {@link Progress#THREADED} on
 *       the event loop of the connection. Their posts are sent without waking a thread. They must not block;
 *       {@code thenAcceptAsync} runs a stage on another executor.
 *   <li>With {@link Progress#INLINE} the thread in {@link Context#poll} or {@link Context#await(java.time.Duration)}
 *       completes the futures, so that thread must not wait for a future.
 * </ul>
 *
 * <p>Threads: any. A thread that waits for a future holds no lock and no monitor, so virtual threads are not pinned.
 */
public final class AsyncQueuePair implements AutoCloseable {
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final Room sends;
    private final Room receives;

    /** Outstanding work requests by id. Posting adds a request; its completion, or a failure to post, removes it. */
    private final Map<Long, Posted> pending = new ConcurrentHashMap<>();

    /** Guards posting, so that the receives of calls are posted in the order of their sends. */
    private final Object posting = new Object();

    // Guarded by posting.
    private final SendWorkRequest sendRequest = new SendWorkRequest();
    private final ReceiveWorkRequest receiveRequest = new ReceiveWorkRequest();
    private long lastId;

    private volatile boolean closed;

    /**
     * The number of requests of one kind whose completions are not yet delivered. The queue pair itself would accept a
     * request earlier, when the completion queue has no free entry for its completion yet.
     */
    private record Room(boolean ofReceives, int most, AtomicInteger taken) {}

    /** One posted work request. */
    private record Posted(long id, Room room, Outcome of) {}

    /**
     * The future of one work request, or of the two requests of a call. Only the completion handler changes it, and
     * calls of the handler do not overlap.
     */
    private static final class Outcome {
        private final CompletableFuture<WorkCompletion> future = new CompletableFuture<>();
        private int left;
        private @Nullable WorkCompletion last;
        private @Nullable Throwable failure;

        Outcome(int requests) {
            left = requests;
        }

        /** @param answer whether this completion takes precedence over that of another request */
        void completed(WorkCompletion completion, boolean answer) {
            if (completion.succeeded()) {
                last = last == null || answer ? completion.copy() : last;
            } else if (failure == null) { // failures after the first one are only flushes
                failure = new WorkRequestException(completion.copy());
            }
        }

        /** Counts one completed request; after the last one the memory of all belongs to the program. */
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
     * Creates a queue pair for {@code id}, before connect or accept.
     *
     * @param id connection id of the queue pair, as with {@link CmId#createQueuePair}
     * @param domain a protection domain of the same context
     * @param maxSends maximum number of outstanding sends, Reads, Writes and calls, at least 1
     * @param maxReceives maximum number of outstanding receives and calls, at least 1
     * @return the queue pair; the caller closes it before or after the id
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
     * {@return the underlying queue pair} Use it for queries, state changes and attachments. Do not post to it
     * directly: this object owns its queue places and the ids of its work requests.
     */
    public QueuePair queuePair() {
        return queuePair;
    }

    // ---- requests

    /**
     * Sends a part of a region (RFC 5040 §5.3).
     *
     * @param region registered memory
     * @param offset bytes from the start of the region
     * @param length length in bytes
     * @return completes when the message is sent, not when the peer has received it
     * @throws RdmaException as {@link QueuePair#postSend(SendWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> send(MemoryRegion region, long offset, int length) {
        RdmaException.requireArgument(region, "region");
        synchronized (posting) {
            return begin(sendRequest.clear().add(region, offset, length));
        }
    }

    /**
     * Posts a receive. Messages consume receives in the order of posting.
     *
     * @param region registered memory with LOCAL_WRITE
     * @param offset bytes from the start of the region
     * @param length maximum length of the message in bytes
     * @return completes when a message has arrived; {@link WorkCompletion#byteLength} is its length
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
     * @param region registered memory with LOCAL_WRITE to read into
     * @param offset bytes from the start of the region
     * @param length length in bytes
     * @param peerAddress address of the first byte in the peer's memory
     * @param peerKey key of the peer's memory
     * @return completes when the data have arrived
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
     * Writes to memory of the peer; the peer's program gets no completion (RFC 5040 §5.1).
     *
     * @param region registered memory to write from
     * @param offset bytes from the start of the region
     * @param length length in bytes
     * @param peerAddress address of the first byte in the peer's memory
     * @param peerKey key of the peer's memory
     * @return completes when the data are sent, not when they are in the peer's memory
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
     * Sends a message and receives the answer. Only the order relates answers to calls: messages of the peer go to
     * receives and calls in the order of posting. So the peer must answer calls in order, and must send nothing else
     * while a call is outstanding. Several calls may be outstanding.
     *
     * @param region registered memory of the message
     * @param offset bytes from the start of the region
     * @param length length of the message in bytes
     * @param answer registered memory with LOCAL_WRITE for the answer
     * @param answerOffset bytes from the start of that region
     * @param answerLength maximum length of the answer in bytes
     * @return completes when the message is sent and the answer has arrived, with the completion of the receive:
     *     {@link WorkCompletion#byteLength} is the length of the answer
     * @throws RdmaException QUEUE_FULL if the maximum number of sends or receives is outstanding; WRONG_STATE before
     *     {@link CmId#connect} or {@link CmId#accept}; as {@link QueuePair#postReceive(ReceiveWorkRequest)}. In these
     *     cases nothing is posted. As {@link QueuePair#postSend(SendWorkRequest)} for invalid memory of the message:
     *     the receive is already posted then, so the queue pair goes to the state ERR, because this receive would take
     *     the answer to the next call.
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
     * @param request read only during the call; the call sets its id and makes it signalled
     * @return completes when the request has completed
     * @throws RdmaException as {@link QueuePair#postSend(SendWorkRequest)}
     */
    public CompletableFuture<WorkCompletion> post(SendWorkRequest request) {
        RdmaException.requireArgument(request, "request");
        synchronized (posting) {
            return begin(request.signaled(true));
        }
    }

    /**
     * Posts a receive with several elements.
     *
     * @param request read only during the call; the call sets its id
     * @return completes when a message has arrived
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
                            + " are outstanding, which is the maximum: post again after a future has completed.");
        }
    }

    /** Must run before posting, because the completion may come at once. */
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

    // ---- completions

    @SuppressWarnings("CatchingUnchecked") // every future must complete
    private void completed(CompletionQueue queue, WorkCompletion[] taken, int count) {
        for (int i = 0; i < count; i++) {
            Posted known = forget(taken[i].id());
            if (known == null) {
                continue;
            }
            try {
                known.of.completed(taken[i], known.room.ofReceives);
            } catch (Throwable e) { // for instance an OutOfMemoryError
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
     * Frees the queue pair, as {@link QueuePair#close} does. The futures of outstanding requests complete with
     * WR_FLUSH_ERR soon after this call, in the completion handler, or at the latest when the context is closed.
     * Further calls have no effect.
     *
     * @throws RdmaException WRONG_STATE on an event loop, or in a stage that runs there, if the connection is still
     *     open: see {@link CompletionQueue#onCompletion}
     */
    @Override
    public void close() {
        queuePair.close();
        closed = true;
        closeIfDone();
    }
}
