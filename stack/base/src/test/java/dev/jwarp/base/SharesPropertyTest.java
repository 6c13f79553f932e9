package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Compares the class with a model that examines all holders in each step. */
class SharesPropertyTest {
    private static final int STEPS = 400;

    private static final ShareWatcher SILENT = sentence -> {};

    /** A holder, and its state in the model. */
    private static final class Peer implements ShareHolder {
        final long source;
        final Share share;
        long held;
        long moved;
        long order;
        boolean gone;

        Peer(Shares shares, long source, long now) {
            this.source = source;
            share = shares.join(source, this, now);
            moved = now;
        }

        @Override
        public void takeBack(long nowNanos) {
            share.leave();
        }
    }

    private final List<Peer> peers = new ArrayList<>();
    private final Map<Long, Long> orderOfSource = new HashMap<>();
    private long orders;
    private ShareLimits limits = ShareLimits.of("", "", 0, 0, 0);

    @Property(tries = 300)
    void doesWhatTheModelSays(
            @ForAll @LongRange(min = 1, max = 2000) long capacity,
            @ForAll @LongRange(max = 40) long guaranteed,
            @ForAll @LongRange(min = 1, max = 300) long idle,
            @ForAll @IntRange(min = 1, max = 5) int sources,
            @ForAll @IntRange(min = 1, max = 12) int most,
            @ForAll boolean idleKeepsNothing,
            @ForAll long seed) {
        Random random = new Random(seed);
        peers.clear();
        limits = ShareLimits.of("memory", "", capacity, guaranteed, idle)
                .perSource(1 + capacity * 2 / 3)
                .idleKeepsNothing(idleKeepsNothing);
        Shares shares = new Shares(limits, seed, SILENT);
        long now = 0;
        for (int step = 0; step < STEPS; step++) {
            now += 1 + random.nextInt(20);
            if (peers.size() < most && random.nextBoolean()) {
                peers.add(new Peer(shares, random.nextInt(sources), now));
            } else if (!peers.isEmpty()) {
                Peer peer = peers.get(random.nextInt(peers.size()));
                switch (random.nextInt(7)) {
                    case 0 -> {
                        peer.share.leave();
                        set(peer, 0);
                        peer.gone = true;
                    }
                    case 1 -> {
                        long units = peer.held == 0 ? 0 : random.nextLong(peer.held + 1);
                        peer.share.give(units);
                        set(peer, peer.held - units);
                    }
                    case 2 -> {
                        peer.share.moved(now);
                        move(peer, now);
                    }
                    case 3 -> {
                        peer.share.rest(now);
                        rest(peer, now);
                    }
                    default -> {
                        long units = random.nextLong(1 + capacity / 3);
                        boolean expected = take(peer, units, now);
                        assertThat(peer.share.take(units, now)).isEqualTo(expected);
                    }
                }
            }
            peers.removeIf(peer -> peer.gone);
            assertThat(peers).allSatisfy(peer -> assertThat(peer.share.held()).isEqualTo(peer.held));
            assertThat(shares.used()).isEqualTo(sum(peers.stream())).isLessThanOrEqualTo(capacity);
            assertThat(shares.holders()).isEqualTo(peers.size());
            assertThat(shares.sources()).isEqualTo((int)
                    peers.stream().mapToLong(peer -> peer.source).distinct().count());
        }
    }

    private boolean take(Peer asker, long units, long now) {
        move(asker, now);
        if (asker.held + units > limits.perSource()) {
            return false;
        }
        while (sum(of(asker.source)) + units > limits.perSource()) {
            if (!end(own(asker, units, now))) {
                return false;
            }
        }
        while (sum(holders()) + units > limits.capacity()) {
            Optional<Peer> victim = idle(holders().filter(this::above), asker, now);
            if (victim.isEmpty()) {
                victim = largestSource(asker, units)
                        .map(source -> idle(of(source), asker, now).or(() -> largest(of(source), asker)))
                        .orElseGet(() -> own(asker, units, now));
            }
            if (!end(victim)) {
                return false;
            }
        }
        set(asker, asker.held + units);
        return true;
    }

    private boolean end(Optional<Peer> victim) {
        victim.ifPresent(peer -> {
            peer.gone = true;
            set(peer, 0);
        });
        return victim.isPresent();
    }

    private Optional<Peer> own(Peer asker, long units, long now) {
        int rank = Math.max(1, rank(asker.held + units));
        return idle(of(asker.source).filter(this::above), asker, now)
                .or(() -> largest(of(asker.source).filter(peer -> rank(peer.held) >= rank), asker))
                .or(() -> idle(of(asker.source), asker, now));
    }

    /** The source of the highest class whose last progress is the oldest, except the asker's own. */
    private Optional<Long> largestSource(Peer asker, long units) {
        int highest =
                holders().mapToInt(peer -> rank(sum(of(peer.source)))).max().orElse(-1);
        return holders()
                .map(peer -> peer.source)
                .distinct()
                .filter(source -> source != asker.source && rank(sum(of(source))) == highest)
                .min(Comparator.comparingLong(source -> orderOfSource.getOrDefault(source, 0L)))
                .filter(source -> sum(of(source)) > sum(of(asker.source)) + units);
    }

    private Optional<Peer> largest(Stream<Peer> among, Peer asker) {
        return among.filter(peer -> peer != asker)
                .min(Comparator.comparingInt((Peer peer) -> -rank(peer.held)).thenComparingLong(peer -> peer.order));
    }

    /** A holder that progresses or changes its class becomes the newest of the class, and so does its source. */
    private void set(Peer peer, long held) {
        int before = rank(peer.held);
        int sourceBefore = rank(sum(of(peer.source)));
        peer.held = held;
        if (rank(held) != before) {
            peer.order = ++orders;
        }
        if (rank(sum(of(peer.source))) != sourceBefore) {
            orderOfSource.put(peer.source, ++orders);
        }
    }

    private void move(Peer peer, long now) {
        peer.moved = now;
        if (peer.held > 0) {
            peer.order = ++orders;
            orderOfSource.put(peer.source, ++orders);
        }
    }

    private void rest(Peer peer, long now) {
        peer.moved = now - limits.idleNanos();
        if (peer.held > 0) {
            peer.order = - ++orders;
        }
    }

    private int rank(long held) {
        return held == 0 ? Ranking.NONE : Ranking.rank(held, limits.guaranteed());
    }

    private boolean above(Peer peer) {
        return limits.idleKeepsNothing() || peer.held > limits.guaranteed();
    }

    /** Only the oldest holder of each class is examined, because no other is idle earlier. */
    private Optional<Peer> idle(Stream<Peer> among, Peer asker, long now) {
        Map<Integer, Peer> first = new TreeMap<>(Comparator.reverseOrder());
        among.filter(peer -> peer != asker)
                .forEach(peer -> first.merge(rank(peer.held), peer, (a, b) -> a.order < b.order ? a : b));
        return first.values().stream()
                .filter(peer -> now - peer.moved >= limits.idleNanos())
                .findFirst();
    }

    private Stream<Peer> holders() {
        return peers.stream().filter(peer -> peer.held > 0);
    }

    private Stream<Peer> of(long source) {
        return holders().filter(peer -> peer.source == source);
    }

    private static long sum(Stream<Peer> peers) {
        return peers.mapToLong(peer -> peer.held).sum();
    }
}
