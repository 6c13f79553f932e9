package dev.jwarp.torture.reset;

import dev.jwarp.torture.Crew;
import dev.jwarp.torture.Dialer;
import dev.jwarp.torture.Ledger;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One side posts continuously in one thread and polls in another; its peer resets the connection repeatedly. All
 * connections use the same completion queue. Each request must complete once, in order, and the completion queue must
 * stay usable for the next connection.
 */
public final class Resets implements AutoCloseable {
    private static final int DEPTH = 64;
    private static final int POSTS_AFTER_THE_END = 200;
    private static final int ENTRIES = 2 * DEPTH + 4 * POSTS_AFTER_THE_END;

    private static final int LENGTH = 64;
    private static final Duration MOMENT = Duration.ofMillis(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The possible statuses: success, lost with the connection, or flushed. */
    private static final EnumSet<WorkCompletionStatus> OUTCOMES = EnumSet.of(
            WorkCompletionStatus.SUCCESS,
            WorkCompletionStatus.WR_FLUSH_ERR,
            WorkCompletionStatus.FATAL_ERR,
            WorkCompletionStatus.REM_ABORT_ERR);

    /** The task of the posting thread for one connection. */
    private final class Task {
        private final QueuePair queuePair;
        private final Ledger.Life sending = new Ledger.Life();
        private final Ledger.Life receiving = new Ledger.Life();
        private final Ledger.Lane sends;
        private final Ledger.Lane receives;
        private final long wanted;
        private volatile boolean done;

        private Task(QueuePair queuePair, long wanted) {
            this.queuePair = queuePair;
            this.wanted = wanted;
            sends = ledger.lane(queuePair.number(), sending, false, true, () -> {});
            receives = ledger.lane(queuePair.number(), receiving, true, true, () -> {});
        }
    }

    private final Ledger ledger = new Ledger(OUTCOMES);
    private final SplittableRandom random;
    private final Context near;
    private final Context far;
    private final ProtectionDomain nearDomain;
    private final ProtectionDomain farDomain;
    private final CompletionQueue completions;
    private final CompletionQueue farCompletions;
    private final MemoryRegion memory;
    private final MemoryRegion target;
    private final Dialer dialer;
    private final Crew crew = new Crew();
    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final WorkCompletion[] some = WorkCompletion.array(16);
    private final AtomicLong successes = new AtomicLong();
    private volatile @Nullable Task task;

    /** Opens both sides: with inline progress in one context. */
    public Resets(Progress progress, long seed) {
        random = new SplittableRandom(seed);
        String patience = Long.toString(PATIENCE.toMillis());
        Map<String, String> settings =
                Map.of("jwarp.tcp.request-timeout", patience, "jwarp.tcp.accept-timeout", patience);
        near = RdmaProvider.load().device("jwarp0").open(progress, settings);
        far = progress == Progress.INLINE
                ? near
                : RdmaProvider.load().device("jwarp0").open(Progress.THREADED, settings);
        nearDomain = near.allocateProtectionDomain();
        farDomain = far.allocateProtectionDomain();
        completions = near.createCompletionQueue(ENTRIES);
        farCompletions = far.createCompletionQueue(ENTRIES);
        memory = nearDomain.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
        target = farDomain.allocate(LENGTH, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        dialer = new Dialer(near, far);
    }

    /**
     * Resets {@code count} connections, then sends {@code messages} messages over one that is not reset.
     *
     * @throws AssertionError if a request does not complete exactly once
     */
    public void run(int count, int messages) {
        crew.start("poster", this::post);
        crew.start("poller", this::poll);
        for (int i = 0; i < count; i++) {
            connection(Long.MAX_VALUE);
        }
        connection(messages);
        crew.finish();
    }

    /** One connection: reset after a while, or closed when {@code wanted} messages have arrived. */
    private void connection(long wanted) {
        Dialer.Ends ends = dialer.dial(this::prepareNear, this::prepareFar, PATIENCE);
        if (!ends.established()) {
            throw new AssertionError("No connection could be set up");
        }
        long before = successes.get();
        Task current = new Task(Objects.requireNonNull(ends.near().queuePair()), wanted);
        task = current;
        if (wanted == Long.MAX_VALUE) {
            LockSupport.parkNanos(random.nextLong(500_000));
            ends.peer().close(); // closing without disconnect resets the connection
        }
        crew.until("the poster", () -> current.done);
        try {
            crew.until("all that was posted to come back", () -> ledger.completed() == ledger.posted());
        } catch (AssertionError e) {
            throw new AssertionError(ledger.missing() + "; " + current.queuePair.query() + "\n" + e.getMessage(), e);
        }
        if (wanted != Long.MAX_VALUE && successes.get() - before != wanted) {
            throw new AssertionError(
                    successes.get() - before + " of " + wanted + " messages of a healthy connection arrived");
        }
        ledger.forget(current.sends);
        ledger.forget(current.receives);
        ends.near().close();
        ends.peer().close();
    }

    private void prepareNear(CmId id) {
        id.createQueuePair(
                nearDomain,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(DEPTH)
                        .maxReceiveWorkRequests(DEPTH)
                        .build());
    }

    private void prepareFar(CmId id) {
        id.createQueuePair(
                farDomain, QueuePairAttributes.builder(farCompletions).build());
    }

    private void post(Crew.Member me) {
        Task current = task;
        if (current == null || current.done) {
            Thread.onSpinWait();
            return;
        }
        me.doing("posting to " + current.queuePair);
        long posted = 0;
        int afterTheEnd = 0;
        while (posted < current.wanted && afterTheEnd < POSTS_AFTER_THE_END && !crew.over()) {
            if (ledger.posted() - ledger.completed() > ENTRIES - 2) {
                Thread.onSpinWait(); // a completion queue that overflows is the program's mistake
                continue;
            }
            boolean sent = postSend(current);
            if (current.wanted == Long.MAX_VALUE) {
                sent |= postReceive(current);
            }
            if (sent) {
                posted++;
                afterTheEnd += current.queuePair.state() == QueuePairState.ERR ? 1 : 0;
            }
        }
        current.done = true;
    }

    private boolean postSend(Task current) {
        long id = current.sends.posting(true);
        send.clear().id(id).rdmaWrite(target.address(), target.rkey()).add(memory);
        boolean taken = current.queuePair.tryPostSend(send);
        if (!taken) {
            current.sends.refused(id);
        }
        return taken;
    }

    private boolean postReceive(Task current) {
        long id = current.receives.posting(true);
        boolean taken = current.queuePair.tryPostReceive(receive.clear().id(id).add(memory));
        if (!taken) {
            current.receives.refused(id);
        }
        return taken;
    }

    private void poll(Crew.Member me) {
        me.doing("waiting for completions");
        int taken = completions.await(some, MOMENT);
        for (int i = 0; i < taken; i++) {
            if (some[i].succeeded()) {
                successes.incrementAndGet();
            }
            ledger.completed(some[i]);
        }
    }

    @Override
    public void close() {
        crew.close();
        near.close();
        far.close();
    }
}
