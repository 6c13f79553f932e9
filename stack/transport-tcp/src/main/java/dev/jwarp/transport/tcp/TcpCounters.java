package dev.jwarp.transport.tcp;

import dev.jwarp.ddp.llp.TransportCounter;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of one transport. Any thread. */
@SuppressWarnings("EnumOrdinal") // an index, and never kept
public final class TcpCounters {
    private static final List<TcpCounter> ALL = List.of(TcpCounter.values());

    private final AtomicLongArray counts = new AtomicLongArray(ALL.size());

    /** All at zero. */
    public TcpCounters() {}

    /** Adds one. */
    public void count(TcpCounter counter) {
        counts.getAndIncrement(counter.ordinal());
    }

    /** Adds some. */
    public void add(TcpCounter counter, long more) {
        if (more != 0) {
            counts.getAndAdd(counter.ordinal(), more);
        }
    }

    /** {@return how often it was counted} */
    public long get(TcpCounter counter) {
        return counts.get(counter.ordinal());
    }

    /** {@return all of them, as they are now} */
    public List<TransportCounter> all() {
        return ALL.stream()
                .map(counter -> new TransportCounter(counter.label(), get(counter), counter.sentence()))
                .toList();
    }
}
