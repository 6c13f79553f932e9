package dev.jwarp.torture.threads;

import dev.jwarp.torture.Ledger;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The objects that the queue pairs of one side share. Threads: any, except for {@link #close}. */
final class Station {
    private static final int QUEUES = 3;
    private static final int WINDOWS = 4;
    private static final int SHARED = 2;
    static final int SHARED_RECEIVES = 64;

    final Context context;
    final ProtectionDomain domain;
    final Regions regions;
    final List<Tap> taps = new ArrayList<>();
    final AtomicReferenceArray<Shared> shared = new AtomicReferenceArray<>(SHARED);
    final AtomicReferenceArray<MemoryWindow> windows = new AtomicReferenceArray<>(WINDOWS);
    private final Ledger ledger;

    /** A shared receive queue; all its queue pairs use one completion queue for receives. */
    record Shared(SharedReceiveQueue queue, Tap tap, AtomicInteger receives, Map<Thread, Ledger.Lane> lanes) {}

    Station(Context context, Ledger ledger) {
        this.context = context;
        this.ledger = ledger;
        domain = context.allocateProtectionDomain();
        regions = new Regions(
                domain,
                6,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_ATOMIC,
                AccessFlag.MW_BIND);
        for (int i = 0; i < QUEUES; i++) {
            taps.add(new Tap(context, ledger, i % 2 == 0));
        }
        for (int i = 0; i < SHARED; i++) {
            shared.set(i, shared(i));
        }
        for (int i = 0; i < WINDOWS; i++) {
            windows.set(i, domain.allocateWindow());
        }
    }

    private Shared shared(int place) {
        return new Shared(
                domain.createSharedReceiveQueue(SHARED_RECEIVES, 4),
                taps.get(place % QUEUES),
                new AtomicInteger(),
                new ConcurrentHashMap<>());
    }

    Tap anyTap(SplittableRandom random) {
        return taps.get(random.nextInt(QUEUES));
    }

    Shared anyShared(SplittableRandom random) {
        return shared.get(random.nextInt(SHARED));
    }

    MemoryWindow anyWindow(SplittableRandom random) {
        return windows.get(random.nextInt(WINDOWS));
    }

    /** Closes a window with its binding, and creates another. */
    void replaceWindow(SplittableRandom random) {
        int place = random.nextInt(WINDOWS);
        MemoryWindow fresh = domain.allocateWindow();
        windows.getAndSet(place, fresh).close();
    }

    /** Polls all completions; no other thread polls any more. */
    void drain() {
        WorkCompletion[] into = WorkCompletion.array(32);
        for (Tap tap : taps) {
            int taken = tap.take(into, false);
            while (taken > 0) {
                taken = tap.take(into, false);
            }
        }
    }

    /** Closes everything: no call may fail, since all queue pairs are closed. */
    void close() {
        for (int i = 0; i < SHARED; i++) {
            Shared queue = shared.get(i);
            queue.queue().close();
            queue.lanes().values().forEach(ledger::drop); // unused receives end without completions
        }
        for (int i = 0; i < WINDOWS; i++) {
            windows.get(i).close();
        }
        regions.close();
        taps.forEach(tap -> tap.queue.close());
        domain.close();
    }

    /** {@return the lane of this thread's receives in a shared queue} */
    Ledger.Lane lane(Shared queue) {
        return queue.lanes()
                .computeIfAbsent(
                        Thread.currentThread(),
                        any -> ledger.lane(Ledger.SHARED, new Ledger.Life(), true, false, queue.tap()::free));
    }

    Ledger ledger() {
        return ledger;
    }
}
