package dev.jwarp.transport.tcp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one owner of connections counts with every message: plain additions, for there is one writer. Any thread reads a
 * recent value, through {@link TcpCounters#get}.
 */
@SuppressWarnings("EnumOrdinal") // an index, and never kept
final class OwnerCounters {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[TcpCounter.values().length];

    /** Owner only. */
    void count(TcpCounter counter) {
        add(counter, 1);
    }

    /** Owner only. */
    void add(TcpCounter counter, long more) {
        int index = counter.ordinal();
        ELEMENT.setOpaque(counts, index, counts[index] + more);
    }

    long get(TcpCounter counter) {
        return (long) ELEMENT.getOpaque(counts, counter.ordinal());
    }
}
