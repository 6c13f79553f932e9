package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.RnicProvider;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Label("The list of address handles")
class HandleListTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Property(tries = 200)
    @Label("keeps what it has in the order of its coming, whatever is taken out, and takes out nothing twice")
    void order(@ForAll @Size(max = 40) List<@IntRange(max = 5) Integer> steps) {
        try (Context rnic = new RnicProvider().device("jwarp_udp0").open(Progress.INLINE, Map.of())) {
            CompletionQueue queue = rnic.createCompletionQueue(16);
            RnicDatagramQueuePair pair = (RnicDatagramQueuePair) rnic.allocateProtectionDomain()
                    .createDatagramQueuePair(
                            QueuePairType.UD,
                            QueuePairAttributes.builder(queue).build(),
                            DatagramAttributes.builder(HERE).build());
            RnicAddressHandle[] handles = new RnicAddressHandle[6];
            for (int i = 0; i < handles.length; i++) {
                handles[i] = new RnicAddressHandle(pair, pair.localAddress(), 16 + i, i, 1500, 0, false);
            }
            HandleList list = new HandleList();
            Set<RnicAddressHandle> model = new LinkedHashSet<>();
            for (int step : steps) {
                RnicAddressHandle handle = handles[step];
                if (model.contains(handle)) {
                    model.remove(handle);
                    assertThat(list.remove(handle)).isTrue();
                    assertThat(list.remove(handle)).isFalse();
                } else {
                    list.add(handle);
                    model.add(handle);
                }
                assertThat(list.copy()).containsExactlyElementsOf(model);
                assertThat(list.size()).isEqualTo(model.size());
            }
        }
    }
}
