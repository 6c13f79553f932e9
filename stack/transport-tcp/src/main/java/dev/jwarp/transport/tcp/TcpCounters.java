package dev.jwarp.transport.tcp;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** The counters of one transport. Any thread. */
public final class TcpCounters {
    private final Map<TcpCounter, AtomicLong> counts = new EnumMap<>(TcpCounter.class);

    /** All at zero. */
    public TcpCounters() {
        for (TcpCounter counter : TcpCounter.values()) {
            counts.put(counter, new AtomicLong());
        }
    }

    /** Adds one. */
    public void count(TcpCounter counter) {
        of(counter).getAndIncrement();
    }

    /** {@return how often it was counted} */
    public long get(TcpCounter counter) {
        return of(counter).get();
    }

    private AtomicLong of(TcpCounter counter) {
        return Objects.requireNonNull(counts.get(counter));
    }
}
