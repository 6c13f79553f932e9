package dev.jwarp.rdmap;

import dev.jwarp.ddp.TerminateCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** The counters of one device, shared by its streams. Any thread. */
public final class RdmapCounters {
    private final Map<RdmapCounter, AtomicLong> counts = new EnumMap<>(RdmapCounter.class);
    private final Map<TerminateCode, AtomicLong> found = new EnumMap<>(TerminateCode.class);
    private final Map<TerminateCode, AtomicLong> told = new EnumMap<>(TerminateCode.class);

    /** Creates counters that stand at zero. */
    public RdmapCounters() {
        for (RdmapCounter counter : RdmapCounter.values()) {
            counts.put(counter, new AtomicLong());
        }
        for (TerminateCode code : TerminateCode.values()) {
            found.put(code, new AtomicLong());
            told.put(code, new AtomicLong());
        }
    }

    /** {@return how often it happened} */
    public long get(RdmapCounter counter) {
        return of(counts, counter).get();
    }

    /** {@return how often this side found an error with this code} */
    public long found(TerminateCode code) {
        return of(found, code).get();
    }

    /** {@return how often a peer told us this code in its Terminate} */
    public long told(TerminateCode code) {
        return of(told, code).get();
    }

    void count(RdmapCounter counter) {
        of(counts, counter).getAndIncrement();
    }

    void countFound(TerminateCode code) {
        of(found, code).getAndIncrement();
    }

    void countTold(TerminateCode code) {
        of(told, code).getAndIncrement();
    }

    private static <K extends Enum<K>> AtomicLong of(Map<K, AtomicLong> counters, K key) {
        return Objects.requireNonNull(counters.get(key));
    }
}
