package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static dev.jwarp.transport.udp.engine.EngineRig.data;
import static dev.jwarp.transport.udp.engine.EngineRig.datagram;
import static dev.jwarp.transport.udp.engine.EngineRig.segment;
import static dev.jwarp.transport.udp.engine.EngineRig.shim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
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
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.ResolveBody;
import dev.jwarp.transport.udp.wire.ResolvedBody;
import dev.jwarp.transport.udp.wire.Samples;
import dev.jwarp.transport.udp.wire.ShimHeader;
import dev.jwarp.transport.udp.wire.VersionList;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Answers (datagram-iWARP §9)")
class AnswersTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int SOURCES = 4_096;

    private final EngineRig rig = new EngineRig();

    private static DatagramAddress stranger(int number) {
        return DatagramAddress.of(new InetSocketAddress("198.51." + (100 + number / 250) + "." + number % 250, 5000));
    }

    private static DatagramAddress neighbour(int number) {
        return DatagramAddress.of(new InetSocketAddress("127.0.1." + number, 5000));
    }

    private List<Sent> violation(DatagramAddress source) {
        rig.upper.fate = SegmentFate.REFUSED;
        return rig.receive(data(shim(NUMBER, KEY)), source);
    }

    private int violations(DatagramAddress source, int count) {
        int answers = 0;
        for (int i = 0; i < count; i++) {
            answers += violation(source).size();
        }
        return answers;
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
            Shim shim = answer.shim();
            assertThat(shim.destinationQpn()).isEqualTo(EngineRig.PEER_NUMBER);
            assertThat(shim.sourceQpn()).isEqualTo(NUMBER);
            assertThat(shim.key()).isEqualTo(KEY);
            assertThat(shim.messageId()).isEqualTo(7);
            assertThat(shim.messageLength()).isEqualTo(4);
            assertThat(shim.segmentSize()).isEqualTo(5);
            assertThat(shim.reply()).isTrue();
            assertThat(answer.word(ShimHeader.LENGTH)).isEqualTo(0x1205_0000);
            assertThat(new DatagramParser().parse(ByteBuffer.wrap(answer.octets()), 0, 32, LOOPBACK))
                    .isNull();
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
        ByteBuffer many = ByteBuffer.allocate(28 * one.length);
        while (many.hasRemaining()) {
            many.put(one);
        }
        List<Sent> answers = rig.receive(many.array(), STRANGER, null, true);
        int octets =
                answers.stream().mapToInt(answer -> answer.octets().length + 28).sum();
        assertThat(octets).isPositive().isLessThanOrEqualTo(many.capacity() + 28);
        assertThat(rig.moved()).contains(UdpCounter.TX_LIMITED);
        assertThat(rig.receive(one, STRANGER))
                .as("the next one is another question")
                .hasSize(1);
    }

    @Tag("DG-9.2-2")
    @Test
    @DisplayName("a valid cookie with a wrong Key proves nothing, and costs nothing")
    void cookieWithWrongKey() {
        rig.upper.fate = SegmentFate.CHALLENGE;
        byte[] cookie = new byte[CookieBody.LENGTH];
        ByteBuffer challenge = ByteBuffer.wrap(
                rig.receive(data(shim(NUMBER, KEY)), STRANGER).get(0).octets());
        challenge.get(ShimHeader.LENGTH, cookie);
        byte[] behind = ByteBuffer.allocate(CookieBody.LENGTH + segment().length)
                .put(cookie)
                .put(segment())
                .array();
        rig.upper.fate = SegmentFate.ACCEPTED;
        rig.receive(datagram(Kind.DATA, shim(NUMBER, KEY + 1), ShimHeader.COOKIE, behind), STRANGER);
        assertThat(rig.engine.validated(STRANGER, rig.now)).isFalse();
        rig.receive(datagram(Kind.DATA, shim(NUMBER, KEY), ShimHeader.COOKIE, behind), STRANGER);
        assertThat(rig.engine.validated(STRANGER, rig.now)).isTrue();
    }

    @Test
    void aPeerThatThisSideTalksToIsNoStrangerUntilTheLastHandleIsGone() {
        rig.engine.port().trust(STRANGER);
        rig.engine.port().trust(STRANGER);
        rig.engine.port().forget(STRANGER);
        assertThat(violation(STRANGER).get(0).word(ShimHeader.LENGTH)).isEqualTo(0x1100_0000);
        rig.engine.port().forget(STRANGER);
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
        Shim toGroup = shim(Shim.GROUP_QPN, 77).flags(false, false, true, false);
        for (SegmentFate fate : SegmentFate.values()) {
            rig.upper.fate = fate;
            assertThat(rig.receive(data(toGroup), LOOPBACK, rig.joined.get(0), false))
                    .isEmpty();
        }
        assertThat(rig.upper.received).hasSize(1 + SegmentFate.values().length);
    }

    @Test
    void whatIsDroppedOrFindsNoRoomIsNotAnswered() {
        for (SegmentFate fate : List.of(SegmentFate.ACCEPTED, SegmentFate.DROPPED, SegmentFate.NOT_READY)) {
            rig.upper.fate = fate;
            assertThat(rig.receive(data(shim(NUMBER, KEY)), LOOPBACK)).isEmpty();
            assertThat(rig.moved()).isEmpty();
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
        int answers = 0;
        for (int i = 0; i < 20; i++) {
            answers += violations(neighbour(i), 9);
        }
        assertThat(answers).isEqualTo(100);
        assertThat(violations(stranger(1), 1))
                .as("unproved sources have a limit of their own")
                .isEqualTo(1);
    }

    @Tag("DG-13-6")
    @Test
    void oneAddressLeavesAQuarterOfTheNotifiesToOthersWhateverItsPortsAre() {
        int answers = 0;
        for (int port = 0; port < 20; port++) {
            answers += violations(DatagramAddress.of(new InetSocketAddress("127.0.1.1", 6000 + port)), 9);
        }
        assertThat(answers).isEqualTo(75);
        assertThat(violations(neighbour(2), 12)).isEqualTo(10);
        int toStrangers = 0;
        for (int port = 0; port < 20; port++) {
            toStrangers += violations(DatagramAddress.of(new InetSocketAddress("198.51.100.1", 6000 + port)), 1);
        }
        assertThat(toStrangers).isEqualTo(8);
        assertThat(violations(stranger(2), 1)).isEqualTo(1);
    }

    @Tag("DG-9.3-1")
    @Test
    void aStrangerGetsOneASecondAndAllOfThemTen() {
        assertThat(violations(STRANGER, 5)).isEqualTo(1);
        int answers = 1;
        for (int i = 0; i < 50; i++) {
            answers += violations(stranger(i), 1);
        }
        assertThat(answers).isEqualTo(10);
        assertThat(violations(LOOPBACK, 1))
                .as("unproved sources do not silence known ones")
                .isEqualTo(1);
    }

    @Test
    void aThousandSourcesTakeNoMoreMemoryThanTheTableHas() {
        for (int i = 0; i < 2 * SOURCES; i++) {
            violation(stranger(i % 60_000));
        }
        assertThat(violations(stranger(1), 1)).isZero();
        rig.now += SECOND;
        assertThat(violations(stranger(1), 2)).isEqualTo(1);
    }

    // ---- CHALLENGE

    private byte[] withCookie(byte[] challenge) {
        ByteBuffer behind = ByteBuffer.allocate(CookieBody.LENGTH + segment().length);
        behind.put(challenge, ShimHeader.LENGTH, CookieBody.LENGTH).put(segment());
        return datagram(Kind.DATA, shim(NUMBER, KEY), ShimHeader.COOKIE, behind.array());
    }

    @Tag("DG-4.2-1")
    @Tag("DG-4.4-2")
    @Tag("DG-9.1-2")
    @Test
    void aSourceThatShowsItsCookieIsValidatedForAMinute() {
        rig.upper.fate = SegmentFate.CHALLENGE;
        List<Sent> sent = rig.receive(data(shim(NUMBER, KEY)), STRANGER);
        assertThat(rig.moved()).containsExactly(UdpCounter.TX_CHALLENGE);
        Sent challenge = sent.get(0);
        assertThat(challenge.kind()).isEqualTo(Kind.CHALLENGE);
        assertThat(challenge.octets()).hasSize(44);
        assertThat(new DatagramParser().parse(ByteBuffer.wrap(challenge.octets()), 0, 44, LOOPBACK))
                .isNull();

        rig.upper.fate = SegmentFate.ACCEPTED;
        rig.receive(withCookie(challenge.octets()), STRANGER);
        rig.receive(data(shim(NUMBER, KEY)), STRANGER);
        rig.now += 60 * SECOND - 1;
        rig.receive(data(shim(NUMBER, KEY)), STRANGER);
        rig.now += 1;
        rig.receive(data(shim(NUMBER, KEY)), STRANGER);
        assertThat(rig.upper.received)
                .extracting(ToyUpper.Received::validated)
                .containsExactly(false, true, true, true, false);
        // Without the cookie, a datagram may be forged.
        assertThat(rig.upper.received)
                .extracting(ToyUpper.Received::proof)
                .containsExactly(
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
        rig.receive(data(shim(NUMBER, KEY)), LOOPBACK);
        rig.receive(data(shim(NUMBER, KEY)), STRANGER);
        assertThat(rig.upper.received)
                .extracting(ToyUpper.Received::proof)
                .containsExactly(AddressProof.DATAGRAM, AddressProof.NONE);
    }

    @Tag("DG-9.2-1")
    @Test
    void aCookieProvesNothingForAnotherAddressPortOrQueuePair() {
        rig.upper.fate = SegmentFate.CHALLENGE;
        byte[] challenge = rig.receive(data(shim(NUMBER, KEY)), STRANGER).get(0).octets();
        rig.upper.fate = SegmentFate.ACCEPTED;
        rig.receive(withCookie(challenge), DatagramAddress.of(new InetSocketAddress("192.0.2.8", 4000)));
        rig.receive(withCookie(challenge), DatagramAddress.of(new InetSocketAddress("192.0.2.7", 4001)));
        challenge[30] ^= 1;
        rig.receive(withCookie(challenge), STRANGER);
        assertThat(rig.upper.received).noneMatch(ToyUpper.Received::validated);
    }

    @Test
    void sourcesThatProvedTheirAddressPushOutTheOldest() {
        AnswerSources sources =
                new AnswerSources(UdpSettings.of(Map.of("jwarp.udp.trust", "")), rig.counters, new Random(3));
        ByteBuffer out = ByteBuffer.allocate(CookieBody.LENGTH);
        CookieBody cookie = new CookieBody();
        cookie.wrap(out, 0);
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
        for (int i = 0; i < 50; i++) {
            answers[0] += limited.receive(data(shim(NUMBER, KEY)), LOOPBACK).size();
            answers[2] += limited.receive(data(shim(NUMBER, KEY)), STRANGER).size();
        }
        for (int i = 0; i < 1_000; i++) {
            answers[1] +=
                    limited.receive(data(shim(NUMBER, KEY)), neighbour(i % 250)).size();
            answers[3] += limited.receive(data(shim(NUMBER, KEY)), stranger(i)).size();
        }
        return answers;
    }

    private static final Map<String, String> MANY_QUESTIONS = Map.of("jwarp.udp.resolve-per-port", "100000");

    private static byte[] resolve(int messageId) {
        Shim shim = new Shim()
                .addressed(Shim.RESOLVER_QPN, Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY)
                .message(messageId, ResolveBody.LENGTH);
        ByteBuffer body = ByteBuffer.allocate(ResolveBody.DATAGRAM_LENGTH - ShimHeader.LENGTH - Crc.LENGTH);
        body.putLong(0, 77).put(8, (byte) 1).putShort(10, (short) VersionList.VERSIONS);
        return datagram(Kind.RESOLVE, shim, 0, body.array());
    }

    @Test
    void aResolverKeepsTheAnswersItGaveLastAndCountsThoseItForgetsEarly() {
        EngineRig small = new EngineRig(MANY_QUESTIONS, true);
        List<Long> asked = new ArrayList<>();
        small.engine.port().listen(77, question -> {
            asked.add(question.serviceId());
            return ServiceAnswer.without(ServiceStatus.REFUSED, new byte[0]);
        });
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
        EngineRig small = new EngineRig(MANY_QUESTIONS, true);
        List<Long> asked = new ArrayList<>();
        small.engine.port().listen(77, question -> {
            asked.add(question.serviceId());
            return ServiceAnswer.without(ServiceStatus.REFUSED, new byte[0]);
        });
        for (int host = 0; host < 6; host++) {
            small.receive(resolve(1), neighbour(host));
        }
        for (int port = 0; port < 300; port++) {
            small.receive(resolve(1), DatagramAddress.of(new InetSocketAddress("127.0.2.1", 6000 + port)));
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
        rig.engine.port().listen(77, ServiceAnswer.without(ServiceStatus.REFUSED, new byte[0]));
        byte[] question = resolve(1);
        ByteBuffer octets = ByteBuffer.wrap(question);
        octets.putLong(ShimHeader.LENGTH + ResolveBody.SERVICE_ID_OFFSET, 78); // no such service either
        octets.putShort(ShimHeader.LENGTH + ResolveBody.VERSIONS_OFFSET, (short) (1 << 0 | 1 << 2));
        new Crc().seal(octets, 0, question.length - Crc.LENGTH);
        List<Sent> sent = rig.receive(question, LOOPBACK);
        assertThat(sent)
                .singleElement()
                .satisfies(answer -> assertThat(answer.octets()[ShimHeader.LENGTH + ResolvedBody.STATUS_OFFSET])
                        .isEqualTo((byte) 5));
    }

    // ---- VERSION LIST

    private static byte[] version(int version, Shim shim) {
        byte[] octets = data(shim);
        octets[0] = (byte) (version << 4);
        new Crc().seal(ByteBuffer.wrap(octets), 0, octets.length - Crc.LENGTH);
        return octets;
    }

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
            assertThat(rig.receive(octets, LOOPBACK)).isEmpty();
            assertThat(rig.moved()).containsExactly(UdpCounter.RX_VERSION);
        }
    }

    @Tag("DG-4.7-2")
    @Test
    void versionListsAreLimitedAsNotifiesAre() {
        int answers = 0;
        for (int i = 0; i < 20; i++) {
            answers += rig.receive(version(2, shim(NUMBER, KEY)), LOOPBACK).size();
        }
        assertThat(answers).isEqualTo(10);
    }

    @Test
    void versionListsOfAResolverAreLimitedAsItsAnswersToStrangersAre() {
        rig.engine.port().listen(77, question -> ServiceAnswer.without(ServiceStatus.REFUSED, new byte[0]));
        byte[] question = version(2, shim(Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY));
        int[] answers = new int[100];
        for (int i = 0; i < 1_500; i++) {
            answers[i % 100] += rig.receive(question, stranger(i % 100)).size();
        }
        assertThat(Arrays.stream(answers).max()).hasValue(5);
        assertThat(Arrays.stream(answers).sum()).as("half of all").isEqualTo(500);
        rig.now += SECOND;
        int one = 0;
        for (int i = 0; i < 20; i++) {
            one += rig.receive(question, stranger(7)).size();
        }
        assertThat(one).as("one source").isEqualTo(10);
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
            rig.upper.fate = any(SegmentFate.values(), random);
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

    private static <T> T any(T[] choice, Random random) {
        return choice[random.nextInt(choice.length)];
    }

    private static byte[] forged(Random random) {
        Kind kind = any(Kind.values(), random);
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
