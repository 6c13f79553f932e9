package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.SimNetwork;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Events and statuses of datagrams at the program, through all layers. */
@DisplayName("A program with datagrams learns")
class DatagramEventsTest {
    private static final int MESSAGE = 4_000; // three datagrams
    private static final int SEGMENT_INDEX = 20;

    private static boolean isSecondDatagram(ByteBuffer octets) {
        return (octets.get(octets.position()) & 0xf) == 0 && octets.getShort(octets.position() + SEGMENT_INDEX) == 1;
    }

    @Test
    @DisplayName("that a peer is silent after ten seconds of sending")
    void silent() {
        SimNetwork network = new SimNetwork(1);
        try (DatagramWorld world = DatagramWorld.simulated(network, Map.of("jwarp.udp.controlled", ""))) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide silent = DatagramSide.on(world, 1);
            world.datagrams().lose(octets -> true);
            AddressHandle peer = sender.to(silent);
            for (int i = 0; i < 110; i++) {
                assertThat(sender.context.pollAsyncEvent()).isNull();
                sender.send(i, peer, 0, 100);
                sender.success();
                network.runFor(TimeUnit.MILLISECONDS.toNanos(i < 100 ? 95 : 50));
            }
            sender.send(110, peer, 0, 100);
            AsyncEvent event = world.asyncEvent(sender.context, AsyncEventType.PATH_SILENT);
            assertThat(event.element()).isSameAs(sender.queuePair);
            assertThat(event.sentence())
                    .startsWith(sender.queuePair + ", queue pair " + silent.queuePair.number() + " at ")
                    .contains(silent.queuePair.localAddress().getAddress().getHostAddress(), "10 s");
            assertThat(sender.counter("ud_silent")).isEqualTo(1);
        }
    }

    @Tag("DG-4.7-6")
    @Test
    @DisplayName("that a peer supports no common version")
    void otherVersions() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide other = DatagramSide.on(world, 1);
            Forger peer = new Forger(world, other.queuePair.localAddress());
            other.receive(1, 0, 10);
            sender.send(1, sender.to(other), 0, 10);
            other.success();
            byte[] asked = peer.seen().get(0);
            ByteBuffer list = ByteBuffer.allocate(28)
                    .putInt(0x0F << 24 | sender.queuePair.number())
                    .putInt(1 << 24 | other.queuePair.number())
                    .put(asked, 8, 8)
                    .putInt(1 << 2);
            world.datagrams()
                    .send(
                            other.queuePair.localAddress(),
                            sender.queuePair.localAddress(),
                            ByteBuffer.wrap(Forger.sealed(list.array())));
            AsyncEvent event = world.asyncEvent(sender.context, AsyncEventType.VERSION_LIST);
            assertThat(event.element()).isSameAs(sender.queuePair);
            assertThat(event.sentence()).contains("queue pair " + other.queuePair.number());
            other.receive(2, 0, 10);
            sender.send(2, sender.to(other), 0, 10);
            other.success(); // in version 1
        }
    }

    @EachDatagramWorld
    @DisplayName("that Write-Records are dropped because their completions are not taken")
    void logFull(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.datagram.records", "16"))) {
            DatagramSide writer = DatagramSide.on(world, 0);
            DatagramSide target = DatagramSide.small(world, 1, 1);
            AddressHandle peer = writer.to(target);
            for (int i = 0; i < 25; i++) {
                writer.writeRecord(i, peer, target, 0, 10);
            }
            AsyncEvent event = world.asyncEvent(target.context, AsyncEventType.RECORD_LOG_FULL);
            assertThat(event.element()).isSameAs(target.queuePair);
            assertThat(target.queuePair.state()).isEqualTo(QueuePairState.RTS);
        }
    }

    @Tag("DG-7-5")
    @Tag("DG-13-5")
    @Test
    @DisplayName("that the oldest message of a source was evicted by a newer one")
    void evicted() {
        Map<String, String> settings = Map.of("jwarp.datagram.records", "16");
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED, settings)) {
            DatagramSide writer = DatagramSide.on(world, 0).pattern(0, 3 * MESSAGE);
            DatagramSide target = DatagramSide.on(world, 1);
            world.datagrams().lose(DatagramEventsTest::isSecondDatagram);
            for (int i = 0; i < 3; i++) {
                writer.writeRecord(i, writer.to(target), target, i * MESSAGE, MESSAGE);
            }
            for (int i = 0; i < 3; i++) {
                WorkCompletion ended = target.next(i < 2 ? WorkCompletionStatus.EVICTED : WorkCompletionStatus.PARTIAL);
                assertThat(ended.localAddress()).isEqualTo(target.address(i * MESSAGE));
                assertThat(ended.byteLength()).isBetween(1, MESSAGE - 1);
            }
        }
    }

    @Test
    @DisplayName("of the receive of an incomplete Send when its source exceeds its limit")
    void receivesOfOneSource() {
        Map<String, String> settings = Map.of("jwarp.datagram.receives-per-source", "1");
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED, settings)) {
            DatagramSide near = DatagramSide.on(world, 0).pattern(0, 2 * MESSAGE);
            DatagramSide far = DatagramSide.on(world, 1);
            for (int i = 0; i < 8; i++) {
                far.receive(i, i * MESSAGE, MESSAGE);
            }
            world.datagrams().lose(DatagramEventsTest::isSecondDatagram);
            near.send(1, near.to(far), 0, MESSAGE);
            near.send(2, near.to(far), MESSAGE, MESSAGE);
            near.success();
            near.success();
            world.settle();
            assertThat(far.counter("records_evicted")).isOne();
        }
    }

    @Tag("DG-7-14")
    @Test
    @DisplayName("of messages with the same number from two sources, separately")
    void twoSources() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide writer = DatagramSide.on(world, 0);
            DatagramSide target = DatagramSide.on(world, 1);
            Forger other = new Forger(world, target.queuePair.localAddress());
            world.datagrams().lose(DatagramEventsTest::isSecondDatagram);
            writer.writeRecord(1, writer.to(target), target, 0, MESSAGE);
            writer.success();
            List<byte[]> seen = new ArrayList<>(other.seen());
            other.stopWatching();
            seen.forEach(octets -> other.send(Forger.address(10, 9), octets));
            List<WorkCompletion> ended = target.next(2);
            assertThat(ended).extracting(WorkCompletion::status).containsOnly(WorkCompletionStatus.PARTIAL);
            assertThat(ended)
                    .extracting(WorkCompletion::source)
                    .containsExactlyInAnyOrder(writer.queuePair.localAddress(), Forger.address(10, 9));
        }
    }

    // ---- of type RD

    @Tag("DG-11.1-27")
    @Test
    @DisplayName("that a peer stopped acknowledging")
    void unacknowledged() {
        Map<String, String> impatient = Map.of("jwarp.rd.give-up", "1000");
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED, impatient)) {
            DatagramSide sender = DatagramSide.reliable(world, 0);
            DatagramSide receiver = DatagramSide.reliable(world, 1);
            receiver.receive(1, 0, 10);
            sender.send(1, sender.to(receiver), 0, 10);
            sender.success();
            world.datagrams().lose(octets -> true);
            sender.send(2, sender.to(receiver), 0, 10);
            WorkCompletion failed = sender.next(WorkCompletionStatus.RETRY_EXC_ERR);
            assertThat(failed.id()).isEqualTo(2);
            assertThat(world.asyncEvent(sender.context, AsyncEventType.PEER_FAILED)
                            .sentence())
                    .endsWith(": " + failed.status().sentence() + ".");
        }
    }

    @Tag("DG-11.6-1")
    @Test
    @DisplayName("that a message may or may not have arrived, because the peer's queue pair is gone")
    void peerReset() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide sender = DatagramSide.reliable(world, 0);
            DatagramSide stays = DatagramSide.reliable(world, 1);
            DatagramSide goes = DatagramSide.reliable(
                    world, 1, usual -> DatagramAttributes.builder(stays.queuePair.localAddress()));
            sender.send(1, sender.to(goes), 0, 10); // there is no receive
            world.settle();
            goes.queuePair.close();
            assertThat(sender.next(WorkCompletionStatus.PEER_RESET).id()).isEqualTo(1);
        }
    }

    @Tag("DG-11.5-4")
    @Test
    @DisplayName("that the response of a Read is missing, after the timeout of the Read")
    void unanswered() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide reader = DatagramSide.reliable(world, 0);
            DatagramSide source = DatagramSide.reliable(world, 1);
            world.datagrams()
                    .lose(octets -> (octets.get(octets.position()) & 0xf) == 0
                            && (octets.get(octets.position() + 4) & 1) != 0); // DATA of a response
            reader.queuePair.postSend(
                    reader.read(1, reader.to(source), source, 0, 100).timeout(Duration.ofMillis(200)));
            assertThat(reader.next(WorkCompletionStatus.RESP_TIMEOUT_ERR).id()).isEqualTo(1);
        }
    }
}
