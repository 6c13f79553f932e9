package dev.jwarp.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Counters for the constants of an enum. A counter with a single writer uses {@link #count}: a plain addition, which
 * other threads see soon. A counter with several writers uses {@link #countShared}. Each counter uses only one of the
 * two. A thread that counts with every message can have its own {@link #part}.
 *
 * @param <K> the counters
 */
@SuppressWarnings("EnumOrdinal") // an index for the life of this object only
public final class Tally<K extends Enum<K>> {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts;

    /** The newest part; {@link #older} links to the others. */
    private volatile @Nullable Tally<K> newest;

    /** The part created before this one. */
    private final @Nullable Tally<K> older;

    /** Creates counters of zero. */
    public Tally(Class<K> keys) {
        this(new long[keys.getEnumConstants().length], null);
    }

    private Tally(long[] counts, @Nullable Tally<K> older) {
        this.counts = counts;
        this.older = older;
    }

    /**
     * {@return counters for another thread, included in the values of these} For a few threads only, because each read
     * adds all parts.
     */
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

    /** {@return the value, including that of all parts} Any thread. */
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

    /** Adds all values of another tally. One writer. */
    public void addAll(Tally<K> other) {
        for (int i = 0; i < counts.length; i++) {
            ELEMENT.setOpaque(counts, i, counts[i] + other.at(i));
        }
    }
}
