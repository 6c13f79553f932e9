package dev.jwarp.rdmap.datagram;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** The counters of one endpoint: counted by its owner, read by any thread. */
public final class DatagramCounters {
    private final Map<DatagramCounter, AtomicLong> counts = new EnumMap<>(DatagramCounter.class);

    /** Creates counters that stand at zero. */
    public DatagramCounters() {
        for (DatagramCounter counter : DatagramCounter.values()) {
            counts.put(counter, new AtomicLong());
        }
    }

    /** {@return how often it happened} Any thread. */
    public long get(DatagramCounter counter) {
        return of(counter).get();
    }

    /** Owner thread only. */
    void count(DatagramCounter counter) {
        // One thread writes, so nothing can come between; an ordered store costs less than an atomic addition.
        AtomicLong count = of(counter);
        count.lazySet(count.getPlain() + 1);
    }

    private AtomicLong of(DatagramCounter counter) {
        return Objects.requireNonNull(counts.get(counter));
    }
}
