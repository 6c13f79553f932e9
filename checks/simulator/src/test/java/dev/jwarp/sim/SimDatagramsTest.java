package dev.jwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.capture.PcapDatagramTap;
import dev.jwarp.llp.capture.PcapWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Datagrams of the simulated network")
class SimDatagramsTest {
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.1.2.3", 9);

    private final SimNetwork network = new SimNetwork(3);
    private final SimDatagrams datagrams = new SimDatagrams(network);
    private final ToyDatagramEngine a = open(1);
    private final ToyDatagramEngine b = open(2);

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private ToyDatagramEngine open(int host) {
        SimDatagramTransport transport =
                datagrams.host(address(host), (driver, nowNanos) -> new ToyDatagramEngine(driver));
        return (ToyDatagramEngine) transport.open(transport.address(7000));
    }

    private static String[] numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> String.format("%04d", i)).toArray(String[]::new);
    }

    @Test
    void arriveWholeAndInOrderAndOneByOneThoughSentInABatch() {
        a.send(b.localAddress(), "one", "two", "3");
        b.send(a.localAddress(), "back");
        network.settle();
        assertThat(b.received).containsExactly("one", "two", "3");
        assertThat(a.received).containsExactly("back");
        assertThat(a.taken).isEqualTo(7);
    }

    @Test
    void vanishWhereNobodyIs() {
        a.send(new InetSocketAddress(address(9), 1), "lost");
        network.settle();
        assertThat(a.taken).isEqualTo(4);
    }

    @Test
    void haveFaultsOfTheirOwnForEachDirection() {
        datagrams.faults(address(1), address(2), new DatagramFaults(0.3, 0.3, 0, 0, 50_000));
        a.send(b.localAddress(), numbered(1_000));
        b.send(a.localAddress(), numbered(1_000));
        network.settle();
        assertThat(a.received).containsExactly(numbered(1_000));
        assertThat(new HashSet<>(b.received)).hasSizeBetween(600, 800);
        assertThat(b.received).isNotEqualTo(b.received.stream().sorted().toList());
    }

    @Test
    void areCorruptedByOneBit() {
        datagrams.faults(new DatagramFaults(0, 0, 1, 0, 0));
        a.send(b.localAddress(), "aaaa");
        network.settle();
        assertThat(b.received.get(0)).hasSize(4).isNotEqualTo("aaaa");
    }

    @Test
    void runTheSameWayForTheSameSeed() {
        SimDatagramsTest again = new SimDatagramsTest();
        haveFaultsOfTheirOwnForEachDirection();
        again.haveFaultsOfTheirOwnForEachDirection();
        assertThat(again.b.received).isEqualTo(b.received);
        assertThat(again.network.traceHash()).isEqualTo(network.traceHash());
    }

    @Test
    void reachEveryMemberOfAGroupUntilItLeaves() {
        ToyDatagramEngine c = open(3);
        b.join(0, GROUP, null, 0);
        c.join(0, GROUP, null, 0);
        a.send(GROUP, "all");
        network.settle();
        c.leave(0, GROUP);
        a.send(GROUP, "more");
        network.settle();
        assertThat(b.received).containsExactly("all to 9", "more to 9");
        assertThat(c.received).containsExactly("all to 9");
        assertThat(a.received).isEmpty();
    }

    @Test
    void comeFromBareSocketsWithWhateverAddressTheTestSays() {
        List<String> seen = new ArrayList<>();
        InetSocketAddress bare = new InetSocketAddress(address(9), 5);
        datagrams.socket(bare, (from, octets) -> seen.add(from.getPort() + " " + octets.remaining()));
        datagrams.send(new InetSocketAddress(address(77), 1), b.localAddress(), ByteBuffer.wrap(new byte[] {'x'}));
        b.send(bare, "four");
        network.settle();
        assertThat(b.received).containsExactly("x");
        assertThat(seen).containsExactly("7000 4");
        assertThatThrownBy(() -> datagrams.socket(bare, (from, octets) -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void areToldToATapEvenIfTheyAreLost() {
        List<String> seen = new ArrayList<>();
        datagrams.tap((from, to, octets, nowNanos) -> seen.add(from.getPort() + ">" + octets.remaining()));
        datagrams.faults(new DatagramFaults(1, 0, 0, 0));
        a.send(b.localAddress(), "gone");
        network.settle();
        assertThat(seen).containsExactly("7000>4");
        assertThat(b.received).isEmpty();
    }

    @Test
    void areUnsendableBeyondTheLargest() {
        datagrams.largestDatagram(3);
        a.send(b.localAddress(), "long", "one");
        network.settle();
        assertThat(a.events).containsExactly("Message too long");
        assertThat(b.received).containsExactly("one");
    }

    @Test
    void waitForADeviceThatTakesItsTime() {
        datagrams.device(new SimDevice(10, 100, false));
        ToyDatagramEngine slow = open(4);
        assertThat(slow.driver.segments()).isFalse();
        long begin = network.clock().nowNanos();
        slow.send(b.localAddress(), numbered(100));
        network.runFor(500);
        assertThat(slow.taken).as("what is under way and what waits").isBetween(100, 200);
        network.settle();
        assertThat(slow.taken).isEqualTo(400);
        assertThat(b.received).hasSize(100).isSorted();
        assertThat(network.clock().nowNanos() - begin).isGreaterThanOrEqualTo(4_000);
    }

    @Test
    void arriveBeforeATimerThatIsDueAtTheSameTime() {
        a.timeout = network.clock().after(10_000);
        b.send(a.localAddress(), "here");
        network.runFor(20_000);
        assertThat(a.events).containsExactly("received", "timeout");
    }

    @Test
    void endWithTheirPortWhoseAddressIsFreeAgain() {
        a.send(b.localAddress(), "late");
        network.runFor(1);
        b.close();
        network.settle();
        assertThat(b.events).containsExactly("closed");
        assertThat(b.received).isEmpty();
        assertThat(open(5).events).isEmpty();
        SimDatagramTransport one = datagrams.host(address(6), (driver, nowNanos) -> new ToyDatagramEngine(driver));
        one.open(one.address(1));
        assertThatThrownBy(() -> one.open(one.address(1)))
                .isInstanceOf(LlpException.class)
                .hasMessageContaining("taken");
        one.close();
        assertThatThrownBy(() -> one.open(one.address(1)))
                .isInstanceOf(LlpException.class)
                .hasMessageContaining("closed");
        assertThat(datagrams.host(address(6), (driver, nowNanos) -> new ToyDatagramEngine(driver)))
                .isNotNull();
    }

    @Test
    void areWrittenDownOnceBetweenTwoTappedPorts() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (PcapWriter writer = new PcapWriter(file, 0)) {
            List<ToyDatagramEngine> ends = new ArrayList<>();
            for (int host : new int[] {7, 8}) {
                SimDatagramTransport transport = datagrams.host(
                        address(host),
                        new PcapDatagramTap(
                                (driver, nowNanos) -> {
                                    ToyDatagramEngine engine = new ToyDatagramEngine(driver);
                                    ends.add(engine);
                                    return engine;
                                },
                                writer));
                transport.open(transport.address(7000));
            }
            ends.get(0).send(ends.get(1).localAddress(), "once", "and", "again".substring(2));
            datagrams.send(a.localAddress(), ends.get(1).localAddress(), ByteBuffer.wrap(new byte[5]));
            network.settle();
            assertThat(ends.get(1).received).hasSize(4);
        }
        assertThat(file.size()).isEqualTo(24 + 4 * (16 + 28) + 10 + 5);
    }
}
