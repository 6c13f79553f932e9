package dev.jwarp.samples.balance;

import dev.jwarp.samples.words.Words;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One of several load balancers that share servers. Words at one host tell all of them the load of each service, and
 * which service each server has. A balancer that finds a service with too much load gives it a server of another one.
 *
 * <p>One balancer at a time moves a server: it has the lock, a word that it sets by compare-and-swap to a random number.
 * The lock is a lease. Its holder moves nothing after the lease. The others take the lock when they have seen the same
 * number for twice the lease. So clocks may differ, but none may run twice as fast as another. A holder that was stopped
 * for longer than the lease changes nothing: the layout is changed by compare-and-swap, and counts its changes.
 *
 * <p>Threads: one.
 */
public final class Balancer {
    /** The number of the holder of the lock; 0 if it is free. */
    public static final int LOCK = 0;
    /** The {@link Layout}. */
    public static final int LAYOUT = 1;
    /** The load of the first service: requests that are being served. */
    public static final int LOAD = 2;

    /** Moves a server. */
    public interface Work {
        /**
         * Empties a server and starts another service there. One balancer at a time does so, if this ends within the
         * lease. It may be done again by another balancer if this one fails.
         *
         * @param server number of the server
         * @param service its next service
         */
        void prepare(int server, int service);
    }

    private record Move(int server, int service) {}

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Words words;
    private final int services;
    private final int capacity;
    private final long lease;
    private final LongSupplier clock;
    private final Work work;
    private long until;
    private long seenHolder;
    private long seenSince;

    /**
     * Makes a balancer.
     *
     * @param words all words: {@link #LOCK}, {@link #LAYOUT}, and the load of each service from {@link #LOAD} on
     * @param services number of services, 1 to 16
     * @param capacity load that one server can bear
     * @param lease longest time of a move
     * @param clock nanoseconds, as {@link System#nanoTime}
     * @param work moves servers
     */
    public Balancer(Words words, int services, int capacity, Duration lease, LongSupplier clock, Work work) {
        this.words = words;
        this.services = services;
        this.capacity = capacity;
        this.lease = lease.toNanos();
        this.clock = clock;
        this.work = work;
    }

    /** Counts a request that begins. A balancer that dies leaves its requests counted. */
    public void began(int service) {
        words.fetchAndAdd(LOAD + service, 1);
    }

    /** Counts a request that has ended. */
    public void ended(int service) {
        words.fetchAndAdd(LOAD + service, -1);
    }

    /**
     * Looks at the load, and moves a server if a service needs one, another can spare one, and no other balancer is
     * doing so.
     *
     * @return whether a server was moved
     * @throws dev.jwarp.verbs.RdmaException if the words cannot be reached. The lock ends with its lease.
     */
    public boolean look() {
        if (wanted(layout()) == null) {
            return false;
        }
        long mine = lock();
        if (mine == 0) {
            return false;
        }
        Layout layout = layout(); // of which no other holder is changing anything
        Move move = wanted(layout);
        boolean moved = false;
        if (move != null) {
            work.prepare(move.server, move.service);
            long next = layout.moved(move.server, move.service).word();
            moved = holds() && words.compareAndSwap(LAYOUT, layout.word(), next) == layout.word();
        }
        words.compareAndSwap(LOCK, mine, 0);
        return moved;
    }

    private Layout layout() {
        return new Layout(words.read(LAYOUT));
    }

    /** {@return the lock's number; 0 if another balancer has the lock} */
    private long lock() {
        long mine = RANDOM.nextLong() | 1;
        long now = clock.getAsLong(); // before the word is set: the lease ends early rather than late
        long holder = words.compareAndSwap(LOCK, 0, mine);
        if (holder != 0 && isOver(holder)) {
            now = clock.getAsLong();
            holder = words.compareAndSwap(LOCK, holder, mine) == holder ? 0 : holder;
        }
        until = now + lease;
        return holder == 0 ? mine : 0;
    }

    private boolean isOver(long holder) {
        long now = clock.getAsLong();
        if (holder != seenHolder) {
            seenHolder = holder;
            seenSince = now;
        }
        return now - seenSince >= 2 * lease;
    }

    /** {@return whether the lease of the lock goes on, if this balancer has it} */
    boolean holds() {
        return clock.getAsLong() - until < 0;
    }

    private @Nullable Move wanted(Layout layout) {
        int to = -1;
        int from = -1;
        long most = -1;
        for (int service = 0; service < services; service++) {
            int servers = layout.servers(service);
            long spare = (long) servers * capacity - words.read(LOAD + service);
            if (spare < 0) {
                to = service;
            } else if (servers > 1 && spare >= capacity && spare > most) {
                from = service;
                most = spare;
            }
        }
        for (int server = 0; to >= 0 && from >= 0 && server < Layout.SERVERS; server++) {
            if (layout.service(server) == from) {
                return new Move(server, to);
            }
        }
        return null;
    }
}
