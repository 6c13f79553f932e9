package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.StreamFault;
import dev.jwarp.sim.StreamFault.Direction;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.KeepAlive;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A peer that has ended or does not answer")
class PeerGoneTest {
    private static final String SILENT = "the peer did not answer in time";

    @Test
    @DisplayName("ends its connection with TIMED_OUT if it does not answer, and all requests have the reason")
    void timedOut() {
        SimNetwork network = new SimNetwork(7);
        network.inject(0, StreamFault.timedOutAfter(Direction.TO_RESPONDER, 4096));
        try (World world = World.simulated(network, Map.of())) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, Endpoint.MEMORY);
            pair.active.receive(2, 0, 8);
            pair.active.send(3, 0, Endpoint.MEMORY);
            for (Endpoint side : List.of(pair.active, pair.passive)) {
                assertThat(side.asyncEvent(AsyncEventType.QP_FATAL).sentence()).contains(SILENT);
                CmEvent event = side.event(CmEventType.DISCONNECTED);
                assertThat(event.error()).isEqualTo(RdmaErrorCode.TIMED_OUT);
                assertThat(event.status()).isEqualTo(-1);
                assertThat(event.sentence()).contains("ended in error", SILENT);
                WorkCompletion flushed = side.next();
                assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
                assertThat(flushed.diagnosis()).contains(SILENT);
            }
        }
    }

    @EachWorld
    @DisplayName("that closed in order is reported with the number of receives that wait for its messages")
    void closedEarly(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.receive(1, 0, 8);
            pair.active.receive(2, 0, 8);
            pair.passive.id.disconnect();
            CmEvent event = pair.active.event(CmEventType.DISCONNECTED);
            assertThat(event.error()).isNull();
            assertThat(event.sentence())
                    .contains("was closed by the peer", "2 posted receives", "killed")
                    .doesNotContain("in order");
            assertThat(pair.passive.event(CmEventType.DISCONNECTED).sentence()).contains("ended in order");
        }
    }

    @EachWorld
    @DisplayName("that closed after a disconnect of this side ends in order, with any posted requests")
    void wanted(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.receive(1, 0, 8);
            pair.active.id.disconnect();
            CmEvent event = pair.active.event(CmEventType.DISCONNECTED);
            assertThat(event.error()).isNull();
            assertThat(event.sentence()).contains("ended in order");
        }
    }

    @Test
    @DisplayName("that closed in order before its response to a Read ends the connection in error")
    void unanswered() {
        // MPA's Reply, and one FPDU with a Send of 8 bytes.
        long replyAndSend = 24 + 32;
        SimNetwork network = new SimNetwork(7);
        network.inject(0, StreamFault.halfCloseAfter(Direction.TO_INITIATOR, replyAndSend));
        try (World world = World.simulated(network, Map.of())) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 8);
            pair.active.receive(2, 0, 8);
            pair.active.send(3, 0, 8);
            pair.active.success();
            pair.passive.success();
            pair.passive.send(4, 0, 8);
            pair.active.success();
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .id(5)
                    .rdmaRead(pair.passive.address(0), pair.passive.memory.rkey())
                    .add(pair.active.memory, 0, 8));
            WorkCompletion read = pair.active.next();
            assertThat(read.status()).isEqualTo(WorkCompletionStatus.REM_ABORT_ERR);
            assertThat(read.diagnosis()).contains("before it had answered", "killed");
            CmEvent event = pair.active.event(CmEventType.DISCONNECTED);
            assertThat(event.error()).isEqualTo(RdmaErrorCode.DISCONNECTED);
            assertThat(event.sentence()).contains("ended in error", "before it had answered");
        }
    }

    @EachTcpWorld
    @DisplayName("is probed with the keep-alive of the connection, otherwise with that of the settings")
    void perConnection(World.Kind kind) throws IOException {
        assumeTrue(Files.isReadable(Path.of("/proc/net/tcp")), "no /proc/net/tcp");
        KeepAlive hours = new KeepAlive(Duration.ofHours(5), Duration.ofSeconds(1), 1);
        try (World world = World.of(kind, Map.of("jwarp.tcp.keep-alive", "3600,10,6"))) {
            Connected pair = Connected.in(
                    world,
                    UnaryOperator.identity(),
                    ConnectionParameters.DEFAULT.withKeepAlive(hours),
                    ConnectionParameters.DEFAULT);
            assertThat(secondsToProbe(world, pair.active)).isBetween(4 * 3600L, 5 * 3600L);
            assertThat(secondsToProbe(world, pair.passive)).isBetween(1L, 3600L);
            Connected silent = Connected.in(
                    world,
                    UnaryOperator.identity(),
                    ConnectionParameters.DEFAULT,
                    ConnectionParameters.DEFAULT.withKeepAlive(KeepAlive.OFF));
            assertThat(secondsToProbe(world, silent.active)).isBetween(1L, 3600L);
            assertThat(timer(silent.passive)).isEmpty();
        }
    }

    private static long secondsToProbe(World world, Endpoint side) {
        long[] seconds = new long[1];
        world.until("what was sent is acknowledged, and the timer is that of the keep-alive", () -> {
            OptionalLong timer = timer(side);
            seconds[0] = timer.orElse(0);
            return timer.isPresent();
        });
        return seconds[0];
    }

    /** {@return the seconds until the next keep-alive probe of a connection} Linux's table has 1/100 s. */
    private static OptionalLong timer(Endpoint side) {
        String local = port(side.id.localAddress());
        String remote = port(side.id.remoteAddress());
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Path file = Path.of(table);
            try {
                for (String line : Files.isReadable(file) ? Files.readAllLines(file) : List.<String>of()) {
                    String[] words = line.strip().split("\\s+", -1);
                    if (words.length > 5 && words[1].endsWith(local) && words[2].endsWith(remote)) {
                        String[] timer = words[5].split(":", -1);
                        return timer[0].equals("02")
                                ? OptionalLong.of(Long.parseLong(timer[1], 16) / 100)
                                : OptionalLong.empty();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return OptionalLong.empty();
    }

    private static String port(InetSocketAddress address) {
        return String.format(
                Locale.ROOT, ":%04X", Objects.requireNonNull(address).getPort());
    }

    @Test
    @DisplayName("is probed with empty RDMA Writes only with the setting jwarp.rdmap.probe, at its interval")
    void probes() {
        try (World world =
                World.of(World.Kind.SIMULATED, Map.of("jwarp.rdmap.probe", "10", "jwarp.rdmap.nudge", "off"))) {
            Connected.in(world);
            world.settle(); // 100 ms
            assertThat(probesSent(world)).isGreaterThan(5);
        }
        try (World world = World.of(World.Kind.SIMULATED, Map.of("jwarp.rdmap.nudge", "off"))) {
            Connected.in(world);
            world.settle();
            assertThat(probesSent(world)).isZero();
        }
    }

    private static long probesSent(World world) {
        return Stream.of(world.connecting(), world.listening())
                .flatMap(context -> context.counters().stream())
                .filter(counter -> counter.name().equals("rdmap_probes_sent"))
                .mapToLong(Counter::value)
                .sum();
    }
}
