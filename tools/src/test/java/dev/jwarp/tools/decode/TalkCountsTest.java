package dev.jwarp.tools.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.decode.CapturePlace;
import dev.jwarp.conformance.decode.Crc;
import dev.jwarp.conformance.decode.Item;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is counted of messages, and how long requests waited. */
class TalkCountsTest {
    private static final Endpoint CLIENT = new Endpoint(InetAddress.getLoopbackAddress(), 40_000);
    private static final Endpoint SERVER = new Endpoint(InetAddress.getLoopbackAddress(), 7174);

    private final TalkCounts statistics = new TalkCounts();
    private long frame;

    private void say(int stream, boolean initiator, long nanos, Segment segment) {
        say(new Observation(stream, initiator, nanos), true, segment, Crc.OK);
    }

    private record Observation(int stream, boolean initiator, long nanos) {}

    /** What this side sent before is missing. */
    private void sayBehindLoss(boolean initiator, long nanos, Segment segment) {
        say(new Observation(0, initiator, nanos), false, segment, Crc.OK);
    }

    private void say(Observation of, boolean follows, Segment segment, Crc crc) {
        CapturePlace place = new CapturePlace(
                ++frame,
                frame,
                of.nanos,
                true,
                of.stream,
                of.initiator,
                of.initiator ? CLIENT : SERVER,
                of.initiator ? SERVER : CLIENT);
        Fpdu fpdu = new Fpdu(new byte[0], 0, segment.bytes(), new byte[0], List.of(), true);
        statistics.accept(new Item.Framed(place, follows, fpdu, crc, segment, null, List.of()));
    }

    private TalkCounts.Kept kept(String direction, String message) {
        return statistics.talks().get(0).messages().get(direction).get(message);
    }

    private ResponseTimes asked(String direction, String request) {
        return statistics.talks().get(0).asked().get(direction).get(request);
    }

    @Test
    @DisplayName("messages are counted by kind and direction, all segments of one together")
    void messagesAreCounted() {
        for (int size : new int[] {0, 10, 500}) {
            say(0, true, 0, Segment.send(1, new byte[size]));
        }
        say(0, true, 0, Segment.write(1, 0, new byte[1000]).last(false));
        say(0, true, 0, Segment.write(1, 1000, new byte[1000]));
        say(0, false, 0, Segment.send(1, new byte[7]).last(false));

        statistics.end();

        assertThat(kept("i>r", "Send").sizes().count()).isEqualTo(3);
        assertThat(kept("i>r", "Send").sizes().least()).isZero();
        assertThat(kept("i>r", "Send").sizes().percentile(50)).isEqualTo(10);
        assertThat(kept("i>r", "Send").sizes().largest()).isEqualTo(500);
        assertThat(kept("i>r", "Send").bytes()).isEqualTo(510);
        assertThat(kept("i>r", "RDMA Write").sizes().largest()).isEqualTo(2000);
        assertThat(kept("r>i", "Send").incomplete()).isEqualTo(1);
        assertThat(kept("r>i", "Send").sizes().count()).isZero();
        assertThat(kept("r>i", "Send").bytes()).isEqualTo(7);
    }

    @Test
    @DisplayName("a Read takes from its request to the last segment of its response")
    void readTakesToLastSegment() {
        say(0, true, 1_000, Segment.readRequest(1, 0xA, 0x100, 20, 0xB, 0));
        say(0, true, 2_000, Segment.readRequest(2, 0xA, 0x200, 0, 0xB, 0));
        say(0, false, 5_000, Segment.readResponse(0xA, 0x100, new byte[10]).last(false));
        say(0, false, 6_000, Segment.readResponse(0xA, 0x10A, new byte[10]));
        say(0, false, 9_000, Segment.readResponse(0xA, 0x200, new byte[0]));

        assertThat(asked("i>r", "RDMA Read").nanos().count()).isEqualTo(2);
        assertThat(asked("i>r", "RDMA Read").nanos().least()).isEqualTo(5_000);
        assertThat(asked("i>r", "RDMA Read").nanos().largest()).isEqualTo(7_000);
        assertThat(asked("i>r", "RDMA Read").unanswered()).isZero();
    }

    @Test
    @DisplayName("a response that was not seen leaves its request unanswered, and answers no other")
    void responseThatWasNotSeen() {
        say(0, false, 0, Segment.readRequest(1, 0xA, 0x100, 20, 0xB, 0));
        say(0, false, 0, Segment.readRequest(2, 0xA, 0x200, 20, 0xB, 0));
        say(0, false, 0, Segment.readRequest(3, 0xA, 0x300, 20, 0xB, 0));
        say(0, true, 50, Segment.readResponse(0xC, 0x100, new byte[20]));
        say(0, true, 100, Segment.readResponse(0xA, 0x200, new byte[20]));

        assertThat(asked("r>i", "RDMA Read").nanos().count()).isEqualTo(1);
        assertThat(asked("r>i", "RDMA Read").nanos().largest()).isEqualTo(100);
        assertThat(asked("r>i", "RDMA Read").unanswered()).isEqualTo(2);
    }

    private static Segment request(int msn, long place) {
        return Segment.readRequest(msn, 0xA, place, 20, 0xB, 0);
    }

    private static Segment response(long place) {
        return Segment.readResponse(0xA, place, new byte[20]);
    }

    @Test
    @DisplayName("behind a lost response only Reads are measured that none other looks like")
    void behindLostResponse() {
        for (int i = 0; i < 10; i++) {
            say(0, true, i * 10_000L, request(i + 1, 0x100));
            if (i == 5) {
                sayBehindLoss(false, i * 10_000L + 1000, response(0x100));
            } else if (i != 4) {
                say(0, false, i * 10_000L + 1000, response(0x100));
            }
        }
        say(0, true, 200_000, request(11, 0x900));
        say(0, false, 202_000, response(0x900));
        say(0, true, 300_000, request(12, 0xA00));

        statistics.end();

        assertThat(asked("i>r", "RDMA Read").nanos().count()).isEqualTo(5);
        assertThat(asked("i>r", "RDMA Read").nanos().least()).isEqualTo(1000);
        assertThat(asked("i>r", "RDMA Read").nanos().largest()).isEqualTo(2000);
        assertThat(asked("i>r", "RDMA Read").notMeasured()).isEqualTo(6);
        assertThat(asked("i>r", "RDMA Read").unanswered()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "responses that are decoded before their requests, as one of these was lost, are measured all the same")
    void responsesThatAreDecodedBeforeRequests() {
        say(0, true, 0, request(1, 0x100));
        for (int i = 1; i <= 3; i++) {
            say(0, false, i * 1000L + 500, response(0x100L * i));
        }
        sayBehindLoss(true, 3000, request(3, 0x300));

        statistics.end();

        assertThat(asked("i>r", "RDMA Read").nanos().count()).isEqualTo(2);
        assertThat(asked("i>r", "RDMA Read").nanos().least()).isEqualTo(500);
        assertThat(asked("i>r", "RDMA Read").nanos().largest()).isEqualTo(1500);
        assertThat(asked("i>r", "RDMA Read").unanswered()).isZero();
    }

    @Test
    @DisplayName("a response that was captured before a request is none to it")
    void responseBeforeRequest() {
        say(0, false, 1000, response(0x100));
        say(0, true, 2000, request(1, 0x100));
        say(0, false, 5000, response(0x100));

        statistics.end();

        assertThat(asked("i>r", "RDMA Read").nanos().count()).isEqualTo(1);
        assertThat(asked("i>r", "RDMA Read").nanos().least()).isEqualTo(3000);
    }

    @Test
    @DisplayName("what has a bad CRC is no whole message, asks nothing and answers nothing")
    void badCrc() {
        say(0, true, 0, request(1, 0x100));
        say(new Observation(0, false, 100), true, response(0x100), Crc.BAD);
        say(new Observation(0, true, 200), true, Segment.send(1, new byte[9]), Crc.BAD);

        statistics.end();

        assertThat(kept("i>r", "Send").sizes().count()).isZero();
        assertThat(kept("i>r", "Send").incomplete()).isEqualTo(1);
        assertThat(asked("i>r", "RDMA Read").nanos().count()).isZero();
        assertThat(asked("i>r", "RDMA Read").unanswered()).isEqualTo(1);
    }

    @Test
    @DisplayName("an Atomic is known by its identifier; a Send back is no response")
    void atomicIsKnownByItsIdentifier() {
        byte[] request = new byte[52];
        request[7] = 9;
        byte[] response = new byte[12];
        response[3] = 9;
        say(0, true, 0, Segment.send(1, new byte[0]));
        say(0, true, 10, Segment.of(Opcode.ATOMIC_REQUEST).payload(request));
        say(0, false, 30, Segment.of(Opcode.ATOMIC_RESPONSE).payload(response));
        say(0, false, 40, Segment.send(1, new byte[0]));

        assertThat(asked("i>r", "Atomic").nanos().largest()).isEqualTo(20);
        assertThat(statistics.talks().get(0).asked()).containsOnlyKeys("i>r");
    }

    @Test
    @DisplayName("of very many conversations the later ones are counted together")
    void veryManyConversations() {
        for (int stream = 0; stream < TalkCounts.MOST_CONVERSATIONS + 50; stream++) {
            say(stream, true, 0, Segment.send(1, new byte[4]));
        }

        assertThat(statistics.talks()).hasSize(TalkCounts.MOST_CONVERSATIONS + 1);
        TalkCounts.Talk others = statistics.talks().get(TalkCounts.MOST_CONVERSATIONS);
        assertThat(others.place()).isNull();
        assertThat(others.messages().get("i>r").get("Send").sizes().count()).isEqualTo(50);
    }
}
