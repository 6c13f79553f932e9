package dev.jwarp.transport.tcp;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What one owner of connections counts with every message: plain additions, for there is one writer. Any thread reads a
 * recent value, through {@link TcpCounters#get}.
 */
@SuppressWarnings("EnumOrdinal") // an index, and never kept
final class OwnerCounters {
    private final AtomicLongArray counts = new AtomicLongArray(TcpCounter.values().length);

    /** Owner only. */
    void count(TcpCounter counter) {
        add(counter, 1);
    }

    /** Owner only. */
    void add(TcpCounter counter, long more) {
        int index = counter.ordinal();
        counts.setOpaque(index, counts.getPlain(index) + more);
    }

    long get(TcpCounter counter) {
        return counts.getOpaque(counter.ordinal());
    }
}
