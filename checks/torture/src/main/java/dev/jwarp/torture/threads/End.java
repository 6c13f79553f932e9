package dev.jwarp.torture.threads;

import dev.jwarp.torture.Ledger;
import dev.jwarp.verbs.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One queue pair in one life, and its posted requests. Threads: any. */
final class End {
    final Station station;
    final QueuePair queuePair;
    final Tap sendTap;
    final Tap receiveTap;
    final Station.@Nullable Shared shared;
    /** The approximate number of receives for messages of the peer. */
    final AtomicInteger receivesLeft;

    private final Ledger.Life sending = new Ledger.Life();
    private final Ledger.Life receiving = new Ledger.Life();
    private final Map<Thread, Ledger.Lane> sends = new ConcurrentHashMap<>();
    private final Map<Thread, Ledger.Lane> receives = new ConcurrentHashMap<>();

    End(Station station, QueuePair queuePair, Tap sendTap, Tap receiveTap, Station.@Nullable Shared shared) {
        this.station = station;
        this.queuePair = queuePair;
        this.sendTap = sendTap;
        this.receiveTap = receiveTap;
        this.shared = shared;
        receivesLeft = shared == null ? new AtomicInteger() : shared.receives();
    }

    /** {@return the same queue pair in its next life, after a reset} */
    End reborn() {
        sending.ending();
        receiving.ending();
        return new End(station, queuePair, sendTap, receiveTap, shared);
    }

    Ledger.Lane sends() {
        return sends.computeIfAbsent(
                Thread.currentThread(),
                any -> station.ledger().lane(queuePair.number(), sending, false, sendTap.ordered, sendTap::free));
    }

    Ledger.Lane receives() {
        return receives.computeIfAbsent(
                Thread.currentThread(),
                any -> station.ledger()
                        .lane(queuePair.number(), receiving, true, receiveTap.ordered, receiveTap::free));
    }

    /** {@return whether all requests have completed; if so, they are removed from the ledger} */
    boolean forgotten() {
        List<Ledger.Lane> all = new ArrayList<>(sends.values());
        all.addAll(receives.values());
        if (!all.stream().allMatch(station.ledger()::done)) {
            return false;
        }
        all.forEach(station.ledger()::forget);
        return true;
    }
}
