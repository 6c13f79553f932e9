package dev.jwarp.samples.balance;

import dev.jwarp.samples.words.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.SynchronousQueue;
import org.jspecify.annotations.Nullable;

/**
 * Balancers in simulated time. Each has a thread, and one thread runs at a time: before and after each operation the
 * seed decides when the balancer goes on, and who dies. The clocks of balancers run at different rates.
 */
final class BalancerWorld implements AutoCloseable {
    private static final int BALANCERS = 4;
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int MOST_EVENTS = 100_000;

    /** The thread of a balancer that is dead ends. */
    private static final class Dead extends Error {
        private static final long serialVersionUID = 1;

        Dead() {
            super("dead", null, false, false);
        }
    }

    private final class Node implements Words, Balancer.Work, Runnable {
        final SynchronousQueue<Boolean> turn = new SynchronousQueue<>();
        final double rate = 0.8 + 0.4 * random.nextDouble();
        final Balancer balancer = new Balancer(this, services, capacity, LEASE, () -> (long) (rate * now), this);
        long due = random.nextInt(1_000_000);
        boolean working;
        boolean dead;

        @Override
        public void run() {
            try {
                await();
                while (true) {
                    balancer.look();
                    pause(random.nextLong(LEASE.toNanos() / 4));
                }
            } catch (Dead e) {
                dead = true;
            } catch (Throwable e) {
                failure = e;
                dead = true;
            }
            give();
        }

        private void await() {
            try {
                if (!turn.take()) {
                    throw new Dead();
                }
            } catch (InterruptedException e) {
                throw new Dead();
            }
        }

        private void give() {
            try {
                back.put(this);
            } catch (InterruptedException e) {
                throw new Dead();
            }
        }

        /** The others run for so long. */
        private void pause(long nanos) {
            due = now + nanos;
            give();
            await();
        }

        private void delay() {
            boolean holder = words[Balancer.LOCK] != 0 && lastSet == this;
            if (holder && alive() > 1 && random.nextInt(12) == 0) {
                crashes++;
                throw new Dead();
            }
            boolean stopped = random.nextInt(40) == 0;
            pause(random.nextLong(stopped ? 5 * LEASE.toNanos() : LEASE.toNanos() / 50));
        }

        @Override
        public long read(int word) {
            delay();
            long value = words[word];
            delay();
            return value;
        }

        @Override
        public long compareAndSwap(int word, long expected, long value) {
            delay();
            long before = words[word];
            if (before == expected) {
                words[word] = value;
                lastSet = word == Balancer.LOCK ? this : lastSet;
            }
            delay();
            return before;
        }

        @Override
        public long fetchAndAdd(int word, long addend) {
            throw new UnsupportedOperationException("the world sets the load");
        }

        @Override
        public void prepare(int server, int service) {
            working = true;
            for (int i = 0; i < 5; i++) {
                delay();
                if (!balancer.holds()) {
                    late++;
                } else if (nodes.stream().anyMatch(each -> each != this && each.worksWithLease())) {
                    throw new AssertionError("two hold the lock");
                }
            }
            working = false;
        }

        boolean worksWithLease() {
            return working && !dead && balancer.holds();
        }
    }

    private final SplittableRandom random;
    private final int services;
    private final int capacity;
    private final long[] words;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final SynchronousQueue<Node> back = new SynchronousQueue<>();
    private volatile @Nullable Throwable failure;
    private @Nullable Node lastSet;
    private long now;
    int crashes;
    int late;

    BalancerWorld(int seed, int services, int capacity, Layout layout) {
        random = new SplittableRandom(seed);
        this.services = services;
        this.capacity = capacity;
        words = new long[Balancer.LOAD + services];
        words[Balancer.LAYOUT] = layout.word();
        for (int i = 0; i < BALANCERS; i++) {
            Node made = new Node();
            nodes.add(made);
            Thread thread = new Thread(made, "balancer " + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    Layout layout() {
        return new Layout(words[Balancer.LAYOUT]);
    }

    private long alive() {
        return nodes.stream().filter(each -> !each.dead).count();
    }

    /** The load changes. Returns whether a service has too much of it. */
    boolean spike(long... loads) {
        System.arraycopy(loads, 0, words, Balancer.LOAD, loads.length);
        return overloaded();
    }

    boolean overloaded() {
        for (int service = 0; service < services; service++) {
            if (words[Balancer.LOAD + service] > (long) layout().servers(service) * capacity) {
                return true;
            }
        }
        return false;
    }

    /** Runs until no service has too much load, and as long again as any stopped balancer needs to do what it was about to do. */
    void run() throws Exception {
        long until = Long.MAX_VALUE;
        for (int events = 0; now < until; events++) {
            if (events > MOST_EVENTS) {
                throw new AssertionError("no server is moved: " + Arrays.toString(words));
            }
            Node next = nodes.stream()
                    .filter(each -> !each.dead)
                    .min(Comparator.comparingLong(each -> each.due))
                    .orElseThrow();
            now = Math.max(now, next.due);
            next.turn.put(true);
            back.take();
            Throwable found = failure;
            if (found != null) {
                throw new AssertionError("a balancer failed", found);
            }
            if (until == Long.MAX_VALUE && !overloaded()) {
                until = now + 20 * LEASE.toNanos();
            }
        }
    }

    @Override
    public void close() throws Exception {
        for (Node each : nodes) {
            if (!each.dead) {
                each.turn.put(false);
                back.take();
            }
        }
        for (Thread each : threads) {
            each.join();
        }
    }
}
