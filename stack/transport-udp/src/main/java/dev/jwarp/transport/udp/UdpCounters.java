package dev.jwarp.transport.udp;

import dev.jwarp.ddp.llp.TransportCounter;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of one transport: its owner counts, any thread reads. Counting is a plain addition. */
@SuppressWarnings("EnumOrdinal") // an index for the life of this object only
public final class UdpCounters {
    private static final List<UdpCounter> ALL = Arrays.asList(UdpCounter.values());

    private final AtomicLongArray counts = new AtomicLongArray(ALL.size());

    /** All at zero. */
    public UdpCounters() {}

    /** Adds one. Owner only. */
    public void count(UdpCounter counter) {
        add(counter, 1);
    }

    /** Adds some. Owner only. */
    public void add(UdpCounter counter, long more) {
        int index = counter.ordinal();
        counts.setOpaque(index, counts.getPlain(index) + more);
    }

    /** {@return how often it was counted} */
    public long get(UdpCounter counter) {
        return counts.getOpaque(counter.ordinal());
    }

    /** {@return all of them, as they are now} */
    public List<TransportCounter> all() {
        return ALL.stream()
                .map(counter -> new TransportCounter(counter.label(), get(counter), counter.sentence()))
                .toList();
    }
}
