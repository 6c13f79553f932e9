package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Label("A linked list of places")
class LinkedPlacesTest {
    private static final class Item extends LinkedPlaces.Link<Item> {}

    @Property(tries = 500)
    @Label("keeps the order of insertion after any removals, and removes no entry twice")
    void order(@ForAll @Size(max = 60) List<@IntRange(max = 7) Integer> steps) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            items.add(new Item());
        }
        LinkedPlaces<Item> list = new LinkedPlaces<>();
        Set<Item> model = new LinkedHashSet<>();
        for (int step : steps) {
            if (step == 7) {
                Item first = model.isEmpty() ? null : model.iterator().next();
                assertThat(list.poll()).isSameAs(first);
                model.remove(first);
            } else if (model.remove(items.get(step))) {
                assertThat(list.remove(items.get(step))).isTrue();
                assertThat(list.remove(items.get(step))).isFalse();
            } else {
                assertThat(list.remove(items.get(step))).isFalse();
                list.add(items.get(step));
                model.add(items.get(step));
            }
            List<Item> there = new ArrayList<>();
            for (Item item = list.first(); item != null; item = list.after(item)) {
                there.add(item);
            }
            assertThat(there).containsExactlyElementsOf(model);
            assertThat(list.size()).isEqualTo(model.size());
        }
    }
}
