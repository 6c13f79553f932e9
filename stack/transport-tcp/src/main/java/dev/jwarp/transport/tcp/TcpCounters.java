package dev.jwarp.transport.tcp;

import dev.jwarp.ddp.llp.TransportCounter;
import java.util.EnumMap;
import java.util.List;
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

    /** {@return all of them, as they are now} */
    public List<TransportCounter> all() {
        return counts.entrySet().stream()
                .map(entry -> new TransportCounter(
                        entry.getKey().label(),
                        entry.getValue().get(),
                        entry.getKey().sentence()))
                .toList();
    }

    private AtomicLong of(TcpCounter counter) {
        return Objects.requireNonNull(counts.get(counter));
    }
}
