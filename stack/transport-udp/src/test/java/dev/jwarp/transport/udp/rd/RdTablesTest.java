package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;

@Label("The tables of channels")
class RdTablesTest {
    private final RdSim sim = new RdSim(1);
    private final RdEndpoint endpoint = new RdHost(sim, 1, 17).endpoint;

    private RdChannel channel(int number, int tag) {
        DatagramPeer peer = new DatagramPeer().set(new DatagramAddress().setIpv4(number, number & 7), number, 0, 1472);
        return new RdChannel(endpoint, peer, tag, 0);
    }

    @Property(tries = 100)
    @Label("find by tag and by address exactly the channels in them, after any additions, removals and changes of tags")
    void table(@ForAll long seed) {
        Random random = new Random(seed);
        RdTable table = new RdTable(seed);
        List<RdChannel> in = new ArrayList<>();
        for (int step = 1; step < 300; step++) {
            int what = random.nextInt(5);
            if (what < 3) {
                // Colliding tags: the lowest bits are the index.
                RdChannel channel = channel(step, (step << 4) | random.nextInt(3));
                table.add(channel);
                in.add(channel);
            } else if (!in.isEmpty() && what == 3) {
                table.remove(in.remove(random.nextInt(in.size())));
            } else if (!in.isEmpty()) {
                RdChannel channel = in.get(random.nextInt(in.size()));
                table.retag(channel, 1 << 30 | step << 4);
            }
        }
        assertThat(table.size()).isEqualTo(in.size());
        assertThat(table.all()).containsExactlyInAnyOrderElementsOf(in);
        for (RdChannel channel : in) {
            assertThat(table.byTag(channel.tag)).isSameAs(channel);
            assertThat(table.byAddress(channel.peer().address(), channel.peer().queuePairNumber()))
                    .isSameAs(channel);
        }
        assertThat(table.byTag(7)).isNull();
        assertThat(table.byAddress(new DatagramAddress(), 1)).isNull();
    }
}
