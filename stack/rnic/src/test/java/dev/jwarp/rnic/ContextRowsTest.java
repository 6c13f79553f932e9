package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.core.DeviceLimits;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The rows of a process's devices")
class ContextRowsTest {
    private static final RdmaProvider PROVIDER = RdmaProvider.load();
    private static final long PID = ProcessHandle.current().pid();

    /** Other tests of this JVM may have open contexts, so rows are found by unique values. */
    private static ObservedRow only(Observation seen, String object, String field, Object value) {
        List<ObservedRow> rows = seen.all(object).stream()
                .filter(row -> value.equals(row.fields().get(field)))
                .toList();
        assertThat(rows).as("%s with %s %s", object, field, value).hasSize(1);
        return rows.get(0);
    }

    private static ObservedRow ofContext(Observation seen, String object, Context context) {
        return seen.all(object).stream()
                .filter(row -> row.text("dev").equals(context.device().name()))
                .reduce((earlier, later) -> later)
                .orElseThrow();
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    @Test
    @DisplayName("show the interface of the addresses in use, even of addresses in another context")
    void interfaceOfAddresses() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        NetworkInterface loopback = NetworkInterface.getByInetAddress(here);
        try (Context first = PROVIDER.device("jwarp0").open(Progress.THREADED, Map.of());
                Context second = PROVIDER.device("jwarp0").open(Progress.THREADED, Map.of())) {
            CmId listener = second.createId();
            listener.bind(new InetSocketAddress(here, 0));
            listener.listen(1);

            ObservedRow link = only(PROVIDER.observe(PID), "link", "link", "jwarp0/1");

            assertThat(link.text("netdev").split(",")).contains(loopback.getName());
            assertThat(first.device().port(1, here).interfaceMtu()).isEqualTo(loopback.getMTU());
        }
    }

    @Test
    @DisplayName("show all objects of a connection, with the iWARP state and the state of the verbs")
    void connection() throws Exception {
        try (Context rnic = PROVIDER.device("jwarp0").open(Progress.THREADED, Map.of())) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue queue = rnic.createCompletionQueue(77);
            MemoryRegion region = domain.allocate(12_345, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            CmId listener = rnic.createId();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
            CompletableFuture<QueuePair> accepted = CompletableFuture.supplyAsync(
                    () -> {
                        CmId peer = listener.getRequest(Patience.LIMIT);
                        QueuePair pair = peer.createQueuePair(
                                domain, QueuePairAttributes.builder(queue).build());
                        peer.accept(ConnectionParameters.DEFAULT);
                        return pair;
                    },
                    OwnThread.EACH);
            CmId client = rnic.createId();
            client.resolveAddress(null, listener.localAddress());
            QueuePair pair = client.createQueuePair(
                    domain, QueuePairAttributes.builder(queue).build());
            String before = only(PROVIDER.observe(PID), "cm_id", "lqpn", (long) pair.number())
                    .text("state");
            client.connect(ConnectionParameters.DEFAULT);
            accepted.get();

            Observation seen = PROVIDER.observe(PID);

            String server = text(listener.localAddress());
            ObservedRow row = only(seen, "qp", "dst-addr", server);
            assertThat(row.fields())
                    .containsEntry("link", "jwarp0/1")
                    .containsEntry("lqpn", (long) pair.number())
                    .containsEntry("type", "RC")
                    .containsEntry("state", "RTS")
                    .containsEntry("iwarp-state", "RTS")
                    .containsEntry("pdn", (long) domain.handle())
                    .containsEntry("sends_posted", 0L);
            assertThat(only(seen, "cq", "cqe", 77L).fields())
                    .containsEntry("cqn", (long) queue.handle())
                    .containsEntry("users", 2L)
                    .containsEntry("waiting", 0L);
            assertThat(only(seen, "mr", "mrlen", 12_345L).fields())
                    .containsEntry("rkey", String.format(Locale.ROOT, "0x%08x", region.rkey()))
                    .containsEntry("access", "local_write,remote_write");
            assertThat(before).isEqualTo("ROUTE_RESOLVED");
            assertThat(only(seen, "cm_id", "dst-addr", server).text("state")).isEqualTo("CONNECT");
            assertThat(seen.all("cm_id").stream()
                            .filter(id -> id.text("src-addr").equals(server))
                            .map(id -> id.text("state")))
                    .containsExactlyInAnyOrder("LISTEN", "CONNECT");
            assertThat(ofContext(seen, "pd", rnic).fields()).containsEntry("users", 2L);
            assertThat(ofContext(seen, "ctx", rnic).text("progress")).isEqualTo("threaded");

            pair.modify(QueuePairState.ERR);
            assertThat(only(PROVIDER.observe(PID), "qp", "lqpn", (long) pair.number())
                            .text("state"))
                    .isEqualTo("ERR");
        }
    }

    @Test
    @DisplayName("show all objects of a datagram queue pair, without its Q_Key")
    void datagrams() {
        try (Context rnic = PROVIDER.device("jwarp0").open(Progress.THREADED, Map.of())) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue queue = rnic.createCompletionQueue(300);
            DatagramQueuePair pair = domain.createDatagramQueuePair(
                    QueuePairType.UD,
                    QueuePairAttributes.builder(queue).build(),
                    DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .key(0x5eed_5eed)
                            .build());
            pair.createAddressHandle(new InetSocketAddress("192.0.2.7", 4791), 0x123456, 0x7ee7_7ee7);

            Observation seen = PROVIDER.observe(PID);

            assertThat(only(seen, "qp", "lqpn", (long) pair.number()).fields())
                    .containsEntry("link", "jwarp0/1")
                    .containsEntry("type", "UD")
                    .containsEntry("state", "RTS")
                    .containsEntry("src-addr", text(pair.localAddress()))
                    .containsEntry("ahs", 1L);
            assertThat(only(seen, "ah", "lqpn", (long) pair.number()).fields())
                    .containsEntry("dst-addr", "192.0.2.7:4791")
                    .containsEntry("rqpn", 0x123456L);
            assertThat(seen.rows().toString())
                    .doesNotContain(Integer.toString(0x5eed_5eed), Integer.toString(0x7ee7_7ee7), "5eed5eed");
        }
    }

    @Test
    @DisplayName("show the values of congestion control once a round trip to the peer is known")
    void congestion() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.THREADED)) {
            DatagramSide sender = DatagramSide.reliable(world, 0);
            DatagramSide target = DatagramSide.reliable(world, 1);
            AddressHandle peer = sender.to(target);
            assertThat(rowOf(sender).fields()).doesNotContainKeys("cwnd", "rate", "srtt");

            sender.writeRecord(1, peer, target, 0, 10_000);
            sender.success();

            assertThat((Long) rowOf(sender).fields().get("cwnd")).isGreaterThanOrEqualTo(10_000);
            assertThat((Long) rowOf(sender).fields().get("rate")).isPositive();
            assertThat((Long) rowOf(sender).fields().get("srtt")).isPositive();
        }
    }

    private static ObservedRow rowOf(DatagramSide side) {
        return only(PROVIDER.observe(PID), "ah", "lqpn", (long) side.queuePair.number());
    }

    @Test
    @DisplayName("show all counters of the context, and the use of each limit")
    void counters() {
        try (Context rnic = PROVIDER.device("jwarp0").open(Progress.INLINE, Map.of())) {
            rnic.allocateProtectionDomain();
            Observation seen = PROVIDER.observe(PID);

            assertThat(seen.all("counter").stream()
                            .filter(row -> row.text("link").equals("jwarp0/1"))
                            .map(row -> row.text("name")))
                    .containsExactlyElementsOf(
                            rnic.counters().stream().map(Counter::name).toList());
            assertThat(seen.all("limit"))
                    .anySatisfy(row -> assertThat(row.fields())
                            .containsEntry("link", "jwarp0/1")
                            .containsEntry("name", "pd")
                            .containsEntry("current", 1L)
                            .containsEntry("limit", (long) DeviceLimits.MAX_PROTECTION_DOMAINS));
        }
    }

    @Test
    @DisplayName("show nothing of a context that is closed or has jwarp.stat=off")
    void off() {
        long number;
        try (Context seen = PROVIDER.device("jwarp0").open();
                Context unseen = PROVIDER.device("jwarp0").open(Map.of("jwarp.stat", "off"))) {
            assertThat(unseen.device().name()).isEqualTo("jwarp0");
            seen.createCompletionQueue(99);
            unseen.createCompletionQueue(98);
            number = only(PROVIDER.observe(PID), "cq", "cqe", 99L).number("ctxn");
            assertThat(contexts()).contains(number);
            assertThat(PROVIDER.observe(PID).all("cq")).noneMatch(row -> row.number("cqe") == 98);
        }
        assertThat(contexts()).doesNotContain(number);
    }

    private static List<Long> contexts() {
        try {
            return PROVIDER.observe(PID).all("ctx").stream()
                    .map(row -> row.number("ctxn"))
                    .toList();
        } catch (RdmaException e) {
            assertThat(e).hasMessageContaining("has no jwarp device open");
            return List.of();
        }
    }
}
