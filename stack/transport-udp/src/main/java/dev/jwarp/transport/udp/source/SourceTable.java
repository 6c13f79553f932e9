package dev.jwarp.transport.udp.source;

import dev.jwarp.llp.datagram.DatagramAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A bounded table of source addresses. A new source evicts the least recently used one: of all sources, or of its own
 * host if the host has used up its share. Addresses are hashed with a secret, since attackers choose them. The user
 * keeps the data of a source in arrays, at the index of the slot returned here. Owner thread only; allocates nothing
 * after construction.
 */
public final class SourceTable {
    private static final int NONE = -1;
    private static final long FACTOR = 0x9e37_79b9_7f4a_7c15L;

    private final long secret;
    private final int capacity;
    private final long[] high;
    private final long[] low;
    private final long[] portAndScope;
    private final int[] inBucket;
    private final int[] buckets;
    /** The most sources of one host. */
    private final int share;

    private final Ages ages;
    /** For each host, whatever its ports; two hosts with the same hash share a list. Null without a share. */
    private final @Nullable Ages agesOfHosts;

    private int size;
    private boolean fresh;

    /**
     * Creates an empty table without a share for each host.
     *
     * @param secret unpredictable bits
     */
    public SourceTable(int capacity, long secret) {
        this(capacity, capacity, secret);
    }

    /**
     * {@return an empty table of which a host gets at most a quarter} A host has 65,535 ports (datagram-iWARP §13,
     * DG-13-6).
     */
    public static SourceTable divided(int capacity, long secret) {
        return new SourceTable(capacity, Math.max(1, capacity / 4), secret);
    }

    private SourceTable(int capacity, int share, long secret) {
        this.capacity = capacity;
        this.share = share;
        this.secret = secret | 1;
        high = new long[capacity];
        low = new long[capacity];
        portAndScope = new long[capacity];
        inBucket = new int[capacity];
        buckets = new int[Integer.highestOneBit(2 * capacity - 1) << 1];
        Arrays.fill(buckets, NONE);
        ages = new Ages(1, capacity);
        agesOfHosts = share == capacity ? null : new Ages(buckets.length, capacity);
    }

    /** {@return the number of sources; never decreases} Any thread: a recent value. */
    int size() {
        return size;
    }

    /**
     * {@return the slot of that source, which becomes the most recently used one; -1 if the source is not in the table}
     */
    public int find(DatagramAddress source) {
        for (int slot = buckets[bucket(source)]; slot != NONE; slot = inBucket[slot]) {
            if (is(slot, source)) {
                if (slot != ages.newest[0]) { // which is the newest of its host, too
                    unlink(slot);
                    link(slot);
                }
                return slot;
            }
        }
        return NONE;
    }

    /** {@return the slot of that source, which is added if it is not in the table: see {@link #fresh}} */
    public int put(DatagramAddress source) {
        int slot = find(source);
        fresh = slot == NONE;
        if (!fresh) {
            return slot;
        }
        int host = host(source.high(), source.low());
        if (agesOfHosts != null && agesOfHosts.count[host] >= share) {
            slot = evict(agesOfHosts.oldest[host]);
        } else {
            slot = size < capacity ? size++ : evict(ages.oldest[0]);
        }
        high[slot] = source.high();
        low[slot] = source.low();
        portAndScope[slot] = portAndScope(source);
        int bucket = bucket(source);
        inBucket[slot] = buckets[bucket];
        buckets[bucket] = slot;
        link(slot);
        return slot;
    }

    /** {@return whether the last {@link #put} added a source: its slot may have data of an evicted source} */
    public boolean fresh() {
        return fresh;
    }

    /** {@return the slot of the most recently used source; -1 if there is none} */
    int newest() {
        return ages.newest[0];
    }

    /** {@return the slot of the source used before that of this slot; -1 if there is none} */
    int olderThan(int slot) {
        return ages.older[slot];
    }

    /** Sets {@code source} to the source of a slot. */
    void get(int slot, DatagramAddress source) {
        long rest = portAndScope[slot];
        source.set(high[slot], low[slot], (int) rest, (int) (rest >>> 32));
    }

    private int evict(int slot) {
        unlink(slot);
        int bucket = bucket(high[slot], low[slot], portAndScope[slot]);
        if (buckets[bucket] == slot) {
            buckets[bucket] = inBucket[slot];
            return slot;
        }
        int before = buckets[bucket];
        while (inBucket[before] != slot) {
            before = inBucket[before];
        }
        inBucket[before] = inBucket[slot];
        return slot;
    }

    private void link(int slot) {
        ages.link(0, slot);
        if (agesOfHosts != null) {
            agesOfHosts.link(host(high[slot], low[slot]), slot);
        }
    }

    private void unlink(int slot) {
        ages.unlink(0, slot);
        if (agesOfHosts != null) {
            agesOfHosts.unlink(host(high[slot], low[slot]), slot);
        }
    }

    /** {@return the index of a host} The first 64 bits of an IPv6 address identify a host. */
    private int host(long first, long second) {
        return hash(secret, first, first == 0 ? second : 0, 0) & (buckets.length - 1);
    }

    private boolean is(int slot, DatagramAddress source) {
        return low[slot] == source.low() && high[slot] == source.high() && portAndScope[slot] == portAndScope(source);
    }

    static long portAndScope(DatagramAddress source) {
        return (long) source.scope() << 32 | source.port();
    }

    private int bucket(DatagramAddress source) {
        return bucket(source.high(), source.low(), portAndScope(source));
    }

    private int bucket(long first, long second, long third) {
        return hash(secret, first, second, third) & (buckets.length - 1);
    }

    /** {@return a hash whose collisions cannot be found without the secret, which is odd} */
    static int hash(long secret, long first, long second, long third) {
        long hash = (first ^ secret) * FACTOR;
        hash = (hash ^ (hash >>> 29) ^ second) * secret;
        hash = (hash ^ (hash >>> 31) ^ third) * FACTOR;
        hash = (hash ^ (hash >>> 30)) * secret;
        return (int) (hash >>> 32);
    }

    /** Lists of slots by age; a slot is in at most one list. */
    private static final class Ages {
        final int[] count;
        final int[] newest;
        final int[] oldest;
        final int[] newer;
        final int[] older;

        Ages(int lists, int slots) {
            count = new int[lists];
            newest = new int[lists];
            oldest = new int[lists];
            newer = new int[slots];
            older = new int[slots];
            Arrays.fill(newest, NONE);
            Arrays.fill(oldest, NONE);
        }

        /** Adds a slot as the newest one. */
        void link(int list, int slot) {
            int before = newest[list];
            older[slot] = before;
            newer[slot] = NONE;
            if (before == NONE) {
                oldest[list] = slot;
            } else {
                newer[before] = slot;
            }
            newest[list] = slot;
            count[list]++;
        }

        void unlink(int list, int slot) {
            int above = newer[slot];
            int below = older[slot];
            if (above == NONE) {
                newest[list] = below;
            } else {
                older[above] = below;
            }
            if (below == NONE) {
                oldest[list] = above;
            } else {
                newer[below] = above;
            }
            count[list]--;
        }
    }
}
