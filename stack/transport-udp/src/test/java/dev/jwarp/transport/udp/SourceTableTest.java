package dev.jwarp.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.DatagramAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class SourceTableTest {
    private static final int CAPACITY = 8;

    @Property(tries = 300)
    void remembersTheSourcesAskedForLastAndNoMore(
            @ForAll @Size(max = 300) List<@IntRange(max = 20) Integer> sources, @ForAll long secret) {
        SourceTable table = new SourceTable(CAPACITY, secret);
        Map<Integer, Integer> model = new LinkedHashMap<>(16, 0.75f, true);
        for (int source : sources) {
            DatagramAddress address = new DatagramAddress().setIpv4(source / 3, source % 3);
            boolean look = source % 5 == 0;
            Integer known = model.get(source);
            int slot = look ? table.find(address) : table.put(address);
            if (look) {
                assertThat(slot).isEqualTo(known == null ? -1 : known);
                continue;
            }
            assertThat(table.fresh()).isEqualTo(known == null);
            if (known == null && model.size() == CAPACITY) {
                int eldest = model.keySet().iterator().next();
                assertThat(slot).isEqualTo(model.remove(eldest));
            }
            assertThat(slot).isBetween(0, CAPACITY - 1);
            model.put(source, slot);
        }
    }
}
