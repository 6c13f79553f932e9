package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static dev.jwarp.transport.udp.engine.EngineRig.data;
import static dev.jwarp.transport.udp.engine.EngineRig.datagram;
import static dev.jwarp.transport.udp.engine.EngineRig.segment;
import static dev.jwarp.transport.udp.engine.EngineRig.shim;
import static dev.jwarp.transport.udp.engine.EngineRig.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.EngineRig.Sent;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.ResolveBody;
import dev.jwarp.transport.udp.wire.ResolvedBody;
import dev.jwarp.transport.udp.wire.Samples;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Answers (datagram-iWARP §9)")
class AnswersTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int SOURCES = 4_096;

    private static final ServiceAnswer NO = ServiceAnswer.without(ServiceStatus.REFUSED, new byte[0]);

    private final EngineRig rig = new EngineRig();

    private static DatagramAddress stranger(int number) {
        return at("198.51." + (100 + number / 250) + "." + number % 250, 5000);
    }

    private static DatagramAddress neighbour(int number) {
        return at("127.0.1." + number, 5000);
    }

    private static DatagramAddress at(String host, int port) {
        return DatagramAddress.of(new InetSocketAddress(host, port));
    }

    private List<Sent> violation(DatagramAddress source) {
        rig.upper.fate = SegmentFate.REFUSED;
        return rig.receiveFrom(source);
    }

    private int violations(DatagramAddress source, int count) {
        rig.upper.fate = SegmentFate.REFUSED;
        return rig.answers(source, count);
    }

    /** {@return the answers to {@code each} violations of each source} */
    private int violations(int sources, IntFunction<DatagramAddress> source, int each) {
        return IntStream.range(0, sources)
                .map(i -> violations(source.apply(i), each))
                .sum();
    }

    /** {@return the cookie of a CHALLENGE to {@link EngineRig#STRANGER}} */
    private byte[] cookie() {
        rig.upper.fate = SegmentFate.CHALLENGE;
        byte[] challenge = rig.receiveFrom(STRANGER).get(0).octets();
        rig.upper.fate = SegmentFate.ACCEPTED;
        return Arrays.copyOfRange(challenge, ShimHeader.LENGTH, ShimHeader.LENGTH + CookieBody.LENGTH);
    }

    private static byte[] withCookie(byte[] cookie, int key) {
        ByteBuffer behind = ByteBuffer.allocate(CookieBody.LENGTH + segment().length);
        behind.put(cookie).put(segment());
        return datagram(Kind.DATA, shim(NUMBER, key), ShimHeader.COOKIE, behind.array());
    }

    // ---- NOTIFY

    @Tag("DG-4.2-1")
    @Tag("DG-4.2-2")
    @Tag("DG-4.4-1")
    @Test
    void aViolationIsAnsweredWithItsCodeMessageAndSegment() {
        rig.upper.refusal = TerminateCode.DDP_MESSAGE_TOO_LONG;
        List<Sent> sent = violation(LOOPBACK);
        assertThat(rig.moved()).containsExactly(UdpCounter.TX_NOTIFY);
        assertThat(sent).singleElement().satisfies(answer -> {
            assertThat(answer.to()).isEqualTo(LOOPBACK);
            assertThat(answer.kind()).isEqualTo(Kind.NOTIFY);
            assertThat(answer.octets()).hasSize(32);
            answer.hasShim(new Shim()
                    .addressed(EngineRig.PEER_NUMBER, NUMBER, KEY)
                    .message(7, 4)
                    .segment(0, 5)
                    .flags(true, false, false, false));
            assertThat(answer.word(ShimHeader.LENGTH)).isEqualTo(0x1205_0000);
        });
    }

    @Tag("DG-9.3-3")
    @Test
    void aStrangerLearnsNothingFromTheCode() {
        rig.upper.refusal = TerminateCode.DDP_INVALID_STAG;
        assertThat(violation(STRANGER))
                .singleElement()
                .satisfies(answer -> assertThat(answer.word(ShimHeader.LENGTH)).isEqualTo(0x01FF_0000));
    }

    @Tag("DG-9.5-1")
    @Test
    @DisplayName("a long datagram that looks like many joined ones draws no more bytes than it has")
    void manyInOne() {
        rig.upper.fate = SegmentFate.CHALLENGE;
        byte[] one = data(shim(NUMBER, KEY));
        List<Sent> answers =
                rig.receiveJoined(STRANGER, Collections.nCopies(28, one).toArray(byte[][]::new));
        int octets =
                answers.stream().mapToInt(answer -> answer.octets().length + 28).sum();
        assertThat(octets).isPositive().isLessThanOrEqualTo(28 * one.length + 28);
        assertThat(rig.moved()).contains(UdpCounter.TX_LIMITED);
        assertThat(rig.receive(one, STRANGER))
                .as("the next one is another question")
                .hasSize(1);
    }

    @Tag("DG-9.2-2")
    @Test
    @DisplayName("a valid cookie with a wrong Key proves nothing, and costs nothing")
    void cookieWithWrongKey() {
        byte[] cookie = cookie();
        rig.receive(withCookie(cookie, KEY + 1), STRANGER);
        assertThat(rig.engine.validated(STRANGER, rig.now)).isFalse();
        rig.receive(withCookie(cookie, KEY), STRANGER);
        assertThat(rig.engine.validated(STRANGER, rig.now)).isTrue();
    }

    @Test
    void aPeerThatThisSideTalksToIsNoStrangerUntilTheLastHandleIsGone() {
        DatagramPort port = rig.engine.port();
        port.trust(STRANGER);
        port.trust(STRANGER);
        port.forget(STRANGER);
        assertThat(violation(STRANGER).get(0).word(ShimHeader.LENGTH)).isEqualTo(0x1100_0000);
        port.forget(STRANGER);
        rig.now += SECOND;
        assertThat(violation(STRANGER).get(0).word(ShimHeader.LENGTH)).isEqualTo(0x01FF_0000);
    }

    @Tag("DG-5.2-18")
    @Tag("DG-G.2-2")
    @Test
    void neitherAnswersNorGroupsAreAnswered() {
        rig.upper.fate = SegmentFate.REFUSED;
        rig.upper.asked = (shim, source) -> true;
        assertThat(rig.receive(data(shim(NUMBER, KEY).flags(true, false, false, false)), LOOPBACK))
                .isEmpty();
        rig.engine.port().join(NUMBER, new InetSocketAddress("239.1.2.3", 9100), null, 77);
        for (SegmentFate fate : SegmentFate.values()) {
            rig.upper.fate = fate;
            assertThat(rig.receive(EngineRig.toGroup(77), LOOPBACK, rig.joined.get(0), false))
                    .isEmpty();
        }
        assertThat(rig.upper.received).hasSize(1 + SegmentFate.values().length);
    }

    @Test
    void whatIsDroppedOrFindsNoRoomIsNotAnswered() {
        for (SegmentFate fate : List.of(SegmentFate.ACCEPTED, SegmentFate.DROPPED, SegmentFate.NOT_READY)) {
            rig.upper.fate = fate;
            rig.receiveSilently(data(shim(NUMBER, KEY)), LOOPBACK);
        }
    }

    @Tag("DG-9.3-1")
    @Test
    void aKnownSourceGetsTenNotifiesASecond() {
        assertThat(violations(LOOPBACK, 25)).isEqualTo(10);
        assertThat(rig.moved()).containsExactly(UdpCounter.TX_LIMITED);
        rig.now += SECOND - 1;
        assertThat(violations(LOOPBACK, 1)).isZero();
        rig.now += 1;
        assertThat(violations(LOOPBACK, 25)).isEqualTo(10);
    }

    @Tag("DG-9.3-1")
    @Test
    void allKnownSourcesTogetherGetAHundredOfAQueuePair() {
        assertThat(violations(20, AnswersTest::neighbour, 9)).isEqualTo(100);
        assertThat(violations(stranger(1), 1))
                .as("unproved sources have a limit of their own")
                .isEqualTo(1);
    }

    @Tag("DG-13-6")
    @Test
    void oneAddressLeavesAQuarterOfTheNotifiesToOthersWhateverItsPortsAre() {
        assertThat(violations(20, i -> at("127.0.1.1", 6000 + i), 9)).isEqualTo(75);
        assertThat(violations(neighbour(2), 12)).isEqualTo(10);
        assertThat(violations(20, i -> at("198.51.100.1", 6000 + i), 1)).isEqualTo(8);
        assertThat(violations(stranger(2), 1)).isEqualTo(1);
    }

    @Tag("DG-9.3-1")
    @Test
    void aStrangerGetsOneASecondAndAllOfThemTen() {
        assertThat(violations(STRANGER, 5)).isEqualTo(1);
        assertThat(violations(50, AnswersTest::stranger, 1)).isEqualTo(10 - 1);
        assertThat(violations(LOOPBACK, 1))
                .as("unproved sources do not silence known ones")
                .isEqualTo(1);
    }

    @Test
    void aThousandSourcesTakeNoMoreMemoryThanTheTableHas() {
        violations(2 * SOURCES, AnswersTest::stranger, 1);
        assertThat(violations(stranger(1), 1)).isZero();
        rig.now += SECOND;
        assertThat(violations(stranger(1), 2)).isEqualTo(1);
    }

    // ---- CHALLENGE

    @Tag("DG-4.2-1")
    @Tag("DG-4.4-2")
    @Tag("DG-9.1-2")
    @Test
    void aSourceThatShowsItsCookieIsValidatedForAMinute() {
        rig.upper.fate = SegmentFate.CHALLENGE;
        Sent challenge = rig.receiveFrom(STRANGER).get(0);
        assertThat(rig.moved()).containsExactly(UdpCounter.TX_CHALLENGE);
        assertThat(challenge.kind()).isEqualTo(Kind.CHALLENGE);
        assertThat(challenge.octets()).hasSize(44);
        challenge.parsed();

        rig.receive(withCookie(cookie(), KEY), STRANGER);
        rig.receiveFrom(STRANGER);
        rig.now += 60 * SECOND - 1;
        rig.receiveFrom(STRANGER);
        rig.now += 1;
        rig.receiveFrom(STRANGER);
        // Without the cookie, a datagram may be forged.
        assertThat(rig.upper.received)
                .extracting(ToyUpper.Received::proof)
                .containsExactly(
                        AddressProof.NONE,
                        AddressProof.NONE,
                        AddressProof.DATAGRAM,
                        AddressProof.SOURCE,
                        AddressProof.SOURCE,
                        AddressProof.NONE);
    }

    @Tag("DG-9.1-3")
    @Test
    @DisplayName("sources in trusted networks need no cookie")
    void trustedNetworksNeedNoCookie() {
        rig.receiveFrom(LOOPBACK);
        rig.receiveFrom(STRANGER);
        assertThat(rig.upper.received)
                .extracting(ToyUpper.Received::proof)
                .containsExactly(AddressProof.DATAGRAM, AddressProof.NONE);
    }

    @Tag("DG-9.2-1")
    @Test
    void aCookieProvesNothingForAnotherAddressPortOrQueuePair() {
        byte[] cookie = cookie();
        rig.receive(withCookie(cookie, KEY), at("192.0.2.8", 4000));
        rig.receive(withCookie(cookie, KEY), at("192.0.2.7", 4001));
        cookie[10] ^= 1;
        rig.receive(withCookie(cookie, KEY), STRANGER);
        assertThat(rig.upper.received).noneMatch(ToyUpper.Received::validated);
    }

    @Test
    void sourcesThatProvedTheirAddressPushOutTheOldest() {
        AnswerSources sources =
                new AnswerSources(UdpSettings.of(Map.of("jwarp.udp.trust", "")), rig.counters, new Random(3));
        ByteBuffer out = ByteBuffer.allocate(CookieBody.LENGTH);
        CookieBody cookie = Samples.view(new CookieBody(), out, 0);
        for (int i = 0; i <= SOURCES; i++) {
            DatagramAddress source = new DatagramAddress().setIpv4(i, 1);
            sources.writeCookie(out, 0, source, 16, 0);
            sources.show(cookie, source, 16, 0);
        }
        assertThat(sources.validated(new DatagramAddress().setIpv4(0, 1), 0)).isFalse();
        assertThat(sources.validated(new DatagramAddress().setIpv4(1, 1), 0)).isTrue();
        assertThat(sources.validated(new DatagramAddress().setIpv4(SOURCES, 1), 0))
                .isTrue();
        assertThat(rig.counters.get(UdpCounter.SOURCES_FORGOTTEN)).isEqualTo(1);
    }

    // ---- the limits are settings

    @Test
    void theRatesOfNotifyFollowFromThatOfAKnownSource() {
        assertThat(answersToViolations("30")).containsExactly(30, 270, 3, 27);
        assertThat(answersToViolations("3")).containsExactly(3, 27, 1, 2);
        assertThat(answersToViolations("0")).containsExactly(0, 0, 0, 0);
    }

    /** {@return NOTIFYs to one known source, then to all known sources, then to one stranger, and then to all strangers} */
    private static int[] answersToViolations(String perSource) {
        EngineRig limited = new EngineRig(Map.of("jwarp.udp.notify-per-source", perSource), true);
        limited.upper.fate = SegmentFate.REFUSED;
        int[] answers = new int[4];
        answers[0] = limited.answers(LOOPBACK, 50);
        answers[2] = limited.answers(STRANGER, 50);
        for (int i = 0; i < 1_000; i++) {
            answers[1] += limited.answers(neighbour(i % 250), 1);
            answers[3] += limited.answers(stranger(i), 1);
        }
        return answers;
    }

    private final List<Long> asked = new ArrayList<>();

    private static byte[] resolve(int messageId) {
        return EngineRig.resolve(Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY, messageId, 77);
    }

    /** {@return a rig that answers many questions in a second, and has a service that notes them} */
    private EngineRig resolving() {
        EngineRig many = new EngineRig(Map.of("jwarp.udp.resolve-per-port", "100000"), true);
        many.engine.port().listen(77, question -> {
            asked.add(question.serviceId());
            return NO;
        });
        return many;
    }

    @Test
    void aResolverKeepsTheAnswersItGaveLastAndCountsThoseItForgetsEarly() {
        EngineRig small = resolving();
        for (int i = 0; i < 2 * 256; i++) {
            assertThat(small.receive(resolve(1 + i % 256), LOOPBACK)).hasSize(1);
        }
        assertThat(asked).as("each once").hasSize(256);
        small.receive(resolve(257), LOOPBACK);
        assertThat(small.counters.get(UdpCounter.RESOLVED_FORGOTTEN)).isEqualTo(1);
        small.receive(resolve(2), LOOPBACK);
        assertThat(asked).hasSize(257);
        small.receive(resolve(1), LOOPBACK);
        assertThat(asked).as("the oldest was forgotten").hasSize(258);
        small.now += 6 * SECOND;
        small.receive(resolve(999), LOOPBACK);
        assertThat(small.counters.get(UdpCounter.RESOLVED_FORGOTTEN))
                .as("expired answers do not count as forgotten")
                .isEqualTo(2);
    }

    @Tag("DG-13-6")
    @Test
    void aResolverForgetsTheAnswersOfAHostThatAsksForManyFromManyPorts() {
        EngineRig small = resolving();
        for (int host = 0; host < 6; host++) {
            small.receive(resolve(1), neighbour(host));
        }
        for (int port = 0; port < 300; port++) {
            small.receive(resolve(1), at("127.0.2.1", 6000 + port));
        }
        assertThat(asked).hasSize(306);
        for (int host = 0; host < 6; host++) {
            small.receive(resolve(1), neighbour(host));
        }
        assertThat(asked).as("the answers to the others are kept").hasSize(306);
    }

    @Tag("DG-R.4-2")
    @Test
    @DisplayName("a question without a common version gets that status, whatever else is wrong with it")
    void aQuestionThatListsNoVersionSpokenHereIsToldSoFirst() {
        rig.engine.port().listen(77, NO);
        int noSuchService = 78;
        byte[] question = EngineRig.resolve(Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY, 1, noSuchService);
        ByteBuffer octets = ByteBuffer.wrap(question);
        octets.putShort(ShimHeader.LENGTH + ResolveBody.VERSIONS_OFFSET, (short) (1 << 0 | 1 << 2));
        new Crc().seal(octets, 0, question.length - Crc.LENGTH);
        assertThat(rig.receive(question, LOOPBACK))
                .singleElement()
                .satisfies(answer -> assertThat(answer.octets()[ShimHeader.LENGTH + ResolvedBody.STATUS_OFFSET])
                        .isEqualTo((byte) 5));
    }

    // ---- VERSION LIST

    @Tag("DG-4.2-1")
    @Tag("DG-4.7-1")
    @Test
    void anotherVersionWithTheRightKeyIsToldWhichVersionsThereAre() {
        List<Sent> sent = rig.receive(version(2, shim(NUMBER, KEY)), LOOPBACK);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_VERSION, UdpCounter.TX_VERSION_LIST);
        assertThat(sent).singleElement().satisfies(answer -> {
            assertThat(answer.octets()).hasSize(28);
            assertThat(answer.word(0)).isEqualTo(0x0F00_0000 | EngineRig.PEER_NUMBER);
            assertThat(answer.word(4)).isEqualTo(0x0100_0000 | NUMBER);
            assertThat(answer.word(8)).isEqualTo(KEY);
            assertThat(answer.word(12)).isEqualTo(7);
            assertThat(answer.word(16)).isEqualTo(1 << ShimHeader.VERSION);
        });
    }

    @Tag("DG-4.7-2")
    @Test
    void otherVersionsAreNotAnsweredWithoutTheKeyNorIfTheyAnswerNorToGroupsNorVersionZero() {
        Shim right = shim(NUMBER, KEY);
        for (byte[] octets : List.of(
                version(0, right),
                version(2, shim(NUMBER, KEY + 1)),
                version(2, shim(0x7777, KEY)),
                version(2, shim(NUMBER, KEY).flags(true, false, false, false)),
                version(2, shim(NUMBER, KEY).flags(false, false, true, false)))) {
            rig.receiveSilently(octets, LOOPBACK, UdpCounter.RX_VERSION);
        }
    }

    @Tag("DG-4.7-2")
    @Test
    void versionListsAreLimitedAsNotifiesAre() {
        assertThat(rig.answers(version(2, shim(NUMBER, KEY)), LOOPBACK, 20)).isEqualTo(10);
    }

    @Test
    void versionListsOfAResolverAreLimitedAsItsAnswersToStrangersAre() {
        rig.engine.port().listen(77, question -> NO);
        byte[] question = version(2, shim(Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY));
        int[] answers = new int[100];
        for (int i = 0; i < 1_500; i++) {
            answers[i % 100] += rig.receive(question, stranger(i % 100)).size();
        }
        assertThat(Arrays.stream(answers).max()).hasValue(5);
        assertThat(Arrays.stream(answers).sum()).as("half of all").isEqualTo(500);
        rig.now += SECOND;
        assertThat(rig.answers(question, stranger(7), 20)).as("one source").isEqualTo(10);
    }

    // ---- all

    @Tag("DG-9.5-1")
    @Tag("DG-9.5-3")
    @Test
    void noForgedDatagramDrawsMoreThanOneAnswerNorALongerOne() {
        Random random = new Random(11);
        rig.attach(DatagramService.UD, 99, 0, true, new ToyUpper(99));
        rig.engine.port().listen(1, ServiceAnswer.without(ServiceStatus.REFUSED, new byte[216]));
        rig.upper.asked = (shim, source) -> random.nextInt(4) == 0;
        int answered = 0;
        for (int i = 0; i < 50_000; i++) {
            rig.upper.fate = Samples.any(SegmentFate.values(), random);
            rig.now += random.nextInt((int) SECOND / 20);
            byte[] octets = forged(random);
            List<Sent> sent = rig.receive(octets, random.nextBoolean() ? STRANGER : LOOPBACK);
            assertThat(sent).hasSizeLessThanOrEqualTo(1);
            assertThat(sent)
                    .allSatisfy(answer -> assertThat(answer.octets().length).isLessThanOrEqualTo(octets.length));
            answered += sent.size();
        }
        assertThat(answered).as("the attacker sends valid questions").isGreaterThan(2_000);
    }

    private static byte[] forged(Random random) {
        Kind kind = Samples.any(Kind.values(), random);
        byte[] octets = Samples.of(kind, random);
        ByteBuffer datagram = ByteBuffer.wrap(octets);
        if (random.nextInt(4) > 0) {
            boolean resolve = kind == Kind.RESOLVE;
            int first = datagram.getInt(0) & 0xff00_0000;
            datagram.putInt(0, first | (resolve ? Shim.RESOLVER_QPN : NUMBER));
            datagram.putInt(8, resolve ? ShimHeader.RESOLVER_KEY : KEY);
        }
        if (random.nextInt(3) == 0) {
            octets[random.nextInt(ShimHeader.LENGTH)] ^= (byte) (1 << random.nextInt(8));
        }
        new Crc().seal(datagram, 0, octets.length - Crc.LENGTH);
        return octets;
    }
}
