package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("datagram-iWARP §8 and §9: Reads over UD always end, and accept replies only from the peer asked")
class DatagramReadsTest {
    private static final long MILLI = DatagramStation.MILLI;

    private final DatagramStation a = new DatagramStation(1);
    private final DatagramStation b = new DatagramStation(2);
    private final DatagramDestination toB = a.to(b);
    private final TaggedBuffer source = b.random(5_000, 1);
    private final TaggedBuffer sink = a.region(5_000);

    /** {@return a station that may have so many Reads outstanding} */
    private static DatagramStation withReads(int most) {
        return new DatagramStation(
                8, DatagramService.UD, DatagramSettings.DEFAULT.with(DatagramLimit.OUTSTANDING_READS, most), 8);
    }

    private Datagram request() {
        a.read(1, toB, sink, 5_000, source, 0);
        return a.sent().get(0);
    }

    private List<Datagram> answer() {
        b.take(request(), a);
        return b.sent();
    }

    /** {@return a reply to a datagram, as a peer would make it} */
    private static Shim replyTo(Datagram question) {
        return new Shim()
                .addressed(question.shim.sourceQpn(), question.shim.destinationQpn(), question.shim.key())
                .message(question.shim.messageId(), 4)
                .flags(true, false, false, false);
    }

    @Tag("DG-8-2")
    @Test
    @DisplayName("The request names a random handle, not the memory of this side; no two are alike")
    void handle() {
        Datagram first = request();
        Datagram second = request();
        assertThat(first.word(18)).isNotEqualTo(sink.stag()).isNotEqualTo(second.word(18));
        assertThat(first.number(22)).isNotEqualTo(second.number(22));
        assertThat((int) first.number(22)).isZero();
    }

    @Test
    @DisplayName("A Read with an endless deadline does not delay other deadlines, and can be answered")
    void patient() {
        a.post(DatagramOperation.Kind.RDMA_READ, 1, toB, op -> {
            op.remote(source.stag(), source.baseOffset()).deadlineNanos(Long.MAX_VALUE);
            op.memory().add(sink, 0, 5_000);
        });
        List<Datagram> patient = a.sent();
        a.pass(MILLI);
        a.read(2, toB, sink, 5_000, source, 0);
        a.sent();
        assertThat(a.endpoint.nextTimeout()).isEqualTo(a.now + 1_005 * MILLI);
        a.pass(1_005 * MILLI);
        assertThat(a.sends).containsExactly("2 RESP_TIMEOUT_ERR");
        b.takeAll(patient, a);
        a.takeAll(b.sent(), b);
        assertThat(a.sends).containsExactly("2 RESP_TIMEOUT_ERR", "1 SUCCESS");
    }

    @Tag("DG-8-3")
    @Tag("DG-8-7")
    @Test
    @DisplayName("Without any response it ends RESP_TIMEOUT_ERR at its deadline: 1 s and 1 ms for each 1,000 bytes")
    void timeout() {
        Datagram request = request();
        a.pass(1_005 * MILLI - 1);
        assertThat(a.sends).isEmpty();
        a.pass(1);
        assertThat(a.sends).containsExactly("1 RESP_TIMEOUT_ERR");
        b.take(request, a);
        a.takeAll(b.sent(), b);
        assertThat(DatagramStation.octets(sink)).containsOnly(0);
        assertThat(a.count(DatagramCounter.RX_REPLY_UNMATCHED)).isEqualTo(4);
    }

    @Tag("DG-8-9")
    @Test
    @DisplayName("The request is never repeated without a CHALLENGE")
    void neverAgain() {
        request();
        for (int i = 0; i < 1_005; i++) {
            a.pass(MILLI);
            assertThat(a.sent()).isEmpty();
        }
        assertThat(a.sends).containsExactly("1 RESP_TIMEOUT_ERR");
    }

    @Test
    @DisplayName("A work request can have a deadline of its own")
    void ownDeadline() {
        a.post(
                DatagramOperation.Kind.RDMA_READ,
                9,
                toB,
                op -> op.remote(source.stag(), source.baseOffset())
                        .deadlineNanos(5 * MILLI)
                        .memory()
                        .add(sink, 0, 10));
        a.sent();
        a.pass(5 * MILLI);
        assertThat(a.sends).containsExactly("9 RESP_TIMEOUT_ERR");
    }

    @Tag("DG-8-3")
    @Test
    @DisplayName("A slow but even response extends the deadline; a response that stops does not")
    void slowAnswer() {
        TaggedBuffer large = b.random(100_000, 1);
        TaggedBuffer into = a.region(100_000);
        for (int round = 0; round < 2; round++) {
            a.read(round, toB, into, 100_000, large, 0);
            b.takeAll(a.sent(), a);
            List<Datagram> answer = b.sent(); // 71 segments, 40 ms apart: 2.8 s
            for (Datagram segment : answer.subList(0, round == 0 ? answer.size() : 40)) {
                a.take(segment, b);
                a.pass(40 * MILLI);
            }
        }
        assertThat(a.sends).containsExactly("0 SUCCESS");
        a.pass(8 * 40 * MILLI);
        assertThat(a.sends).containsExactly("0 SUCCESS", "1 PARTIAL");
    }

    @Test
    @DisplayName("On a slow path the Reads of one source are answered in turn, so that all progress evenly")
    void evenly() {
        for (int id = 1; id <= 3; id++) {
            a.read(id, toB, sink, 5_000, source, 0);
        }
        List<Datagram> requests = a.sent();
        b.takeAll(requests, a);
        List<Integer> order = new ArrayList<>();
        int[] admitted = new int[1];
        b.port.admits = peer -> admitted[0]-- > 0;
        for (int i = 0; i < 6; i++) {
            admitted[0] = 2;
            b.sent().forEach(segment -> order.add(segment.shim.messageId()));
        }
        List<Integer> asked = requests.stream().map(one -> one.shim.messageId()).toList();
        assertThat(order.stream().map(asked::indexOf)).containsExactly(0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2);
        assertThat(b.count(DatagramCounter.READS_SERVED)).isEqualTo(3);
    }

    @Test
    @DisplayName("The Reads of one source share one turn, separate from that of another source")
    void oneTurn() {
        DatagramStation c = new DatagramStation(3);
        TaggedBuffer large = b.random(200_000, 1);
        for (int id = 1; id <= 3; id++) {
            a.read(id, toB, a.region(200_000), 200_000, large, 0);
        }
        c.read(1, c.to(b), c.region(200_000), 200_000, large, 0);
        b.takeAll(a.sent(), a);
        b.takeAll(c.sent(), c);
        List<Datagram> sent = b.sent();
        int ofC = (int) sent.subList(0, sent.size() / 2).stream()
                .filter(segment -> segment.to.address().equals(c.address))
                .count();
        assertThat(ofC).as("half of the first half").isBetween(sent.size() / 4 - 20, sent.size() / 4 + 20);
    }

    @Tag("DG-8-3")
    @Test
    @DisplayName("Responses to earlier Reads extend an unanswered Read's deadline, until a later Read is answered")
    void turnHasNotCome() {
        for (int id = 1; id <= 3; id++) {
            a.read(id, toB, sink, 5_000, source, 0);
        }
        b.takeAll(a.sent(), a);
        List<Datagram> answers = b.sent();
        for (Datagram segment : answers.subList(0, 4)) {
            a.take(segment, b);
            assertThat(a.sends.stream().filter(end -> !end.endsWith("SUCCESS"))).isEmpty();
            a.pass(700 * MILLI);
        }
        assertThat(a.sends).containsExactly("1 SUCCESS");
        a.take(answers.get(8), b);
        a.pass(301 * MILLI);
        assertThat(a.sends).containsExactly("1 SUCCESS", "2 RESP_TIMEOUT_ERR");
        a.pass(698 * MILLI);
        assertThat(a.sends).as("too few segments to measure the pace").hasSize(2);
        a.pass(2 * MILLI);
        assertThat(a.sends).containsExactly("1 SUCCESS", "2 RESP_TIMEOUT_ERR", "3 PARTIAL");
    }

    @Tag("DG-8-3")
    @Test
    @DisplayName("The deadline of an unanswered Read is extended to one minute at most")
    void turnNeverComes() {
        TaggedBuffer large = b.random(100_000, 1);
        a.read(1, toB, a.region(100_000), 100_000, large, 0);
        a.read(2, toB, sink, 5_000, source, 0);
        b.takeAll(a.sent(), a);
        List<Datagram> answers = b.sent();
        for (Datagram segment : answers.subList(0, 64)) {
            assertThat(a.sends).doesNotContain("2 RESP_TIMEOUT_ERR");
            a.take(segment, b);
            a.pass(950 * MILLI);
        }
        a.pass(1_000 * MILLI);
        assertThat(a.sends).contains("2 RESP_TIMEOUT_ERR");
    }

    @Test
    @DisplayName("The program's own deadline is not extended, even by an even response")
    void ownDeadlineIsStrict() {
        a.post(DatagramOperation.Kind.RDMA_READ, 1, toB, op -> {
            op.remote(source.stag(), source.baseOffset()).deadlineNanos(35 * MILLI);
            op.memory().add(sink, 0, 5_000);
        });
        b.takeAll(a.sent(), a);
        for (Datagram segment : b.sent()) {
            a.take(segment, b);
            a.pass(10 * MILLI);
        }
        assertThat(a.sends).containsExactly("1 SUCCESS");
        a.post(DatagramOperation.Kind.RDMA_READ, 2, toB, op -> {
            op.remote(source.stag(), source.baseOffset()).deadlineNanos(25 * MILLI);
            op.memory().add(sink, 0, 5_000);
        });
        b.takeAll(a.sent(), a);
        for (Datagram segment : b.sent()) {
            a.take(segment, b);
            a.pass(10 * MILLI);
        }
        assertThat(a.sends).containsExactly("1 SUCCESS", "2 PARTIAL");
    }

    @Tag("DG-8-3")
    @Test
    @DisplayName("With a part of the response it ends PARTIAL, and the map shows the part")
    void partial() {
        List<Datagram> answer = answer();
        a.take(answer.get(1), b);
        a.take(answer.get(1), b);
        a.pass(2_000 * MILLI);
        assertThat(a.sends).containsExactly("1 PARTIAL");
        assertThat(DatagramStation.ranges(a.readRecords.get(0))).isEqualTo("1428+1428");
        assertThat(a.count(DatagramCounter.DUP_SEGMENT)).isEqualTo(1);
        a.readRecords.get(0).release();
        a.takeAll(answer, b);
        assertThat(a.sends).hasSize(1);
        assertThat(DatagramStation.octets(sink, 0, 1428)).containsOnly(0);
    }

    @Tag("DG-5.5-1")
    @Tag("DG-8-1")
    @Tag("DG-8-5")
    @Test
    @DisplayName("Responses with another source, Key, handle, range, size or id are not placed")
    void forged() {
        List<Datagram> answer = answer();
        Datagram good = answer.get(0);
        DatagramStation c = new DatagramStation(3);
        assertThat(a.endpoint.asked(Datagram.received(good.shim, b.address))).isTrue();
        assertThat(a.endpoint.asked(Datagram.received(good.shim, c.address))).isFalse();
        Datagram otherKey = good.copy();
        otherKey.shim.addressed(a.qpn, b.qpn, 1);
        Datagram otherQpn = good.copy();
        otherQpn.shim.addressed(a.qpn, b.qpn + 1, b.key);
        Datagram otherId = good.copy();
        otherId.shim.message(good.shim.messageId() + 1, 5_000);
        for (Datagram forged : List.of(otherKey, otherQpn, otherId)) {
            assertThat(a.endpoint.asked(Datagram.received(forged.shim, b.address)))
                    .isFalse();
            assertThat(a.take(forged, b)).isEqualTo(SegmentFate.DROPPED);
        }
        assertThat(a.take(good, c)).isEqualTo(SegmentFate.DROPPED);
        Datagram otherHandle = good.copy().word(2, good.word(2) + 1);
        Datagram otherRange = good.copy().number(6, good.number(6) + 4);
        Datagram otherSize = answer.get(3).copy();
        otherSize.shim.message(good.shim.messageId(), 4_999);
        otherSize.segment = java.util.Arrays.copyOf(otherSize.segment, otherSize.segment.length - 1);
        for (Datagram forged : List.of(otherHandle, otherRange, otherSize)) {
            assertThat(a.take(forged, b)).isEqualTo(SegmentFate.DROPPED);
        }
        assertThat(a.count(DatagramCounter.RX_REPLY_UNMATCHED)).isEqualTo(7);
        assertThat(DatagramStation.octets(sink)).containsOnly(0);
        a.takeAll(answer, b);
        assertThat(a.sends).containsExactly("1 SUCCESS");
    }

    @Tag("DG-4.2-4")
    @Tag("DG-5.5-2")
    @Tag("DG-9.2-3")
    @Test
    @DisplayName("A CHALLENGE repeats the request with the cookie, twice at most; later requests carry the cookie")
    void challenge() {
        Datagram request = request();
        a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 11, 12, a.now);
        List<Datagram> again = a.sent();
        assertThat(again).hasSize(1);
        assertThat(again.get(0).cookie).isTrue();
        assertThat(again.get(0).segment).isEqualTo(request.segment);
        assertThat(again.get(0).shim.messageId()).isEqualTo(request.shim.messageId());
        assertThat(toB.peer().cookieHigh()).isEqualTo(11);
        a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 13, 14, a.now);
        assertThat(a.sent()).hasSize(1);
        a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 15, 16, a.now);
        assertThat(a.sent()).isEmpty();
        assertThat(a.count(DatagramCounter.CHALLENGES_ANSWERED)).isEqualTo(2);
        assertThat(a.count(DatagramCounter.RX_REPLY_UNMATCHED)).isEqualTo(1);
        assertThat(request().cookie).isTrue();
        a.now += 121_000 * MILLI;
        assertThat(request().cookie).isFalse();
    }

    @Tag("DG-8-10")
    @Test
    @DisplayName("One CHALLENGE repeats all Read Requests to that peer; the other CHALLENGEs, with the same cookie, add"
            + " nothing new")
    void challengeForAll() {
        List<Datagram> requests = List.of(request(), request(), request());
        a.endpoint.onChallenge(Datagram.received(replyTo(requests.get(1)), b.address), 11, 12, a.now);
        List<Datagram> again = a.sent();
        assertThat(again).hasSize(3).allMatch(datagram -> datagram.cookie);
        assertThat(again.stream().map(datagram -> datagram.shim.messageId()))
                .containsExactlyInAnyOrderElementsOf(requests.stream()
                        .map(datagram -> datagram.shim.messageId())
                        .toList());
        for (Datagram request : requests) {
            a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 11, 12, a.now);
        }
        assertThat(a.sent()).isEmpty();
        assertThat(a.count(DatagramCounter.CHALLENGES_ANSWERED)).isEqualTo(1);
        assertThat(a.count(DatagramCounter.RX_REPLY_UNMATCHED)).isEqualTo(3);
    }

    @Tag("DG-5.5-2")
    @Test
    @DisplayName("Several CHALLENGEs before the repeated request is sent count as one")
    void challengesInOneBatch() {
        Datagram request = request();
        for (int i = 0; i < 3; i++) {
            a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 11, 12, a.now);
        }
        assertThat(a.sent()).hasSize(1);
        assertThat(a.count(DatagramCounter.CHALLENGES_ANSWERED)).isEqualTo(1);
        a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 13, 14, a.now);
        assertThat(a.sent()).as("the second time").hasSize(1);
        a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 15, 16, a.now);
        assertThat(a.sent()).as("two repetitions at most").isEmpty();
    }

    @Tag("DG-8-10")
    @Test
    @DisplayName("One CHALLENGE repeats all Read Requests to that peer, of all its address handles")
    void challengeForAllHandles() {
        DatagramDestination alsoToB = a.to(b);
        Datagram first = request();
        a.read(2, alsoToB, sink, 5_000, source, 0);
        Datagram second = a.sent().get(0);
        a.endpoint.onChallenge(Datagram.received(replyTo(first), b.address), 11, 12, a.now);
        List<Datagram> again = a.sent();
        assertThat(again).hasSize(2).allMatch(datagram -> datagram.cookie);
        assertThat(again.stream().map(datagram -> datagram.shim.messageId()))
                .containsExactlyInAnyOrder(first.shim.messageId(), second.shim.messageId());
        assertThat(alsoToB.peer().cookieLow()).isEqualTo(12);
        a.endpoint.onChallenge(Datagram.received(replyTo(second), b.address), 11, 12, a.now);
        assertThat(a.sent()).isEmpty();
    }

    @Test
    @DisplayName("The request of an ended Read is not repeated")
    void challengeTooLate() {
        Datagram request = request();
        a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 11, 12, a.now);
        a.pass(2_000 * MILLI);
        assertThat(a.sent()).isEmpty();
        a.endpoint.onChallenge(Datagram.received(replyTo(request), b.address), 11, 12, a.now);
        assertThat(a.sent()).isEmpty();
    }

    @Tag("DG-4.7-6")
    @Tag("DG-8-4")
    @Tag("DG-9.3-4")
    @Test
    @DisplayName("A NOTIFY ends a Read with the status of its code; for other messages it is only an event")
    void notified() {
        Datagram request = request();
        a.endpoint.onNotify(Datagram.received(replyTo(request), b.address), 0x0100_0000, a.now);
        assertThat(a.sends).containsExactly("1 REM_ACCESS_ERR");
        a.send(5, toB, sink, 0, 10);
        Datagram send = a.sent().get(0);
        assertThat(a.endpoint.asked(Datagram.received(replyTo(send), b.address)))
                .isTrue();
        a.endpoint.onNotify(Datagram.received(replyTo(send), b.address), 0x1205_0000, a.now);
        assertThat(a.sends).containsExactly("1 REM_ACCESS_ERR", "5 SUCCESS");
        assertThat(a.events)
                .containsExactly(
                        "REFUSED_BY_PEER " + request.shim.messageId() + " " + TerminateCode.RDMAP_INVALID_STAG
                                + " wr 1",
                        "REFUSED_BY_PEER " + send.shim.messageId() + " " + TerminateCode.DDP_MESSAGE_TOO_LONG
                                + " wr 5");
        a.endpoint.onNotify(Datagram.received(replyTo(send), b.address), 0xFFFF_0000, a.now);
        assertThat(a.events.get(2)).endsWith("null wr 5");
        a.endpoint.onVersionList(Datagram.received(replyTo(send), b.address), 0x4, a.now);
        assertThat(a.events.get(3)).startsWith("OTHER_VERSION");
    }

    @Test
    @DisplayName("Only the last 1,024 messages are remembered; a Read is remembered until it ends")
    void recent() {
        Datagram read = request();
        a.send(5, toB, sink, 0, 10);
        Datagram send = a.sent().get(0);
        for (int i = 0; i < 1_024; i++) {
            a.send(i, toB, sink, 0, 10);
            a.sent();
        }
        assertThat(a.endpoint.asked(Datagram.received(replyTo(send), b.address)))
                .isFalse();
        assertThat(a.endpoint.asked(Datagram.received(replyTo(read), b.address)))
                .isTrue();
    }

    @Tag("DG-15-2")
    @Test
    @DisplayName("A Read whose sink is deregistered ends LOC_PROT_ERR, and nothing is placed")
    void sinkGone() {
        List<Datagram> answer = answer();
        a.take(answer.get(0), b);
        a.table.deregister(sink);
        byte[] before = DatagramStation.octets(sink);
        a.take(answer.get(1), b);
        assertThat(a.sends).containsExactly("1 LOC_PROT_ERR");
        assertThat(DatagramStation.octets(sink)).isEqualTo(before);

        TaggedBuffer other = a.region(10);
        a.read(2, toB, other, 10, source, 0);
        a.sent();
        a.table.deregister(other);
        a.endpoint.deregistered(other, a.now);
        assertThat(a.sends).contains("2 LOC_PROT_ERR");
        assertThat(a.endpoint.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("A response whose source is deregistered stops, and the peer is notified")
    void sourceGone() {
        b.take(request(), a);
        b.port.admits = peer -> b.port.admissions < 2;
        assertThat(b.sent()).hasSize(1);
        b.table.deregister(source);
        b.port.admits = peer -> true;
        assertThat(b.sent()).isEmpty();
        assertThat(b.port.refusals).hasSize(1).allMatch(r -> r.endsWith(" of 4097 RDMAP_INVALID_STAG"));
        assertThat(b.count(DatagramCounter.READS_BROKEN_OFF)).isEqualTo(1);
    }

    @Tag("DG-13-3")
    @Test
    @DisplayName("The Reads served at a time are limited, per source and in total")
    void jobs() {
        DatagramSettings settings =
                DatagramSettings.DEFAULT.with(DatagramLimit.READ_JOBS, 3).with(DatagramLimit.READ_JOBS_PER_SOURCE, 2);
        DatagramStation server = new DatagramStation(7, DatagramService.UD, settings, 8);
        TaggedBuffer from = server.random(3_000, 1);
        server.port.admits = peer -> false;
        DatagramStation c = new DatagramStation(3);
        assertThat(read(server, a, from)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(read(server, a, from)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(read(server, a, from)).isEqualTo(SegmentFate.REFUSED);
        assertThat(server.endpoint.refusal()).isEqualTo(TerminateCode.DATAGRAM_BUSY);
        assertThat(read(server, c, from)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(read(server, c, from)).isEqualTo(SegmentFate.REFUSED);
        assertThat(server.count(DatagramCounter.READ_BUSY)).isEqualTo(2);
        assertThat(server.sent()).isEmpty();
        server.port.admits = peer -> true;
        assertThat(server.sent()).hasSize(9);
        assertThat(read(server, a, from)).isEqualTo(SegmentFate.ACCEPTED);
    }

    @Tag("DG-13-6")
    @Test
    @DisplayName("A host that uses all jobs from many ports gives way to another host, not to its own ports")
    void jobsOfOneHost() {
        int all = 8;
        DatagramSettings settings = DatagramSettings.DEFAULT.with(DatagramLimit.READ_JOBS, all);
        DatagramStation server = new DatagramStation(7, DatagramService.UD, settings, 8);
        TaggedBuffer from = server.random(3_000, 1);
        server.port.admits = peer -> false; // blocked paths
        for (int port = 0; port < all; port++) {
            assertThat(server.take(request(server, a, from), at(a, port), true, null))
                    .isEqualTo(SegmentFate.ACCEPTED);
        }
        assertThat(server.take(request(server, a, from), at(a, all), true, null))
                .isEqualTo(SegmentFate.REFUSED);
        assertThat(server.endpoint.refusal()).isEqualTo(TerminateCode.DATAGRAM_BUSY);
        assertThat(server.port.refusals).isEmpty();

        for (int host = 3; host < 5; host++) {
            DatagramStation other = new DatagramStation(host);
            assertThat(read(server, other, from)).isEqualTo(SegmentFate.ACCEPTED);
            assertThat(read(server, other, from)).isEqualTo(SegmentFate.ACCEPTED);
        }
        assertThat(server.count(DatagramCounter.READS_DISPLACED)).isEqualTo(4);
        assertThat(server.port.refusals).hasSize(4).allMatch(said -> said.contains("DATAGRAM_BUSY"));

        server.port.admits = peer -> true;
        List<Datagram> answers = server.sent();
        assertThat(answers).hasSize(all * 3);
        assertThat(answers.stream()
                        .filter(d -> d.to.address().low() == a.address.low())
                        .map(d -> d.to.address().port())
                        .distinct())
                .hasSize(4);
        assertThat(server.endpoint.nextTimeout()).as("nothing is left").isEqualTo(Long.MAX_VALUE);
    }

    @Tag("DG-8-15")
    @Test
    @DisplayName(
            "A Read is no longer served after the longest deadline of its peer, even if single datagrams are admitted")
    void jobsEnd() {
        DatagramStation server = new DatagramStation(7, DatagramService.UD, DatagramSettings.DEFAULT, 8);
        TaggedBuffer from = server.random(3_000, 1);
        server.port.admits = peer -> false;
        for (int i = 0; i < 3; i++) {
            read(server, a, from);
        }
        server.sent();
        server.pass(59_000 * MILLI);
        int[] admitted = {1};
        server.port.admits = peer -> admitted[0]-- > 0;
        assertThat(server.sent())
                .as("a path that admits a datagram now and then")
                .hasSize(1);
        read(server, a, from);
        server.pass(1_000 * MILLI - 1);
        assertThat(server.count(DatagramCounter.READS_GIVEN_UP)).isZero();
        server.pass(1);
        assertThat(server.count(DatagramCounter.READS_GIVEN_UP)).isEqualTo(3);
        assertThat(server.port.refusals).isEmpty();
        server.port.admits = peer -> true;
        assertThat(server.sent()).as("the later Read").hasSize(3);
        assertThat(server.count(DatagramCounter.READS_SERVED)).isEqualTo(1);
    }

    private static DatagramAddress at(DatagramStation station, int port) {
        DatagramAddress address = station.address;
        return new DatagramAddress().set(address.high(), address.low(), 5_000 + port, address.scope());
    }

    private static Datagram request(DatagramStation server, DatagramStation asker, TaggedBuffer from) {
        asker.read(1, asker.to(server), asker.region(3_000), 3_000, from, 0);
        return asker.sent().get(0);
    }

    private static SegmentFate read(DatagramStation server, DatagramStation asker, TaggedBuffer from) {
        asker.read(1, asker.to(server), asker.region(3_000), 3_000, from, 0);
        return server.take(asker.sent().get(0), asker);
    }

    @Tag("DG-4.5-3")
    @Test
    @DisplayName(
            "The last datagram of a response is padded if the source waits for more, and the padding is not placed")
    void pad() {
        for (int setting : new int[] {1, 0}) {
            DatagramSettings settings = DatagramSettings.DEFAULT.with(DatagramLimit.PAD, setting);
            DatagramStation server = new DatagramStation(7, DatagramService.UD, settings, 8);
            TaggedBuffer from = server.random(4_096, 1);
            TaggedBuffer into = a.region(5_000);
            TaggedBuffer other = a.region(5_000);
            server.port.admits = peer -> false; // until both are known
            a.read(1, a.to(server), into, 4_096, from, 0);
            a.read(2, a.to(server), other, 4_096, from, 0);
            server.takeAll(a.sent(), a);
            server.sent();
            server.port.admits = peer -> true;
            List<Datagram> answers = server.sent();
            boolean padded = setting == 1;
            assertThat(answers)
                    .extracting(d -> d.shim.padded())
                    .containsExactly(false, false, padded, false, false, false);
            a.takeAll(answers, server);
            for (TaggedBuffer sink : List.of(into, other)) {
                assertThat(DatagramStation.octets(sink, 0, 4_096)).isEqualTo(DatagramStation.octets(from));
                assertThat(DatagramStation.octets(sink, 4_096, 904)).containsOnly(0);
            }
        }
    }

    @Test
    @DisplayName("Outstanding Reads are limited; the next one waits, and other operations do not wait for it")
    void outstanding() {
        DatagramStation few = withReads(2);
        TaggedBuffer into = few.region(10);
        DatagramDestination destination = few.to(b);
        for (int i = 0; i < 3; i++) {
            few.read(i, destination, into, 10, source, 0);
        }
        few.send(9, few.to(a), into, 0, 10);
        List<Datagram> wire = few.sent();
        assertThat(wire).extracting(Datagram::opcode).containsExactlyInAnyOrder(1, 1, 3);
        few.sent();
        assertThat(few.count(DatagramCounter.READS_WAITED)).isEqualTo(1);
        wire.stream().filter(d -> d.opcode() == 1).limit(1).forEach(d -> b.take(d, few));
        few.takeAll(b.sent(), b);
        assertThat(few.sent()).hasSize(1);
    }

    @Test
    @DisplayName("A Read that waits for an answer goes as soon as it comes, although another peer had work meanwhile")
    void waitsNoLongerThanTheAnswer() {
        DatagramStation few = withReads(1);
        TaggedBuffer into = few.region(5_000);
        DatagramDestination destination = few.to(b);
        few.read(1, destination, into, 10, source, 0);
        few.read(2, destination, into, 10, source, 0);
        few.send(9, few.to(a), into, 0, 5_000);
        few.endpoint.pollSegment(few.port, few.now);
        few.endpoint.pollSegment(few.port, few.now); // the second Read has to wait
        few.port.transmit(few.endpoint, few.now);
        assertThat(few.endpoint.hasOutput()).isTrue();
        few.port.wire.stream().filter(datagram -> datagram.opcode() == 1).forEach(request -> b.take(request, few));
        few.port.wire.clear();
        few.takeAll(b.sent(), b);
        assertThat(few.sent()).extracting(Datagram::opcode).contains(1);
        assertThat(few.endpoint.hasOutput()).isFalse();
    }

    @Test
    @DisplayName("The doorbell rings if a deregistration ends the Read that another one waits for")
    void deregistrationLetsWaitingReadGo() {
        DatagramStation few = withReads(1);
        TaggedBuffer first = few.region(10);
        DatagramDestination destination = few.to(b);
        few.read(1, destination, first, 10, source, 0);
        few.read(2, destination, few.region(10), 10, source, 0);
        assertThat(few.sent()).hasSize(1);
        int doorbells = few.port.doorbells;
        few.table.deregister(first);
        few.endpoint.deregistered(first, few.now);
        assertThat(few.port.doorbells).isGreaterThan(doorbells);
        assertThat(few.sent()).hasSize(1);
    }

    @Tag("DG-4.2-2")
    @Test
    @DisplayName("A peer that addresses the default queue pair of a port gets its response")
    void defaultQueuePair() {
        DatagramDestination toDefault =
                new DatagramDestination(new dev.jwarp.llp.datagram.DatagramPeer().set(b.address, 0, b.key, 1472));
        a.read(1, toDefault, sink, 5_000, source, 0);
        b.takeAll(a.sent(), a);
        List<Datagram> answer = b.sent();
        assertThat(answer.get(0).shim.sourceQpn()).isZero();
        assertThat(a.endpoint.asked(Datagram.received(answer.get(0).shim, b.address)))
                .isTrue();
        a.takeAll(answer, b);
        assertThat(a.sends).containsExactly("1 SUCCESS");
    }
}
