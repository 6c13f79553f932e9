package dev.jwarp.samples.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.samples.words.RemoteWords;
import dev.jwarp.samples.words.WordsHost;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Balancers")
class BalancerTest {
    private static final int SERVICES = 2;
    private static final int CAPACITY = 10;
    private static final Layout HALVES = Layout.of(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1);
    private static final Balancer.Work NOTHING = (server, service) -> {};

    @Test
    @DisplayName("move one server for each spike, whoever stops or dies, at any operation")
    void simulated() throws Exception {
        int crashes = 0;
        int late = 0;
        for (int seed = 0; seed < Whole.or(100, 10_000); seed++) {
            try (BalancerWorld world = new BalancerWorld(seed, SERVICES, CAPACITY, HALVES)) {
                // Each spike needs one server more, and the other service can spare one.
                long[][] loads = {{65, 35}, {75, 35}, {65, 45}, {55, 55}};
                for (int spike = 0; spike < loads.length; spike++) {
                    int before = world.layout().changes();
                    boolean needed = world.spike(loads[spike]);
                    world.run();
                    assertThat(world.layout().changes() - before)
                            .as("moves for spike %d, seed %d", spike, seed)
                            .isEqualTo(needed ? 1 : 0);
                    assertThat(world.overloaded())
                            .as("overload after spike %d, seed %d", spike, seed)
                            .isFalse();
                }
                crashes += world.crashes;
                late += world.late;
            }
        }
        assertThat(crashes).as("holders that died").isPositive();
        assertThat(late)
                .as("holders that were stopped for longer than the lease")
                .isPositive();
    }

    @Test
    @DisplayName("share servers by RDMA: another one goes on when the holder of the lock has died")
    void byRdma() throws Exception {
        Duration lease = Duration.ofMillis(200);
        ExecutorService threads = Executors.newCachedThreadPool();
        List<RemoteWords> connections = new ArrayList<>();
        try (Context context = RdmaProvider.load()
                        .devices()
                        .get(0)
                        .open(Progress.THREADED, Patience.with(Patience.OF_CONNECTIONS, Map.of()));
                WordsHost host = new WordsHost(
                        context,
                        InetAddress.getLoopbackAddress(),
                        Balancer.LOAD + SERVICES,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_ATOMIC)) {
            host.set(Balancer.LAYOUT, HALVES.word());
            for (int i = 0; i < 4; i++) {
                connections.add(new RemoteWords(context, host.address(), Patience.LIMIT));
            }
            List<CompletableFuture<Void>> users = new ArrayList<>();
            for (RemoteWords each : connections) {
                Balancer balancer = balancer(each, lease, NOTHING);
                users.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < 500; i++) {
                                balancer.began(0);
                                balancer.began(1);
                                balancer.ended(1);
                            }
                        },
                        threads));
            }
            for (CompletableFuture<Void> each : users) {
                Patience.get(each);
            }
            assertThat(host.get(Balancer.LOAD)).isEqualTo(4 * 500);
            assertThat(host.get(Balancer.LOAD + 1)).isZero();

            host.set(Balancer.LOAD, 6 * CAPACITY + 1);
            Balancer dies = balancer(connections.get(0), lease, (server, service) -> {
                throw new IllegalStateException("it dies");
            });
            assertThatThrownBy(dies::look).hasMessage("it dies");
            assertThat(host.get(Balancer.LOCK)).isNotZero();
            List<CompletableFuture<Integer>> others = new ArrayList<>();
            for (RemoteWords each : connections.subList(1, connections.size())) {
                Balancer balancer = balancer(each, lease, NOTHING);
                others.add(CompletableFuture.supplyAsync(
                        () -> {
                            int moved = 0;
                            while (new Layout(host.get(Balancer.LAYOUT)).changes() == 0) {
                                moved += balancer.look() ? 1 : 0;
                            }
                            return moved + (balancer.look() ? 1 : 0);
                        },
                        threads));
            }
            int moved = 0;
            for (CompletableFuture<Integer> each : others) {
                moved += Patience.get(each);
            }
            assertThat(moved).isEqualTo(1);
            assertThat(new Layout(host.get(Balancer.LAYOUT)).servers(0)).isEqualTo(7);
        } finally {
            threads.shutdown();
        }
    }

    private static Balancer balancer(RemoteWords words, Duration lease, Balancer.Work work) {
        return new Balancer(words, SERVICES, CAPACITY, lease, System::nanoTime, work);
    }
}
