package dev.jwarp.transport.tcp;

import dev.jwarp.ddp.llp.TransportCounter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of one transport. Any thread. */
@SuppressWarnings("EnumOrdinal") // an index, and never kept
public final class TcpCounters {
    private static final List<TcpCounter> ALL = List.of(TcpCounter.values());

    private final AtomicLongArray counts = new AtomicLongArray(ALL.size());

    private final List<OwnerCounters> owners = new CopyOnWriteArrayList<>();

    /** All at zero. */
    public TcpCounters() {}

    /** Adds one. */
    public void count(TcpCounter counter) {
        counts.getAndIncrement(counter.ordinal());
    }

    /** {@return counters that one owner of connections has to itself; they are part of these} */
    OwnerCounters ofOwner() {
        OwnerCounters owner = new OwnerCounters();
        owners.add(owner);
        return owner;
    }

    /** {@return how often it was counted} */
    public long get(TcpCounter counter) {
        long sum = counts.get(counter.ordinal());
        for (OwnerCounters owner : owners) {
            sum += owner.get(counter);
        }
        return sum;
    }

    /** {@return all of them, as they are now} */
    public List<TransportCounter> all() {
        return ALL.stream()
                .map(counter -> new TransportCounter(counter.label(), get(counter), counter.sentence()))
                .toList();
    }
}
