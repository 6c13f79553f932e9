package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;

@Label("A tally")
class TallyTest {
    private enum Kind {
        ONE,
        TWO,
        THREE
    }

    @Property(tries = 200)
    @Label("returns the sum of its own counts, of its parts and of added tallies; a part returns its own counts")
    void counts(@ForAll long seed) {
        Random random = new Random(seed);
        List<Tally<Kind>> tallies = new ArrayList<>();
        List<Map<Kind, Long>> models = new ArrayList<>();
        tallies.add(new Tally<>(Kind.class));
        models.add(new EnumMap<>(Kind.class));
        for (int i = 0; i < 60; i++) {
            int which = random.nextInt(tallies.size());
            Tally<Kind> tally = tallies.get(which);
            Kind kind = Kind.values()[random.nextInt(3)];
            long more = random.nextInt(1_000);
            switch (random.nextInt(6)) {
                case 0 -> {
                    tally.count(kind);
                    more = 1;
                }
                case 1 -> tally.add(kind, more);
                case 2 -> {
                    tally.countShared(kind);
                    more = 1;
                }
                case 3 -> tally.addShared(kind, more);
                case 4 -> {
                    Tally<Kind> closed = new Tally<>(Kind.class);
                    closed.part().add(kind, more);
                    tally.addAll(closed);
                }
                default -> {
                    tallies.add(tallies.get(0).part());
                    models.add(new EnumMap<>(Kind.class));
                    continue;
                }
            }
            models.get(which).merge(kind, more, Long::sum);
            for (Kind each : Kind.values()) {
                long all = 0;
                for (int k = 0; k < models.size(); k++) {
                    long own = models.get(k).getOrDefault(each, 0L);
                    all += own;
                    if (k > 0) {
                        assertThat(tallies.get(k).get(each)).isEqualTo(own);
                    }
                }
                assertThat(tallies.get(0).get(each)).isEqualTo(all);
            }
        }
    }

    @Example
    @Label("loses no counts of several threads")
    void severalThreads() throws InterruptedException {
        Tally<Kind> tally = new Tally<>(Kind.class);
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                Tally<Kind> own = tally.part();
                try {
                    begin.await();
                } catch (InterruptedException e) {
                    return;
                }
                for (int k = 0; k < 10_000; k++) {
                    tally.countShared(Kind.ONE);
                    own.count(Kind.TWO);
                }
            });
            thread.start();
            threads.add(thread);
        }
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(tally.get(Kind.ONE)).isEqualTo(40_000);
        assertThat(tally.get(Kind.TWO)).isEqualTo(40_000);
        assertThat(tally.get(Kind.THREE)).isZero();
    }
}
