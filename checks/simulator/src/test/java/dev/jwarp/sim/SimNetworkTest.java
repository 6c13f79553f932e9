package dev.jwarp.sim;

import static dev.jwarp.sim.StreamFault.Direction.TO_INITIATOR;
import static dev.jwarp.sim.StreamFault.Direction.TO_RESPONDER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.Transport;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class SimNetworkTest {
    private static final int PORT = 7174;
    private static final long TIMEOUT = 1_000_000_000;

    /** Two hosts, and an application on each. */
    private static final class Pair {
        final SimNetwork network;
        final SimTransport client;
        final SimTransport server;
        final ToyApplication one = new ToyApplication();
        final ToyApplication other = new ToyApplication();
        final Transport.Listener listener;

        Pair(long seed) {
            network = new SimNetwork(seed);
            client = network.host(address(1), ToyEngine.FACTORY);
            server = network.host(address(2), ToyEngine.FACTORY);
            listener = server.listen(server.address(PORT), 1, other);
        }

        Pair on(SimLink link) {
            network.link(link);
            return this;
        }

        Pair with(StreamFault... faults) {
            network.inject(network.connections(), faults);
            return this;
        }

        Pair connect() {
            byte[] hello = "hello".getBytes(StandardCharsets.UTF_8);
            StartParameters offer = new StartParameters(-1, -1, hello);
            one.connection = client.connect(server.address(PORT), null, offer, TIMEOUT, one, one);
            return this;
        }

        Pair established() {
            connect();
            network.runUntil(() -> one.established() && other.established());
            return this;
        }
    }

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static String[] lines(int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(i -> "line " + i + " ".repeat(i % 190))
                .toArray(String[]::new);
    }

    /** The start frame of the initiator: kind, length, "hello". */
    private static final int REQUEST = 7;

    @Test
    void carriesStartFramesAndUlpdusBothWays() {
        Pair pair = new Pair(1).established();
        pair.one.send(lines(100));
        pair.other.send(lines(50));
        pair.network.settle();
        assertThat(pair.other.received).containsExactly(lines(100));
        assertThat(pair.one.received).containsExactly(lines(50));
        assertThat(pair.one.events).containsExactly("established");
        assertThat(pair.other.events).containsExactly("request hello", "established");
    }

    @Property(tries = 200)
    void carriesThemOverAnyLink(@ForAll long seed) {
        Pair pair = new Pair(seed);
        pair.on(SimLink.any(pair.network.random())).established();
        pair.one.send(lines(40));
        pair.other.send(lines(60));
        pair.network.runUntil(() -> pair.one.received.size() == 60 && pair.other.received.size() == 40);
        assertThat(pair.other.received).containsExactly(lines(40));
        assertThat(pair.one.received).containsExactly(lines(60));
    }

    @Test
    void connectsAgainAfterAResetIfTheEngineSaysSo() {
        SimNetwork network = new SimNetwork(1);
        int[] connections = {0};
        RawEnd again = new RawEnd() {
            @Override
            public void onConnected(long nowNanos) {
                connections[0]++;
                end(Ending.OPEN);
            }

            @Override
            public void onBroken(long nowNanos) {
                if (connections[0] == 1) {
                    end(Ending.RECONNECT);
                }
            }
        };
        RawEnd resetting = new RawEnd() {
            @Override
            public void onConnected(long nowNanos) {
                end(Ending.ABORT);
            }
        };
        SimTransport client = network.host(address(1), again);
        SimTransport server = network.host(address(2), resetting);
        ToyApplication none = new ToyApplication();
        server.listen(server.address(PORT), 1, none);
        client.connect(server.address(PORT), null, new StartParameters(-1, -1, new byte[0]), TIMEOUT, none, none);
        network.settle();
        assertThat(connections[0]).isEqualTo(2);
    }

    @Test
    void carriesThemWhereEveryOctetArrivesAlone() {
        Pair pair = new Pair(1).on(SimLink.OCTETS).established();
        pair.one.send(lines(100));
        pair.network.settle();
        assertThat(pair.other.received).containsExactly(lines(100));
    }

    @Property(tries = 100)
    void runsTheSameWayForTheSameSeed(@ForAll long seed) {
        assertThat(hashOfARun(seed)).isEqualTo(hashOfARun(seed));
    }

    @Test
    void runsOtherWaysForOtherSeeds() {
        assertThat(java.util.stream.LongStream.range(0, 100)
                        .map(SimNetworkTest::hashOfARun)
                        .distinct()
                        .count())
                .isEqualTo(100);
    }

    private static long hashOfARun(long seed) {
        Pair pair = new Pair(seed);
        pair.on(SimLink.any(pair.network.random())).with(StreamFault.any(pair.network.random(), 2_000));
        pair.connect();
        pair.one.send(lines(20));
        pair.network.runFor(TIMEOUT);
        return pair.network.traceHash();
    }

    @Test
    void endsInOrderWhenBothSidesClose() {
        Pair pair = new Pair(1).established();
        pair.one.send(lines(30));
        pair.one.connection.close();
        pair.network.settle();
        assertThat(pair.other.received).containsExactly(lines(30));
        assertThat(pair.one.events).containsExactly("established", "closed GRACEFUL");
        assertThat(pair.other.events).containsExactly("request hello", "established", "peer closed", "closed GRACEFUL");
    }

    @Test
    void letsTheOtherDirectionGoOnAfterOneIsClosed() {
        Pair pair = new Pair(1).established();
        pair.other.closesWithPeer = false;
        pair.one.connection.close();
        pair.network.settle();
        pair.other.send(lines(30));
        pair.network.settle();
        assertThat(pair.one.received).containsExactly(lines(30));
        pair.other.connection.close();
        pair.network.settle();
        assertThat(pair.one.events).endsWith("closed GRACEFUL");
        assertThat(pair.other.events).endsWith("closed GRACEFUL");
    }

    @Test
    void tellsAnEngineThatItsTimeHasCome() {
        Pair pair = new Pair(1).established();
        pair.other.closesWithPeer = false;
        pair.one.connection.close();
        pair.network.settle();
        long before = pair.network.clock().nowNanos();
        pair.network.runUntil(() -> pair.one.events.contains("closed LINGER_EXPIRED"));
        assertThat(pair.network.clock().nowNanos() - before).isBetween(1L, ToyEngine.LINGER_NANOS);
        pair.network.settle();
        assertThat(pair.other.events).endsWith("closed RESET");
    }

    @Test
    void resetsForThePeerWhatOneSideAborts() {
        Pair pair = new Pair(1).established();
        pair.one.connection.abort();
        pair.network.settle();
        assertThat(pair.one.events).endsWith("closed ABORTED");
        assertThat(pair.other.events).endsWith("closed RESET");
    }

    @Test
    void answersOctetsForASideThatHasLeftByAReset() {
        Pair pair = new Pair(1).established();
        pair.one.closesWithPeer = false;
        ((ToyEngine) pair.other.connection).leave();
        pair.network.settle();
        assertThat(pair.one.events).endsWith("peer closed");
        pair.one.send("anybody there?");
        pair.network.settle();
        assertThat(pair.one.events).endsWith("closed RESET");
        assertThat(pair.other.received).isEmpty();
    }

    @Test
    void refusesWhereNobodyListens() {
        Pair pair = new Pair(1);
        pair.listener.close();
        pair.connect().network.settle();
        assertThat(pair.one.events).containsExactly("failed REFUSED");
    }

    @Test
    void findsNoHostWhereThereIsNone() {
        Pair pair = new Pair(1);
        pair.server.close();
        pair.connect().network.settle();
        assertThat(pair.one.events).containsExactly("failed UNREACHABLE");
    }

    @Test
    void carriesARejection() {
        Pair pair = new Pair(1);
        pair.other.rejects = true;
        pair.connect().network.settle();
        assertThat(pair.one.events).containsExactly("rejected no");
        assertThat(pair.other.events).containsExactly("request hello");
    }

    @Test
    void connectsAgainForAnEngineThatAsksForIt() {
        Pair pair = new Pair(1);
        pair.other.refusals = 2;
        pair.connect().network.settle();
        pair.one.send("here");
        pair.network.settle();
        assertThat(pair.other.events).containsExactly("request hello", "request hello", "request hello", "established");
        assertThat(pair.other.received).containsExactly("here");
        assertThat(pair.network.connections()).isEqualTo(3);
    }

    @Test
    void abortsEverythingWhenATransportCloses() {
        Pair pair = new Pair(1).established();
        pair.server.close();
        pair.network.settle();
        assertThat(pair.other.events).endsWith("closed ABORTED");
        assertThat(pair.one.events).endsWith("closed RESET");
        assertThatThrownBy(() -> pair.server.listen(pair.server.address(0), 1, pair.other))
                .isInstanceOf(LlpException.class);
    }

    @Test
    void givesEachListenerAPortOfItsOwn() {
        Pair pair = new Pair(1);
        assertThatThrownBy(() -> pair.server.listen(pair.server.address(PORT), 1, pair.other))
                .isInstanceOf(LlpException.class)
                .hasMessageContaining("taken");
        assertThatThrownBy(() -> pair.server.listen(pair.client.address(PORT), 1, pair.other))
                .isInstanceOf(LlpException.class)
                .hasMessageContaining("not an address");
        int first = pair.server
                .listen(pair.server.address(0), 1, pair.other)
                .localAddress()
                .getPort();
        int second = pair.server
                .listen(pair.server.address(0), 1, pair.other)
                .localAddress()
                .getPort();
        assertThat(first).isNotZero().isNotEqualTo(second);
    }

    @Test
    void givesUpAConnectThatNobodyAnswers() {
        Pair pair = new Pair(1).with(StreamFault.lostConnect()).connect();
        pair.network.runUntil(() -> !pair.one.events.isEmpty());
        assertThat(pair.one.events).containsExactly("failed TIMED_OUT");
        assertThat(pair.other.events).isEmpty();
    }

    @Test
    void resetsAfterTheGivenOctet() {
        Pair pair = new Pair(1)
                .with(StreamFault.resetAfter(TO_RESPONDER, REQUEST + 11))
                .connect();
        pair.one.send("123456789", "never");
        pair.network.settle();
        assertThat(pair.other.received).containsExactly("123456789");
        assertThat(pair.one.events).endsWith("closed RESET");
        assertThat(pair.other.events).endsWith("closed RESET");
    }

    @Test
    void closesBothDirectionsAfterTheGivenOctet() {
        Pair pair = new Pair(1)
                .with(StreamFault.closeAfter(TO_RESPONDER, REQUEST + 11))
                .connect();
        pair.one.send("123456789", "never");
        pair.network.settle();
        assertThat(pair.other.received).containsExactly("123456789");
        assertThat(pair.one.events).contains("peer closed");
        assertThat(pair.other.events).contains("peer closed");
    }

    @Test
    void closesOneDirectionAfterTheGivenOctet() {
        Pair pair = new Pair(1).with(StreamFault.halfCloseAfter(TO_RESPONDER, REQUEST + 11));
        pair.other.closesWithPeer = false;
        pair.connect();
        pair.one.send("123456789", "never");
        pair.network.settle();
        pair.other.send("still here");
        pair.network.settle();
        assertThat(pair.other.received).containsExactly("123456789");
        assertThat(pair.other.events).contains("peer closed");
        assertThat(pair.one.received).containsExactly("still here");
        assertThat(pair.one.events).containsExactly("established");
    }

    @Test
    void flipsTheGivenBitOfTheGivenOctet() {
        Pair pair = new Pair(1)
                .with(StreamFault.flipBitAfter(TO_RESPONDER, REQUEST + 2 + 3, 5))
                .connect();
        pair.one.send("abcdef", "abcdef");
        pair.network.settle();
        assertThat(pair.other.received).containsExactly("abcDef", "abcdef");
    }

    @Test
    void swallowsEverythingBehindTheGivenOctet() {
        SimLink small = new SimLink(1, 100, 10, 1_000, 64, 1460);
        Pair pair = new Pair(1).on(small).with(StreamFault.blackholeAfter(TO_RESPONDER, REQUEST + 11));
        pair.connect();
        pair.one.send("123456789");
        pair.one.send(lines(200));
        pair.network.settle();
        pair.other.send("still here");
        pair.network.settle();
        assertThat(pair.other.received).containsExactly("123456789");
        assertThat(pair.one.received).containsExactly("still here");
        assertThat(pair.one.toSend)
                .as("the send buffer is bounded, so most lines wait")
                .hasSizeGreaterThan(100);
    }

    @Test
    void strikesBeforeTheFirstOctet() {
        Pair pair = new Pair(1).with(StreamFault.resetAfter(TO_INITIATOR, 0)).connect();
        pair.network.settle();
        assertThat(pair.one.events).containsExactly("failed CLOSED_BY_PEER");
    }

    @Test
    void flipsARequestIntoAnAnswer() {
        Pair pair =
                new Pair(1).with(StreamFault.flipBitAfter(TO_RESPONDER, 0, 4)).connect();
        pair.network.settle();
        assertThat(pair.one.events).containsExactly("failed CLOSED_BY_PEER");
    }

    @Property(tries = 500)
    void endsEveryRunWithAFaultSomewhere(@ForAll long seed) {
        Pair pair = new Pair(seed);
        pair.on(SimLink.any(pair.network.random()));
        pair.with(StreamFault.any(pair.network.random(), 3_000), StreamFault.any(pair.network.random(), 3_000));
        pair.connect();
        pair.one.send(lines(20));
        pair.network.runFor(TIMEOUT);
        // The received lines are a prefix of the sent ones, except for flipped bits.
        assertThat(pair.other.received.size()).isLessThanOrEqualTo(20);
        assertThat(pair.one.events).isNotEmpty();
    }

    @Test
    void movesBothHostsWhileOneOfThemIsPolled() {
        Pair pair = new Pair(1).connect();
        pair.one.send("over");
        int polls = 0;
        while (pair.other.received.isEmpty() && polls < 1_000) {
            pair.client.poll();
            polls++;
        }
        assertThat(pair.other.received).containsExactly("over");
        assertThat(polls).isLessThan(1_000);
        assertThat(pair.client.inline()).isTrue();
    }

    @Test
    void letsALittleTimePassWhenAPollFindsNothing() {
        Pair pair = new Pair(1);
        long before = pair.network.clock().nowNanos();
        assertThat(pair.client.poll()).isFalse();
        assertThat(pair.network.clock().nowNanos()).isEqualTo(before + 1_000);
    }

    @Test
    void waitsNoLongerThanToldAndNotAtAllWhenWokenUp() {
        Pair pair = new Pair(1);
        long before = pair.network.clock().nowNanos();
        pair.client.await(5_000);
        assertThat(pair.network.clock().nowNanos()).isEqualTo(before + 5_000);
        pair.client.wakeup();
        pair.client.await(5_000);
        assertThat(pair.network.clock().nowNanos()).isEqualTo(before + 5_000);
        pair.connect();
        while (!pair.one.established()) {
            pair.client.await(TIMEOUT);
        }
        assertThat(pair.network.clock().nowNanos()).isLessThan(before + 1_000_000);
    }

    @Test
    void saysSoWhenSomebodyWaitsForWhatCannotHappen() {
        Pair pair = new Pair(4711);
        assertThatThrownBy(() -> pair.client.await(Long.MAX_VALUE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("seed 4711");
        assertThatThrownBy(() -> pair.network.runUntil(() -> false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("seed 4711");
    }

    @Test
    void endsARunWithoutEnd() {
        SimNetwork network = new SimNetwork(42);
        network.stepLimit(1_000);
        Runnable[] again = new Runnable[1];
        again[0] = () -> network.at(network.clock().after(1), again[0]);
        again[0].run();
        assertThatThrownBy(network::settle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1000 steps")
                .hasMessageContaining("seed 42");
        assertThatThrownBy(() -> {
                    SimTransport idle = new Pair(42).client;
                    idle.network().stepLimit(10);
                    while (!idle.poll()) {
                        // spins
                    }
                })
                .hasMessageContaining("10 steps");
    }

    @Test
    void tellsWhatHappensToWhoWantsToKnow() {
        List<String> log = new ArrayList<>();
        Pair pair = new Pair(1);
        pair.network.log(log::add);
        pair.established();
        assertThat(log).anyMatch(line -> line.contains("connection 0") && line.contains("CONNECTED"));
    }

    @Test
    void doesNothingWhenPolledFromWithinItself() {
        SimNetwork network = new SimNetwork(1);
        SimTransport host = network.host(address(1), ToyEngine.FACTORY);
        List<Boolean> answers = new ArrayList<>();
        long before = network.clock().nowNanos();
        network.at(0, () -> {
            answers.add(host.poll());
            host.await(1_000);
        });
        network.settle();
        assertThat(answers).containsExactly(false);
        assertThat(network.clock().nowNanos()).isEqualTo(before);
    }
}
