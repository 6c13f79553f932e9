package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.SimNetwork;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Many peers of one queue pair, in virtual time: limits and cost. The rows are in docs/scaling.md. */
@Timeout(600)
@DisplayName("With many peers")
class ScalingTest {
    private static final int SEGMENTS = 3;
    private static final int LENGTH = 4_000;
    private static final int HOSTS = 10;
    private static final int TO_A_PORT = 100;
    private static final int SEND = 1_000;
    private static final int RECEIVES = 128;

    @ParameterizedTest(name = "{0} peers, records for {1}")
    @DisplayName("messages of several datagrams are complete as long as there are records for all messages in progress")
    @CsvSource({"100, 1024, 100", "1000, 1024, 100", "2000, 1024, 51", "10000, 1024, 10", "10000, 16384, 100"})
    void recordsUnderWay(int peers, int records, int wholePercent) {
        Map<String, String> settings =
                Map.of("jwarp.udp.trust", "10.0.0.0/8", "jwarp.datagram.records", String.valueOf(records));
        try (DatagramWorld world = DatagramWorld.simulated(new SimNetwork(5), settings)) {
            DatagramSide target = DatagramSide.on(world, 0);
            DatagramSide sender = DatagramSide.on(world, 1).pattern(0, LENGTH);
            Forger crowd = new Forger(world, target.queuePair.localAddress());
            sender.writeRecord(1, sender.to(target), target, 0, LENGTH);
            sender.success();
            target.success();
            List<byte[]> datagrams = crowd.seen();
            crowd.stopWatching();
            assertThat(datagrams).hasSize(SEGMENTS);

            int[] statuses = new int[256];
            for (byte[] datagram : datagrams) { // the first datagram of all, then the second of all: the worst case
                for (int i = 0; i < peers; i++) {
                    crowd.send(Forger.address(10, 0x10_0000 + i), Forger.as(datagram, 0x1_0000 + i, 10));
                    if (i % 256 == 255) {
                        world.datagrams().network().runFor(TimeUnit.MICROSECONDS.toNanos(100));
                        count(target, statuses);
                    }
                }
            }
            for (int i = 0; i < 200; i++) {
                world.datagrams().network().runFor(TimeUnit.MILLISECONDS.toNanos(1));
                count(target, statuses);
            }
            int whole = statuses[WorkCompletionStatus.SUCCESS.number()];
            System.out.printf(
                    Locale.ROOT,
                    "| %,d | %,d | %.0f %% | %,d |%n",
                    peers,
                    records,
                    100.0 * whole / peers,
                    target.counter("records_evicted"));
            assertThat(100.0 * whole / peers).isGreaterThanOrEqualTo(wholePercent);
        }
    }

    private static void count(DatagramSide side, int[] statuses) {
        WorkCompletion[] batch = WorkCompletion.array(64);
        for (int taken = side.completions.poll(batch); taken > 0; taken = side.completions.poll(batch)) {
            for (int i = 0; i < taken; i++) {
                statuses[batch[i].status().number()]++;
                batch[i].release();
            }
        }
    }

    static IntStream channels() {
        return IntStream.of(100, 1_000, 10_000).limit(Whole.or(2, 3));
    }

    /** Complete stacks at both ends, some hosts with many queue pairs each. */
    @ParameterizedTest(name = "{0} endpoints")
    @DisplayName("each peer opens a reliable channel to one queue pair, and sends without loss")
    @MethodSource
    void channels(int endpoints) {
        try (DatagramWorld world = DatagramWorld.simulated(new SimNetwork(5), Map.of())) {
            DatagramSide target = DatagramSide.reliable(world, 0);
            List<Sender> senders = new ArrayList<>();
            for (int i = 0; i < endpoints; i++) {
                // A hundred share a port, because the simulator polls each port.
                int port = i % TO_A_PORT == 0 ? 0 : senders.get(i - 1).port();
                senders.add(new Sender(world, 1 + i / TO_A_PORT % HOSTS, port));
            }
            for (int i = 0; i < RECEIVES; i++) {
                target.receive(i, i * SEND, SEND);
            }
            AddressHandle[] handles = new AddressHandle[endpoints];
            for (int i = 0; i < endpoints; i++) {
                handles[i] = senders.get(i)
                        .queuePair
                        .createAddressHandle(
                                target.queuePair.localAddress(), target.queuePair.number(), target.queuePair.key());
            }
            long before = heapAfterCollection();
            for (int i = 0; i < endpoints; i++) {
                senders.get(i).send(handles[i]);
            }
            int received = 0;
            int milliseconds = 0;
            WorkCompletion[] batch = WorkCompletion.array(64);
            while (received < endpoints && milliseconds < 60_000) {
                world.datagrams().network().runFor(TimeUnit.MILLISECONDS.toNanos(1));
                milliseconds++;
                for (int taken = target.completions.poll(batch); taken > 0; taken = target.completions.poll(batch)) {
                    for (int i = 0; i < taken; i++) {
                        assertThat(batch[i].succeeded()).as(batch[i].describe()).isTrue();
                        target.receive(batch[i].id(), (int) batch[i].id() * SEND, SEND);
                        received++;
                    }
                }
            }
            long heap = heapAfterCollection() - before;
            System.out.printf(
                    Locale.ROOT,
                    "| %,d | %,d | %,d | %,d | %,d | %,d |%n",
                    endpoints,
                    received,
                    milliseconds,
                    target.counter("rd_half_open"),
                    target.counter("rd_not_ready"),
                    heap / endpoints);
            assertThat(received).isEqualTo(endpoints);
            assertThat(target.counter("rd_opened")).isEqualTo(endpoints);
        }
    }

    private static long heapAfterCollection() {
        System.gc();
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** A queue pair with little memory. */
    private static final class Sender {
        private final MemoryRegion memory;
        final DatagramQueuePair queuePair;

        Sender(DatagramWorld world, int host, int port) {
            ProtectionDomain domain = world.context(host).allocateProtectionDomain();
            CompletionQueue completions = world.context(host).createCompletionQueue(16);
            memory = domain.register(ByteBuffer.allocateDirect(SEND), AccessFlag.LOCAL_WRITE);
            InetSocketAddress address = world.address(host, port);
            queuePair = domain.createDatagramQueuePair(
                    QueuePairType.RD,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(2)
                            .maxReceiveWorkRequests(1)
                            .build(),
                    DatagramAttributes.builder(address).build());
        }

        int port() {
            return queuePair.localAddress().getPort();
        }

        void send(AddressHandle peer) {
            queuePair.postSend(new SendWorkRequest().destination(peer).add(memory, 0, SEND));
        }
    }
}
