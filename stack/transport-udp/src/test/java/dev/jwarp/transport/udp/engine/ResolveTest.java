package dev.jwarp.transport.udp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimDatagramTransport;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.ResolveBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Finding a service (datagram-iWARP §R.1)")
class ResolveTest {
    private static final long ID = 0x1122334455667788L;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final byte[] NOTHING = {};
    private static final DatagramFaults LOST = new DatagramFaults(1, 0, 0, 0);

    private final SimNetwork network = new SimNetwork(5);
    private final SimDatagrams datagrams = new SimDatagrams(network);
    private final InetAddress askerHost = address(1);
    private final InetAddress serverHost = address(2);
    private final Tally<UdpCounter> serverCounters = new Tally<>(UdpCounter.class);
    private final Tally<UdpCounter> askerCounters = new Tally<>(UdpCounter.class);
    private final AnswerSources limits = new AnswerSources(UdpSettings.of(Map.of()), serverCounters, new Random(7));
    private final List<String> wire = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();
    private final List<ServiceAnswer> answers = new ArrayList<>();
    private DatagramPort server = open(serverHost, serverCounters, Map.of());
    private final DatagramPort asker = open(askerHost, askerCounters, Map.of());

    private static InetAddress address(int last) {
        return new InetSocketAddress("10.0.0." + last, 0).getAddress();
    }

    private DatagramPort open(InetAddress host, Tally<UdpCounter> counters, Map<String, String> settings) {
        SimDatagramTransport transport = host(host, counters, settings);
        return transport.open(transport.address(7000));
    }

    private SimDatagramTransport host(InetAddress host, Tally<UdpCounter> counters, Map<String, String> settings) {
        UdpSettings parsed = UdpSettings.of(settings);
        return datagrams.host(
                host, new UdpEngineFactory(parsed, counters, new EngineRig.RecordingReliable(), new Random(9), null));
    }

    /** Opens another server in place of the first one. */
    private void reopen(String setting, String value) {
        server.close();
        server = open(address(3), serverCounters, Map.of(setting, value));
    }

    /** Records the datagrams on the wire. */
    private List<ByteBuffer> record() {
        List<ByteBuffer> seen = new ArrayList<>();
        datagrams.tap((source, to, octets, now) -> seen.add(ByteBuffer.wrap(bytes(octets))));
        return seen;
    }

    /** {@return the datagrams on the wire for a question of that port} */
    private List<ByteBuffer> exchange(DatagramPort from) {
        List<ByteBuffer> seen = record();
        ask(from, server.localAddress(), NOTHING, DatagramService.UD);
        network.settle();
        datagrams.tap((source, to, octets, now) -> {});
        return seen;
    }

    private void send(DatagramPort from, ByteBuffer datagram, int times) {
        for (int i = 0; i < times; i++) {
            datagrams.send(from.localAddress(), server.localAddress(), datagram.duplicate());
        }
        network.settle();
    }

    @BeforeEach
    void tap() {
        datagrams.tap((from, to, octets, now) -> {
            wire.add(new EngineRig.Sent(null, bytes(octets), false).kind()
                    + (from.getAddress().equals(askerHost) ? ">" : "<"));
            times.add(now);
        });
    }

    private static byte[] bytes(ByteBuffer octets) {
        byte[] copy = new byte[octets.remaining()];
        octets.get(copy);
        return copy;
    }

    private static ServiceAnswer found(DatagramService type) {
        return new ServiceAnswer(
                ServiceStatus.FOUND, type, 0xABCDE, 0x1234, 7001, 1_472, 1L << 24, 1L << 20, new byte[] {1, 2, 3});
    }

    private AutoCloseable ask() {
        return ask(asker, server.localAddress(), NOTHING, DatagramService.UD);
    }

    private AutoCloseable ask(byte[] data, DatagramService... wanted) {
        return ask(asker, server.localAddress(), data, wanted);
    }

    private AutoCloseable ask(DatagramPort from, InetSocketAddress at, byte[] data, DatagramService... wanted) {
        return from.resolve(at, ID, Set.of(wanted), data, TimeUnit.SECONDS.toNanos(5), answers::add);
    }

    private long counted(UdpCounter counter) {
        return serverCounters.get(counter);
    }

    private void askAndRun() {
        ask();
        run();
    }

    private void run() {
        network.runFor(TimeUnit.SECONDS.toNanos(6));
    }

    @Tag("DG-4.3-2")
    @Tag("DG-9.1-4")
    @Test
    void aFixedServiceAnswersAStrangerAtOnce() {
        server.listen(ID, found(DatagramService.UD));
        ask(NOTHING, DatagramService.UD, DatagramService.RD);
        run();
        assertThat(answers).singleElement().usingRecursiveComparison().isEqualTo(found(DatagramService.UD));
        assertThat(wire).containsExactly("RESOLVE>", "RESOLVED<");
    }

    @Tag("DG-R.3-2")
    @Tag("DG-R.4-2")
    @Test
    void aHandlerIsAskedOnceAndOnlyForAProvedSource() {
        List<String> questions = new ArrayList<>();
        server.listen(ID, question -> {
            questions.add(question.source() + " " + question.validated() + " " + question.wanted() + " "
                    + question.privateData().length);
            return found(DatagramService.RD);
        });
        ask(new byte[216], DatagramService.RD);
        run();
        assertThat(answers).singleElement().usingRecursiveComparison().isEqualTo(found(DatagramService.RD));
        assertThat(questions).containsExactly(asker.localAddress() + " true [RD] 216");
        assertThat(wire).containsExactly("RESOLVE>", "CHALLENGE<", "RESOLVE>", "RESOLVED<");
    }

    @Test
    void theProofCanBeSwitchedOff() {
        reopen("jwarp.udp.resolve-challenge", "off");
        server.listen(ID, question -> {
            assertThat(question.validated()).isFalse();
            return found(DatagramService.UD);
        });
        askAndRun();
        assertThat(wire).containsExactly("RESOLVE>", "RESOLVED<");
    }

    @Tag("DG-R.2-2")
    @Tag("DG-R.4-2")
    @Tag("DG-R.3-3")
    @Test
    void saysWhenThereIsNoSuchServiceOrTypeAndWhenItIsRefusedOrBusy() throws Exception {
        server.listen(1, ServiceAnswer.without(ServiceStatus.REFUSED, NOTHING));
        askAndRun();
        AutoCloseable listening = server.listen(ID, found(DatagramService.UD));
        assertThat(listening).isNotNull();
        ask(NOTHING, DatagramService.RD);
        run();
        for (ServiceStatus status : List.of(ServiceStatus.REFUSED, ServiceStatus.BUSY)) {
            listening.close();
            listening = server.listen(ID, ServiceAnswer.without(status, new byte[] {9}));
            askAndRun();
        }
        assertThat(answers)
                .extracting(ServiceAnswer::status)
                .containsExactly(
                        ServiceStatus.NO_SERVICE,
                        ServiceStatus.NO_QUEUE_PAIR,
                        ServiceStatus.REFUSED,
                        ServiceStatus.BUSY);
        assertThat(answers.get(2).privateData()).containsExactly(9);
        assertThat(answers.get(2).queuePairNumber()).isZero();
    }

    @Tag("DG-R.3-1")
    @Tag("DG-R.4-1")
    @Test
    void aPortWithoutResolverIsSilentAndTheQuestionIsRepeatedUntilItsTimeIsOver() {
        ask();
        long begin = network.clock().nowNanos();
        run();
        assertThat(answers).extracting(ServiceAnswer::status).containsExactly(ServiceStatus.TIMED_OUT);
        assertThat(times.stream().map(time -> (time - begin) / MILLI)).containsExactly(0L, 250L, 750L, 1750L, 3750L);
        assertThat(counted(UdpCounter.RX_QPN)).isEqualTo(5);
    }

    @Tag("DG-R.2-1")
    @Tag("DG-R.3-1")
    @Test
    @DisplayName("every question has 288 bytes and a zero pad, and is repeated unchanged")
    void everyQuestionHas288OctetsAndIsRepeatedAsItWas() {
        List<ByteBuffer> questions = record();
        ask(new byte[] {1, 2, 3}, DatagramService.UD);
        run();
        byte[] first = questions.get(0).array();
        assertThat(questions).hasSize(5).containsOnly(questions.get(0));
        assertThat(first).hasSize(288);
        int said = ShimHeader.LENGTH + ResolveBody.PRIVATE_DATA_OFFSET;
        assertThat(Arrays.copyOfRange(first, said, said + 3)).containsExactly(1, 2, 3);
        assertThat(Arrays.copyOfRange(first, said + 3, 288 - Crc.LENGTH)).containsOnly(0);
    }

    @Test
    void aLostQuestionIsRepeated() {
        server.listen(ID, found(DatagramService.UD));
        datagrams.faults(askerHost, serverHost, LOST);
        ask();
        network.runFor(MILLI);
        datagrams.faults(askerHost, serverHost, DatagramFaults.NONE);
        run();
        assertThat(answers).hasSize(1);
        assertThat(wire).containsExactly("RESOLVE>", "RESOLVE>", "RESOLVED<");
    }

    @Tag("DG-R.4-2")
    @Test
    void aLostAnswerIsGivenAgainWithoutAskingTheHandlerAgain() {
        List<byte[]> asked = new ArrayList<>();
        server.listen(ID, question -> {
            asked.add(question.privateData());
            return found(DatagramService.UD);
        });
        ask();
        network.runUntil(() -> wire.contains("CHALLENGE<"));
        network.runFor(11_000); // the CHALLENGE is there, the second RESOLVE on its way
        datagrams.faults(serverHost, askerHost, LOST);
        network.runFor(10 * MILLI);
        datagrams.faults(serverHost, askerHost, DatagramFaults.NONE);
        run();
        assertThat(answers).hasSize(1);
        assertThat(asked).hasSize(1);
        assertThat(wire).containsExactly("RESOLVE>", "CHALLENGE<", "RESOLVE>", "RESOLVED<", "RESOLVE>", "RESOLVED<");
    }

    @Tag("DG-5.5-1")
    @Tag("DG-R.3-3")
    @Test
    void anAnswerFromElsewhereOrToAnotherQuestionIsNone() {
        server.listen(ID, found(DatagramService.UD));
        datagrams.faults(serverHost, askerHost, LOST);
        List<ByteBuffer> seen = record();
        ask();
        network.runFor(MILLI);
        datagrams.faults(serverHost, askerHost, DatagramFaults.NONE);
        ByteBuffer answer = seen.get(1);
        datagrams.send(new InetSocketAddress(address(66), 7000), asker.localAddress(), answer);
        answer.putInt(12, answer.getInt(12) + 1);
        new Crc().seal(answer, 0, answer.capacity() - Crc.LENGTH);
        datagrams.send(server.localAddress(), asker.localAddress(), answer);
        network.runFor(MILLI);
        assertThat(answers).isEmpty();
        assertThat(askerCounters.get(UdpCounter.RX_REPLY_UNMATCHED)).isEqualTo(2);
        run();
        assertThat(answers).hasSize(1);
    }

    @Tag("DG-R.3-4")
    @Test
    void aResolverOfAnotherVersionIsTold() {
        InetSocketAddress other = new InetSocketAddress(address(9), 7000);
        datagrams.socket(other, (from, octets) -> {
            ByteBuffer list = ByteBuffer.allocate(DatagramLength.SHORTEST);
            DatagramParser parser = new DatagramParser();
            parser.parse(octets, 0, octets.limit(), DatagramAddress.of(from));
            Shim asked = parser.shim();
            Shim answer = new Shim()
                    .addressed(asked.sourceQpn(), asked.destinationQpn(), asked.key())
                    .message(asked.messageId(), ShimHeader.VERSIONS)
                    .flags(true, false, false, false);
            ShimHeader.write(list, 0, Kind.VERSION_LIST, answer, 0);
            new Crc().seal(list, 0, ShimHeader.LENGTH);
            datagrams.send(other, from, list);
        });
        ask(asker, other, NOTHING, DatagramService.UD);
        run();
        assertThat(answers).extracting(ServiceAnswer::status).containsExactly(ServiceStatus.NO_COMMON_VERSION);
    }

    @Tag("DG-R.4-2")
    @Test
    void aSourceGetsTenAnswersASecond() {
        server.listen(ID, found(DatagramService.UD));
        for (int i = 0; i < 15; i++) {
            ask();
        }
        network.runFor(100 * MILLI);
        assertThat(answers).hasSize(10);
        assertThat(counted(UdpCounter.TX_LIMITED)).isEqualTo(5);
        run();
        assertThat(answers).hasSize(15).allMatch(answer -> answer.status() == ServiceStatus.FOUND);
    }

    @Test
    void forgedQuestionsTakeNothingFromOneThatShowsTheCookie() {
        server.listen(ID, question -> found(DatagramService.UD));
        List<ByteBuffer> seen = exchange(asker);
        network.runFor(TimeUnit.SECONDS.toNanos(7));
        send(asker, seen.get(0), 20);
        assertThat(counted(UdpCounter.TX_LIMITED)).isEqualTo(10);
        long resolved = counted(UdpCounter.TX_RESOLVED);
        send(asker, seen.get(2), 1);
        assertThat(counted(UdpCounter.TX_RESOLVED)).isEqualTo(resolved + 1);
        assertThat(counted(UdpCounter.TX_LIMITED)).isEqualTo(10);
    }

    /** Sends the same RESOLVE from {@code addresses}, each with a port of its own, 1 us apart. */
    private void flood(int count, int addresses) {
        ByteBuffer question = exchange(asker).get(0);
        for (int i = 0; i < count; i++) {
            InetSocketAddress stranger = new InetSocketAddress(address(100 + i % addresses), 1 + i);
            datagrams.send(stranger, server.localAddress(), question);
            network.runFor(1_000);
        }
        network.runFor(MILLI);
    }

    @Tag("DG-R.4-2")
    @Test
    void allSourcesTogetherGetAThousandAnswersASecondAndStrangersHalfOfThem() {
        server.listen(ID, found(DatagramService.UD));
        flood(1_100, 100);
        assertThat(counted(UdpCounter.TX_RESOLVED)).isEqualTo(500);
        assertThat(counted(UdpCounter.TX_CHALLENGE)).isEqualTo(601);
        assertThat(counted(UdpCounter.TX_LIMITED)).isZero();
    }

    @Test
    void aFloodOfStrangersLeavesTheOthersTheirAnswers() {
        server.listen(ID, found(DatagramService.UD));
        flood(30_000, 90);
        answers.clear();
        for (int i = 0; i < 5; i++) {
            ask();
            network.runFor(MILLI);
        }
        assertThat(answers)
                .extracting(ServiceAnswer::status)
                .containsOnly(ServiceStatus.FOUND)
                .hasSize(5);
    }

    @Test
    void challengesHaveLimitsOfTheirOwn() {
        server.listen(ID, found(DatagramService.UD));
        flood(3_000, 1);
        assertThat(counted(UdpCounter.TX_CHALLENGE)).as("each port has its own").isEqualTo(2_501);
        assertThat(counted(UdpCounter.TX_LIMITED)).isZero();
    }

    private boolean challenged(int host, int port) {
        return limits.admitsChallenge(new DatagramAddress().setIpv4(host, port), 0);
    }

    @Tag("DG-9.4-1")
    @Test
    void oneAddressCannotUseUpTheChallengesOfAPortThatAForgerDoesNotKnow() {
        assertThat(count(15_000, i -> challenged(1, 4_000))).as("one port").isEqualTo(10_000);
        count(600, i -> challenged(100 + i, 4_000));
        assertThat(challenged(1, 4_000)).as("others do not evict it").isFalse();
        assertThat(count(11, i -> challenged(1, 4_001))).as("another port").isEqualTo(10);
        count(30_000, i -> challenged(1, 10_000 + i));
        assertThat(challenged(1, 4_002)).as("after a flood from any ports").isTrue();
        assertThat(limits.admitsChallenge(new DatagramAddress().setIpv4(1, 4_000), TimeUnit.SECONDS.toNanos(1)))
                .as("a second later")
                .isTrue();
    }

    private static long count(int calls, IntPredicate admits) {
        return IntStream.range(0, calls).filter(admits).count();
    }

    @Tag("DG-9.4-1")
    @Test
    void allChallengesTogetherHaveALimit() {
        assertThat(count(60_000, i -> challenged(1 + i % 100, 4_000))).isEqualTo(50_000);
        assertThat(counted(UdpCounter.TX_LIMITED)).isEqualTo(10_000);
    }

    @Tag("DG-10-18")
    @Test
    void allPathRepliesTogetherHaveALimit() {
        DatagramAddress source = new DatagramAddress();
        assertThat(count(60_000, i -> limits.admitsPathReply(source.setIpv4(1 + i % 100, 4_000), 0)))
                .isEqualTo(50_000);
        assertThat(counted(UdpCounter.TX_LIMITED)).isEqualTo(10_000);
    }

    @Tag("DG-R.4-2")
    @Test
    void anAddressThatShowsItsCookieHasAShareWhateverItsPortsAre() {
        reopen("jwarp.udp.resolve-per-port", "200");
        server.listen(ID, question -> found(DatagramService.UD));
        SimDatagramTransport many = host(address(4), askerCounters, Map.of());
        DatagramPort one = many.open(many.address(7000));
        DatagramPort other = many.open(many.address(7001));
        ByteBuffer ofOne = exchange(one).get(2);
        ByteBuffer ofOther = exchange(other).get(2);
        network.runFor(TimeUnit.SECONDS.toNanos(7));
        long resolved = counted(UdpCounter.TX_RESOLVED);
        send(one, ofOne, 60);
        send(other, ofOther, 60);
        assertThat(counted(UdpCounter.TX_RESOLVED) - resolved)
                .as("both ports, while half are free")
                .isEqualTo(100);
        assertThat(counted(UdpCounter.TX_LIMITED)).isEqualTo(20);
        answers.clear();
        ask();
        network.settle();
        assertThat(answers).as("another address").hasSize(1);
    }

    @Test
    void aQuestionCanBeTakenBackAndEndsWithItsPort() throws Exception {
        ask().close();
        run();
        assertThat(answers).isEmpty();
        ask();
        asker.close();
        assertThat(answers).extracting(ServiceAnswer::status).containsExactly(ServiceStatus.CLOSED);
    }

    @Test
    void oneServiceHasOneAnswererAtATime() throws Exception {
        AutoCloseable first = server.listen(ID, found(DatagramService.UD));
        assertThatThrownBy(() -> server.listen(ID, found(DatagramService.UD)))
                .isInstanceOf(LlpException.class)
                .hasMessageContaining("has a listener at port");
        first.close();
        assertThat(server.listen(ID, found(DatagramService.UD))).isNotNull();
        assertThatThrownBy(() -> ask(new byte[217], DatagramService.UD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("216");
    }
}
