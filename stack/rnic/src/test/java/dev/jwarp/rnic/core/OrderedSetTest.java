package dev.jwarp.rnic.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@Label("An ordered set")
class OrderedSetTest {
    /** Few hashes, so that slots of the table collide. */
    private record Thing(int number) {
        @Override
        public int hashCode() {
            return number % 5;
        }
    }

    @Property(tries = 200)
    @Label("answers as one of the JDK does, after each step")
    void answersAsThatOfTheJdk(@ForAll long seed) {
        Random random = new Random(seed);
        Set<Thing> set = OrderedSet.newSet();
        Set<Thing> like = new LinkedHashSet<>();
        int kinds = 1 + random.nextInt(60);
        for (int i = 0; i < 300; i++) {
            Thing thing = new Thing(random.nextInt(kinds));
            if (random.nextInt(9) < 5) {
                assertThat(set.add(thing)).isEqualTo(like.add(thing));
            } else {
                assertThat(set.remove(thing)).isEqualTo(like.remove(thing));
            }
            assertThat(set.contains(thing)).isEqualTo(like.contains(thing));
            assertThat(set).hasSameSizeAs(like);
            assertThat(new ArrayList<>(set)).isEqualTo(new ArrayList<>(like));
        }
        for (int number = 0; number < kinds; number++) {
            Thing thing = new Thing(number);
            assertThat(set.contains(thing)).isEqualTo(like.contains(thing));
        }
    }

    @Test
    @DisplayName("may change during an iteration, which works on a snapshot")
    void changesMeanwhile() {
        Set<String> set = OrderedSet.newSet();
        set.addAll(List.of("a", "b", "c"));
        List<String> seen = new ArrayList<>();
        OrderedSet.forEach(set, one -> {
            seen.add(one);
            set.remove("b");
            set.add("d");
        });
        assertThat(seen).containsExactly("a", "b", "c");
        assertThat(set).containsExactly("a", "c", "d");
    }

    @Test
    @DisplayName("stays small after many insertions and removals")
    void manyComeAndGo() {
        OrderedSet<Integer> set = (OrderedSet<Integer>) OrderedSet.<Integer>newSet();
        set.add(-1);
        for (int i = 0; i < 1_000; i++) {
            set.add(i);
            set.remove(i);
        }
        assertThat(set).containsExactly(-1);
        assertThat(set.room()).isLessThan(10);
    }
}
