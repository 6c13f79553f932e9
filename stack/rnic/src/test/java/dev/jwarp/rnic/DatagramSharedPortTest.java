package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Datagram queue pairs of several contexts at one port")
class DatagramSharedPortTest {
    private static final int NUMBER = 77;
    private static final int KEY = 5;
    private static final int LENGTH = 8000; // of several datagrams
    private static final int CLIENTS = 40;
    /** So many messages fit the socket buffers of any system, even if one of the two gets all of them. */
    private static final int AT_A_TIME = 10;

    private static final int ROUNDS = 3;

    private static Context open(Map<String, String> settings) {
        return new RnicProvider().rnic().open(settings);
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** A queue pair whose completions are polled. */
    private static final class End {
        final Set<InetSocketAddress> sources = new HashSet<>();
        final DatagramQueuePair pair;
        final MemoryRegion memory;
        private final CompletionQueue queue;
        private final WorkCompletion[] batch = WorkCompletion.array(16);
        int received;

        End(ProtectionDomain domain, int port, int number) {
            queue = domain.context().createCompletionQueue(256);
            DatagramAttributes.Builder attributes =
                    DatagramAttributes.builder(at(port)).key(KEY).timeouts(DatagramSide.PATIENT);
            pair = domain.createDatagramQueuePair(
                    QueuePairType.UD,
                    QueuePairAttributes.builder(queue).build(),
                    (number == 0 ? attributes : attributes.queuePairNumber(number)).build());
            memory = domain.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
            for (int i = 0; i < CLIENTS; i++) {
                pair.postReceive(new ReceiveWorkRequest().add(memory));
            }
        }

        void send(InetSocketAddress to, int number) {
            pair.postSend(new SendWorkRequest()
                    .signaled(false)
                    .destination(pair.createAddressHandle(to, number, KEY))
                    .add(memory));
        }

        /** Takes messages, and optionally answers them. */
        void take(boolean answer) {
            int count = queue.poll(batch);
            for (int i = 0; i < count; i++) {
                assertThat(batch[i].succeeded()).as(batch[i].describe()).isTrue();
                if (batch[i].opcode() == WorkCompletionOpcode.RECV) {
                    InetSocketAddress source = Objects.requireNonNull(batch[i].source());
                    sources.add(source);
                    received++;
                    pair.postReceive(new ReceiveWorkRequest().add(memory));
                    if (answer) {
                        send(source, batch[i].sourceQueuePairNumber());
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded", "threaded jwarp.progress.native=off"})
    @DisplayName(
            "with the same number share the sources: each source's messages go to one of them, which answers from that port")
    void divided(String how) {
        String[] words = how.split(" ", -1);
        Map<String, String> settings =
                new HashMap<>(Map.of("jwarp.progress.shared-port", "on", "jwarp.progress", words[0]));
        if (words.length > 1) {
            settings.put(words[1].split("=", -1)[0], words[1].split("=", -1)[1]);
        }
        try (Context first = open(settings);
                Context second = open(settings);
                Context third = open(Map.of("jwarp.progress", "inline"))) {
            End one = new End(first.allocateProtectionDomain(), 0, NUMBER);
            InetSocketAddress shared = one.pair.localAddress();
            End other = new End(second.allocateProtectionDomain(), shared.getPort(), NUMBER);
            assertThat(other.pair.localAddress()).isEqualTo(shared);
            ProtectionDomain domain = third.allocateProtectionDomain();
            List<End> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new End(domain, 0, 0));
            }
            for (int round = 1; round <= ROUNDS; round++) {
                for (int i = 0; i < CLIENTS; i += AT_A_TIME) {
                    List<End> some = clients.subList(i, i + AT_A_TIME);
                    some.forEach(client -> client.send(shared, NUMBER));
                    long start = System.nanoTime();
                    while (!answered(some, round)) {
                        assertThat(System.nanoTime() - start).isLessThan(Patience.NANOS);
                        one.take(true);
                        other.take(true);
                        some.forEach(client -> client.take(false));
                    }
                }
            }
            assertThat(one.sources).isNotEmpty().doesNotContainAnyElementsOf(other.sources);
            assertThat(other.sources).isNotEmpty();
            assertThat(one.sources.size() + other.sources.size()).isEqualTo(CLIENTS);
            assertThat(clients).allMatch(client -> client.sources.equals(Set.of(shared)));
        }
    }

    private static boolean answered(List<End> clients, int each) {
        return clients.stream().allMatch(client -> client.received == each);
    }

    @Test
    @DisplayName("are rejected unless all of them share the port")
    void refused() {
        try (Context sharing = open(Map.of("jwarp.progress.shared-port", "on"));
                Context alone = open(Map.of())) {
            End one = new End(sharing.allocateProtectionDomain(), 0, NUMBER);
            ProtectionDomain domain = alone.allocateProtectionDomain();
            assertThatThrownBy(() -> new End(domain, one.pair.localAddress().getPort(), NUMBER))
                    .satisfies(e -> assertThat(((RdmaException) e).code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE));
        }
    }
}
