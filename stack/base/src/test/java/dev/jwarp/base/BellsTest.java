package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Single-threaded; {@code BellsStress} tests several threads. */
@Label("Bells")
class BellsTest {

    @Property(tries = 500)
    @Label("return each rung bell once, with the bits of all its rings, even of rings while others are heard")
    void rings(@ForAll @Size(max = 60) List<@IntRange(max = 6) Integer> steps) {
        List<Bells.Bell<Integer>> items = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            items.add(new Bells.Bell<>(i));
        }
        Bells<Integer> bells = new Bells<>();
        Map<Bells.Bell<Integer>, Integer> model = new HashMap<>();
        for (int i = 0; i < steps.size(); i++) {
            int step = steps.get(i);
            if (step < 6) {
                ring(bells, items.get(step), i % 3 == 0 ? 0 : i % 3 * 2, model);
                continue;
            }
            assertThat(bells.isEmpty()).isEqualTo(model.isEmpty());
            Bells.Bell<Integer> bell = bells.takeAll();
            assertThat(bells.isEmpty()).isTrue();
            boolean again = false;
            int left = model.size();
            while (bell != null && left-- > 0) {
                Bells.Bell<Integer> looking = bell;
                bell = bells.next(looking);
                assertThat(bells.heard(looking)).isEqualTo(model.remove(looking));
                if (!again) {
                    again = true;
                    ring(bells, looking, 4, model); // for the next round
                }
            }
            assertThat(bell).isNull();
            assertThat(model).hasSize(again ? 1 : 0);
        }
    }

    private static void ring(
            Bells<Integer> bells, Bells.Bell<Integer> item, int wish, Map<Bells.Bell<Integer>, Integer> model) {
        boolean first = wish == 0 ? bells.ring(item) : bells.ring(item, wish);
        assertThat(first).isEqualTo(!model.containsKey(item));
        model.merge(item, wish | Bells.RUNG, (a, b) -> a | b);
    }
}
