package dev.jwarp.torture.threads;

import dev.jwarp.torture.Ledger;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.WorkCompletion;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion queue that cannot overflow, since every request reserves a place. An ordered queue is polled by one
 * thread at a time, so that the order of completions is known; another one by any number of threads. Threads: any.
 */
final class Tap {
    private static final int ENTRIES = 512;
    private static final Duration MOMENT = Duration.ofMillis(2);

    final CompletionQueue queue;
    final boolean ordered;
    private final Ledger ledger;
    private final AtomicInteger places = new AtomicInteger(ENTRIES);
    private final ReentrantLock polling = new ReentrantLock();

    Tap(Context context, Ledger ledger, boolean ordered) {
        queue = context.createCompletionQueue(ENTRIES);
        this.ledger = ledger;
        this.ordered = ordered;
    }

    /** {@return whether a request that completes here may be posted; if so, a place is reserved} */
    boolean place() {
        if (places.decrementAndGet() >= 0) {
            return true;
        }
        places.incrementAndGet();
        return false;
    }

    /** Frees a place. */
    void free() {
        places.incrementAndGet();
    }

    /** Polls completions, unless another thread polls an ordered queue. Returns their number. */
    int take(WorkCompletion[] into, boolean waiting) {
        if (!ordered) {
            return account(into, waiting);
        }
        if (!polling.tryLock()) {
            return 0;
        }
        try {
            return account(into, waiting);
        } finally {
            polling.unlock();
        }
    }

    private int account(WorkCompletion[] into, boolean waiting) {
        int taken = waiting ? queue.await(into, MOMENT) : queue.poll(into);
        for (int i = 0; i < taken; i++) {
            ledger.completed(into[i]);
        }
        return taken;
    }
}
