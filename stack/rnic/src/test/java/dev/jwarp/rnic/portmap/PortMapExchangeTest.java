package dev.jwarp.rnic.portmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.portmap.PortMapMessage.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@Label("Port mappers")
@DisplayName("Port mappers")
class PortMapExchangeTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long HANDLE = 0x1234_5678_9abc_def0L;
    private static final InetSocketAddress OURS = new InetSocketAddress("192.0.2.1", 40_000);
    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.2", 7);
    private static final InetSocketAddress MAPPED = new InetSocketAddress("192.0.2.2", 7174);

    /** Clocks may begin anywhere, and pass the largest number. */
    private long now = Long.MAX_VALUE - SECOND;

    private final PortMapResponder responder = new PortMapResponder(42);

    private PortMapQuestion question(long waitNanos) {
        return new PortMapQuestion(HANDLE, OURS, PEER, waitNanos, now);
    }

    private static ByteBuffer message(Kind kind, InetSocketAddress accepting) {
        return new PortMapMessage(kind, HANDLE, OURS, accepting, null).encode();
    }

    private PortMapMessage output(PortMapQuestion question) {
        ByteBuffer out = Objects.requireNonNull(question.output(now));
        return Objects.requireNonNull(PortMapMessage.parse(out));
    }

    private @Nullable ByteBuffer answer(ByteBuffer datagram) {
        return responder.answer(datagram, OURS, now);
    }

    private ByteBuffer request(InetSocketAddress accepting) {
        return new PortMapMessage(Kind.REQUEST, HANDLE, OURS, accepting, OURS).encode();
    }

    private Kind kindOfAnswer(InetSocketAddress asked) {
        return Objects.requireNonNull(PortMapMessage.parse(Objects.requireNonNull(answer(request(asked)))))
                .kind();
    }

    // ---- the asking side

    @Test
    @DisplayName("ask at once, with the source of the future connection")
    void asks() {
        PortMapMessage request = output(question(3 * SECOND));
        assertThat(request).isEqualTo(new PortMapMessage(Kind.REQUEST, HANDLE, OURS, PEER, OURS));
    }

    @Test
    @DisplayName("ask each second until the timeout")
    void asksAgain() {
        PortMapQuestion question = question(3 * SECOND - 1);
        long began = now;
        List<Long> asked = new ArrayList<>();
        while (question.state() == PortMapQuestion.State.ASKING) {
            if (question.output(now) != null) {
                asked.add(now - began);
            }
            assertThat(question.output(now))
                    .as("a second request at the same time")
                    .isNull();
            now = question.state() == PortMapQuestion.State.ASKING ? question.nextTimeout() : now;
        }
        assertThat(asked).containsExactly(0L, SECOND, 2 * SECOND);
        assertThat(question.state()).isEqualTo(PortMapQuestion.State.UNANSWERED);
        assertThat(now - began).isEqualTo(3 * SECOND - 1);
    }

    @Test
    @DisplayName("use the port of an ACCEPT, and acknowledge it once")
    void accepted() {
        PortMapQuestion question = question(3 * SECOND);
        output(question);
        question.input(message(Kind.ACCEPT, MAPPED));
        assertThat(question.state()).isEqualTo(PortMapQuestion.State.MAPPED);
        assertThat(question.mappedPort()).isEqualTo(7174);
        assertThat(output(question)).isEqualTo(new PortMapMessage(Kind.ACK, HANDLE, OURS, MAPPED, null));
        assertThat(question.output(now)).isNull();
    }

    @Test
    @DisplayName("accept a REJECT as an answer")
    void rejected() {
        PortMapQuestion question = question(3 * SECOND);
        output(question);
        question.input(message(Kind.REJECT, PEER));
        assertThat(question.state()).isEqualTo(PortMapQuestion.State.REJECTED);
        assertThat(question.output(now + 5 * SECOND)).isNull();
    }

    @Test
    @DisplayName("do not wait for a host that reports an unreachable port")
    void unreachable() {
        PortMapQuestion question = question(3 * SECOND);
        output(question);
        question.unreachable();
        assertThat(question.state()).isEqualTo(PortMapQuestion.State.UNANSWERED);
        question.input(message(Kind.ACCEPT, MAPPED));
        assertThat(question.state()).isEqualTo(PortMapQuestion.State.UNANSWERED);
    }

    @Test
    @DisplayName("ignore answers with another handle, another asking address, another kind, port 0 or another host")
    void noAnswers() {
        PortMapQuestion question = question(3 * SECOND);
        output(question);
        InetSocketAddress other = new InetSocketAddress("192.0.2.3", 7174);
        for (PortMapMessage forged : List.of(
                new PortMapMessage(Kind.ACCEPT, HANDLE + 1, OURS, MAPPED, null),
                new PortMapMessage(Kind.REJECT, 0, OURS, PEER, null),
                new PortMapMessage(Kind.ACCEPT, HANDLE, new InetSocketAddress("192.0.2.1", 40_001), MAPPED, null),
                new PortMapMessage(Kind.ACCEPT, HANDLE, other, MAPPED, null),
                new PortMapMessage(Kind.ACCEPT, HANDLE, OURS, new InetSocketAddress("192.0.2.2", 0), null),
                new PortMapMessage(Kind.ACCEPT, HANDLE, OURS, other, null),
                new PortMapMessage(Kind.REQUEST, HANDLE, OURS, MAPPED, null),
                new PortMapMessage(Kind.ACK, HANDLE, OURS, MAPPED, null))) {
            question.input(forged.encode());
            assertThat(question.state()).as("%s", forged).isEqualTo(PortMapQuestion.State.ASKING);
        }
        question.input(message(Kind.ACCEPT, MAPPED).limit(47));
        question.input(ByteBuffer.allocate(0));
        question.input(ByteBuffer.allocate(65));
        assertThat(question.state()).isEqualTo(PortMapQuestion.State.ASKING);
        question.input(message(Kind.ACCEPT, MAPPED));
        assertThat(question.state()).isEqualTo(PortMapQuestion.State.MAPPED);
    }

    @Test
    @DisplayName("keep their first answer")
    void firstAnswer() {
        PortMapQuestion question = question(3 * SECOND);
        output(question);
        question.input(message(Kind.ACCEPT, MAPPED));
        question.input(message(Kind.REJECT, PEER));
        question.input(message(Kind.ACCEPT, new InetSocketAddress("192.0.2.2", 9)));
        assertThat(question.mappedPort()).isEqualTo(7174);
    }

    // ---- the answering side

    @Test
    @DisplayName("accept for a listener, with its own port, and reject otherwise")
    void answers() {
        responder.add(PEER);
        ByteBuffer accept = Objects.requireNonNull(answer(request(PEER)));
        assertThat(accept).isEqualTo(message(Kind.ACCEPT, PEER));
        assertThat(answer(request(MAPPED))).isEqualTo(message(Kind.REJECT, MAPPED));
        assertThat(kindOfAnswer(new InetSocketAddress("192.0.2.3", 7))).isEqualTo(Kind.REJECT);
    }

    @Test
    @DisplayName("accept at any address for a listener at the wildcard address, with the requested address")
    void wildcard() {
        responder.add(new InetSocketAddress("0.0.0.0", 7));
        assertThat(answer(request(PEER))).isEqualTo(message(Kind.ACCEPT, PEER));
        assertThat(kindOfAnswer(MAPPED)).isEqualTo(Kind.REJECT);
    }

    @Test
    @DisplayName("accept until the last of the listeners at an address is closed")
    void severalListeners() {
        responder.add(PEER);
        responder.add(PEER);
        responder.remove(PEER);
        assertThat(kindOfAnswer(PEER)).isEqualTo(Kind.ACCEPT);
        responder.remove(PEER);
        assertThat(kindOfAnswer(PEER)).isEqualTo(Kind.REJECT);
    }

    @Test
    @DisplayName("do not answer anything but requests, so that two of them never loop")
    void nothingToAnswer() {
        responder.add(PEER);
        for (Kind kind : List.of(Kind.ACCEPT, Kind.ACK, Kind.REJECT)) {
            assertThat(answer(message(kind, PEER))).isNull();
        }
        assertThat(answer(request(PEER).limit(63))).isNull();
        assertThat(answer(ByteBuffer.allocate(65))).isNull();
    }

    @Test
    @DisplayName(
            "send at most a hundred answers per second to one source and ten thousand to all, shorter than the requests")
    void flood() {
        responder.add(PEER);
        long octets = 0;
        int answers = 0;
        for (int i = 0; i < 1_000; i++) {
            ByteBuffer answer = responder.answer(request(PEER), OURS, now);
            octets += answer == null ? 0 : answer.remaining();
            answers += answer == null ? 0 : 1;
        }
        assertThat(answers).isEqualTo(100);
        assertThat(octets).isLessThan(100 * 64);
        assertThat(responder.dropped()).isEqualTo(900);
        for (int i = 0; i < 60_000; i++) {
            InetSocketAddress source = new InetSocketAddress("198.51." + i / 256 + "." + i % 256, 1);
            answers += responder.answer(request(PEER), source, now) == null ? 0 : 1;
        }
        assertThat(answers).isEqualTo(10_000);
        now += SECOND;
        assertThat(answer(request(PEER))).as("a second later").isNotNull();
    }

    // ---- both

    @Property(tries = 300)
    @Label("come to the answer of the first round of which nothing is lost, or, after the wait, to none")
    void lossyWay(@ForAll long seed, @ForAll @IntRange(min = 0, max = 100) int lossPercent) {
        Random random = new Random(seed);
        responder.add(PEER);
        now = random.nextLong();
        long wait = 1 + random.nextLong(10 * SECOND);
        PortMapQuestion question = new PortMapQuestion(seed | 1, OURS, PEER, wait, now);
        long began = now;
        int rounds = 0;
        boolean answered = false;
        while (question.state() == PortMapQuestion.State.ASKING) {
            ByteBuffer request = question.output(now);
            if (request != null) {
                rounds++;
                ByteBuffer answer = random.nextInt(100) < lossPercent ? null : responder.answer(request, OURS, now);
                if (answer != null && random.nextInt(100) >= lossPercent) {
                    answered = true;
                    question.input(answer);
                }
            }
            if (question.state() == PortMapQuestion.State.ASKING) {
                now = question.nextTimeout();
            }
        }
        assertThat(question.state())
                .isEqualTo(answered ? PortMapQuestion.State.MAPPED : PortMapQuestion.State.UNANSWERED);
        assertThat(now - began).isLessThanOrEqualTo(wait);
        assertThat(rounds).isBetween(1, (int) (wait / SECOND) + 1);
        if (answered) {
            assertThat(responder.answer(Objects.requireNonNull(question.output(now)), OURS, now))
                    .isNull();
        } else {
            assertThat(now - began).isEqualTo(wait);
        }
    }

    @Property(tries = 500)
    @Label("are moved by no octets but an answer to them")
    void anyOctets(@ForAll long seed) {
        Random random = new Random(seed);
        PortMapQuestion question = question(3 * SECOND);
        output(question);
        for (int i = 0; i < 20; i++) {
            // Mostly right: one octet of an ACCEPT is changed, or the ACCEPT is truncated.
            ByteBuffer near = message(Kind.ACCEPT, MAPPED);
            int at = random.nextInt(48);
            // Not the port, the zeros after IPv4 addresses, or ignored fields: such messages are still valid.
            boolean told = at == 0 || (at >= 6 && at < 20) || (at >= 32 && at < 36);
            if (told) {
                near.put(at, (byte) (near.get(at) ^ 1 << random.nextInt(8)));
            } else {
                near.limit(at);
            }
            question.input(near);
            assertThat(question.state()).as("octet %d", at).isNotEqualTo(PortMapQuestion.State.MAPPED);
            if (question.state() != PortMapQuestion.State.ASKING) {
                assertThat(at).as("only a REJECT is another answer").isZero();
                return;
            }
        }
    }
}
