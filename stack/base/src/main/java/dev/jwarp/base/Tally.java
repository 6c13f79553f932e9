package dev.jwarp.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How often each thing of an enum happened. One that has a single writer counts with {@link #count}: a plain addition, which any
 * thread reads soon. One with several writers counts with {@link #countShared}. Each number is counted in one of the two ways.
 * A thread that counts with every message can have a {@link #part} to itself.
 *
 * @param <K> what is counted
 */
@SuppressWarnings("EnumOrdinal") // an index for the life of this object only
public final class Tally<K extends Enum<K>> {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts;

    /** The newest part; the others follow. */
    private volatile @Nullable Tally<K> newest;

    /** The part that was made before this one. */
    private final @Nullable Tally<K> older;

    /** All at zero. */
    public Tally(Class<K> keys) {
        this(new long[keys.getEnumConstants().length], null);
    }

    private Tally(long[] counts, @Nullable Tally<K> older) {
        this.counts = counts;
        this.older = older;
    }

    /** {@return one for a thread of its own, whose numbers stay part of these} For a handful: all are read each time. */
    public synchronized Tally<K> part() {
        Tally<K> part = new Tally<>(new long[counts.length], newest);
        newest = part;
        return part;
    }

    /** Adds one. One writer. */
    public void count(K key) {
        add(key, 1);
    }

    /** Adds some. One writer. */
    public void add(K key, long more) {
        int index = key.ordinal();
        ELEMENT.setOpaque(counts, index, counts[index] + more);
    }

    /** Adds one. Any thread. */
    public void countShared(K key) {
        addShared(key, 1);
    }

    /** Adds some. Any thread. */
    public void addShared(K key, long more) {
        long unused = (long) ELEMENT.getAndAdd(counts, key.ordinal(), more);
    }

    /** {@return how often it was counted, in its parts too} Any thread. */
    public long get(K key) {
        return at(key.ordinal());
    }

    private long at(int index) {
        long sum = (long) ELEMENT.getOpaque(counts, index);
        for (Tally<K> part = newest; part != null; part = part.older) {
            sum += (long) ELEMENT.getOpaque(part.counts, index);
        }
        return sum;
    }

    /** Adds all numbers of another one. One writer. */
    public void addAll(Tally<K> other) {
        for (int i = 0; i < counts.length; i++) {
            ELEMENT.setOpaque(counts, i, counts[i] + other.at(i));
        }
    }
}
