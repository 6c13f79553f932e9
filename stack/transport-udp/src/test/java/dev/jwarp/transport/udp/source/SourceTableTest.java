package dev.jwarp.transport.udp.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

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

    @Test
    void aHostWithManyPortsPushesOutItsOwnBeyondAQuarterAndNoOtherHosts() {
        int capacity = 64;
        SourceTable table = SourceTable.divided(capacity, 7);
        for (int host = 0; host < 3 * capacity / 4; host++) {
            table.put(new DatagramAddress().setIpv4(host, 1));
        }
        for (int port = 1; port < 1_000; port++) {
            table.put(new DatagramAddress().setIpv4(0x7f00_0001, port));
        }
        assertThat(table.size()).isEqualTo(capacity);
        for (int host = 0; host < 3 * capacity / 4; host++) {
            assertThat(table.find(new DatagramAddress().setIpv4(host, 1))).isNotNegative();
        }
        for (int port = 1; port < 1_000; port++) {
            boolean known = table.find(new DatagramAddress().setIpv4(0x7f00_0001, port)) >= 0;
            assertThat(known).isEqualTo(port >= 1_000 - capacity / 4);
        }
    }
}
