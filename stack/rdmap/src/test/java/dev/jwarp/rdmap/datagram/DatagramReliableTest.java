package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("datagram-iWARP §11: the endpoint over reliable channels")
class DatagramReliableTest {
    private static final long MILLI = DatagramStation.MILLI;

    private static DatagramStation station(int host, DatagramSettings settings) {
        return new DatagramStation(host, DatagramService.RD, settings, 8);
    }

    private final DatagramStation a = station(1, DatagramSettings.DEFAULT);
    private final DatagramStation b = station(2, DatagramSettings.DEFAULT);
    private final DatagramDestination toB = a.to(b);
    private final TaggedBuffer memory = a.random(20_000, 1);
    private final TaggedBuffer target = b.region(20_000);
    /** The channel from the side of the receiver. */
    private final DatagramPeer peerA = new DatagramPeer().set(a.address, a.qpn, 0, 1472);

    private SegmentFate take(Datagram datagram) {
        return b.take(datagram, a.address, true, peerA);
    }

    @Tag("DG-11.5-1")
    @Test
    @DisplayName("A work request is complete when the peer has accepted all of its datagrams")
    void accepted() {
        a.send(1, toB, memory, 0, 3_000);
        List<Datagram> wire = a.sent();
        assertThat(wire).hasSize(3).allMatch(d -> d.shim.reliable());
        assertThat(a.sends).isEmpty();
        a.endpoint.onAccepted(wire.get(0).message, 2, a.now);
        assertThat(a.sends).isEmpty();
        a.endpoint.onAccepted(wire.get(2).message, 1, a.now);
        assertThat(a.sends).containsExactly("1 SUCCESS");
    }

    @Tag("DG-4.5-9")
    @Tag("DG-11.3-1")
    @Test
    @DisplayName("A repeated segment is identical to the first")
    void repeat() {
        a.record(1, toB, memory, 5_000, target, 0);
        a.send(2, toB, memory, 0, 5_000);
        a.read(3, toB, memory, 5_000, target, 0);
        List<Datagram> wire = a.sent();
        for (Datagram first : wire) {
            assertThat(a.endpoint.repeatSegment(first.message, first.shim.segmentIndex(), a.port, a.now))
                    .isTrue();
            Datagram second = a.sent().get(0);
            assertThat(second.segment).isEqualTo(first.segment);
            assertThat(second.shim.padded()).isEqualTo(first.shim.padded());
            assertThat(second.shim.segmentSize()).isEqualTo(first.shim.segmentSize());
        }
        assertThat(a.count(DatagramCounter.SEGMENTS_REPEATED)).isEqualTo(wire.size());
    }

    @Tag("DG-11.5-2")
    @Test
    @DisplayName("A Read answered before its request is acknowledged can repeat it, and ends with the acknowledgement")
    void answeredBeforeAcknowledged() {
        a.read(1, toB, memory, 100, target, 0);
        Datagram request = a.sent().get(0);
        take(request);
        DatagramPeer peerB = new DatagramPeer().set(b.address, b.qpn, 0, 1472);
        a.take(b.sent().get(0), b.address, true, peerB);
        assertThat(a.sends).as("the request is still with the lower layer").isEmpty();

        a.read(2, toB, memory, 200, target, 0);
        a.sent();
        assertThat(a.endpoint.repeatSegment(request.message, 0, a.port, a.now)).isTrue();
        assertThat(a.sent().get(0).segment).isEqualTo(request.segment);
        a.endpoint.onAccepted(request.message, 1, a.now);
        assertThat(a.sends).containsExactly("1 SUCCESS");
    }

    @Tag("DG-11.5-4")
    @Test
    @DisplayName(
            "A Read whose request is accepted and not answered ends RESP_TIMEOUT_ERR at its deadline; a late answer is"
                    + " dropped")
    void deadline() {
        a.read(1, toB, memory, 5_000, target, 0);
        Datagram request = a.sent().get(0);
        a.pass(10_000 * MILLI);
        assertThat(a.sends).as("no deadline before the request is accepted").isEmpty();
        a.endpoint.onAccepted(request.message, 1, a.now);
        a.pass(1_005 * MILLI - 1);
        assertThat(a.sends).isEmpty();
        a.pass(1);
        assertThat(a.sends).containsExactly("1 RESP_TIMEOUT_ERR");
        take(request);
        DatagramPeer peerB = new DatagramPeer().set(b.address, b.qpn, 0, 1472);
        for (Datagram segment : b.sent()) {
            assertThat(a.take(segment, b.address, true, peerB)).isEqualTo(SegmentFate.DROPPED);
        }
        assertThat(a.count(DatagramCounter.RX_REPLY_UNMATCHED)).isEqualTo(4);
        assertThat(a.endpoint.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("Responses of the peer extend the deadline of a waiting Read, unless the Read has its own deadline")
    void waitsForItsTurn() {
        DatagramPeer peerB = new DatagramPeer().set(b.address, b.qpn, 0, 1472);
        a.read(1, toB, memory, 5_000, target, 0);
        a.read(2, toB, memory, 5_000, target, 0);
        a.post(DatagramOperation.Kind.RDMA_READ, 3, toB, op -> {
            op.remote(target.stag(), target.baseOffset()).deadlineNanos(2_000 * MILLI);
            op.memory().add(memory, 0, 5_000);
        });
        List<Datagram> requests = a.sent();
        requests.forEach(request -> a.endpoint.onAccepted(request.message, 1, a.now));
        take(requests.get(0));
        for (Datagram segment : b.sent()) {
            a.pass(900 * MILLI);
            a.take(segment, b.address, true, peerB);
        }
        assertThat(a.sends).containsExactly("3 RESP_TIMEOUT_ERR", "1 SUCCESS");
        a.pass(1_000 * MILLI);
        assertThat(a.sends).containsExactly("3 RESP_TIMEOUT_ERR", "1 SUCCESS", "2 RESP_TIMEOUT_ERR");
    }

    @Tag("DG-11-1")
    @Test
    @DisplayName("A response to no Read, or to an ended Read, is dropped without a violation")
    void answerToNothing() {
        a.read(1, toB, memory, 100, target, 0);
        Datagram request = a.sent().get(0);
        take(request);
        Datagram answer = b.sent().get(0);
        DatagramPeer peerB = new DatagramPeer().set(b.address, b.qpn, 0, 1472);
        a.take(answer, b.address, true, peerB);
        a.endpoint.onAccepted(request.message, 1, a.now);
        assertThat(a.sends).containsExactly("1 SUCCESS");
        assertThat(a.take(answer, b.address, true, peerB)).isEqualTo(SegmentFate.DROPPED);
        assertThat(a.count(DatagramCounter.RX_REPLY_UNMATCHED)).isEqualTo(1);
        assertThat(a.events).isEmpty();
    }

    @Test
    @DisplayName("Without a receive a Send is offered again after ready, and nothing is lost")
    void notReady() {
        a.send(1, toB, memory, 0, 3_000);
        List<Datagram> wire = a.sent();
        assertThat(take(wire.get(0))).isEqualTo(SegmentFate.NOT_READY);
        b.postReceive(1, target, 0, 5_000);
        assertThat(b.port.readies).isEqualTo(1);
        wire.forEach(this::take);
        assertThat(b.receives).containsExactly("1 SUCCESS 3000/3000 from 1001");
        assertThat(b.endpoint.nextTimeout()).as("no timers over a channel").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("With a full log a Write-Record waits, and is offered again when an entry is free")
    void logFull() {
        DatagramStation few = station(2, DatagramSettings.DEFAULT.with(DatagramLimit.WRITE_RECORD_LOG, 1));
        TaggedBuffer into = few.region(100);
        few.completionPlaces = 0;
        a.record(1, a.to(few), memory, 10, into, 0);
        a.record(2, a.to(few), memory, 10, into, 0);
        List<Datagram> wire = a.sent();
        assertThat(few.take(wire.get(0), a.address, true, peerA)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(few.take(wire.get(1), a.address, true, peerA)).isEqualTo(SegmentFate.NOT_READY);
        assertThat(few.events).isEmpty();
        few.sent();
        assertThat(few.port.readies).isZero();
        few.completionPlaces = 9;
        few.endpoint.completionsFreed();
        few.sent();
        assertThat(few.port.readies).isEqualTo(1);
        assertThat(few.take(wire.get(1), a.address, true, peerA)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(few.records).hasSize(2);
    }

    @Tag("DG-11.5-3")
    @Tag("DG-13-3")
    @Test
    @DisplayName("The Reads served for a peer are limited; the next one waits, and is offered again")
    void readsServed() {
        DatagramStation few = station(2, DatagramSettings.DEFAULT.with(DatagramLimit.READ_JOBS_PER_SOURCE, 1));
        TaggedBuffer from = few.random(3_000, 1);
        a.read(1, a.to(few), memory, 3_000, from, 0);
        a.read(2, a.to(few), memory, 3_000, from, 0);
        List<Datagram> wire = a.sent();
        assertThat(few.take(wire.get(0), a.address, true, peerA)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(few.take(wire.get(1), a.address, true, peerA)).isEqualTo(SegmentFate.NOT_READY);
        List<Datagram> answer = few.sent();
        assertThat(answer).hasSize(3).allMatch(d -> d.to == peerA);
        assertThat(few.endpoint.repeatSegment(answer.get(1).message, 1, few.port, few.now))
                .isTrue();
        few.sent();
        assertThat(few.port.readies).isZero();
        few.endpoint.onAccepted(answer.get(0).message, 3, few.now);
        assertThat(few.port.readies).isEqualTo(1);
        assertThat(few.take(wire.get(1), a.address, true, peerA)).isEqualTo(SegmentFate.ACCEPTED);
    }

    @Tag("DG-13-6")
    @Test
    @DisplayName(
            "If one host holds all jobs through blocked channels, another host waits until their deadlines, not longer")
    void readsOfOneHost() {
        DatagramStation few = station(
                2,
                DatagramSettings.DEFAULT
                        .with(DatagramLimit.READ_JOBS, 4)
                        .with(DatagramLimit.READ_NANOS, 100 * DatagramStation.MILLI));
        TaggedBuffer from = few.random(3_000, 1);
        few.port.admits = peer -> false;
        for (int i = 0; i < 4; i++) {
            a.read(i, a.to(few), memory, 3_000, from, 0);
        }
        List<Datagram> wire = a.sent();
        for (int port = 0; port < 4; port++) {
            DatagramAddress at = new DatagramAddress().setIpv4((int) a.address.low(), 5_000 + port);
            DatagramPeer peer = new DatagramPeer().set(at, a.qpn, 0, 1_472);
            assertThat(few.take(wire.get(port), at, true, peer)).isEqualTo(SegmentFate.ACCEPTED);
        }
        DatagramStation c = station(3, DatagramSettings.DEFAULT);
        c.read(1, c.to(few), c.region(3_000), 3_000, from, 0);
        Datagram asked = c.sent().get(0);
        DatagramPeer peerC = new DatagramPeer().set(c.address, c.qpn, 0, 1_472);
        assertThat(few.take(asked, c.address, true, peerC)).isEqualTo(SegmentFate.NOT_READY);
        few.pass(102 * DatagramStation.MILLI);
        assertThat(few.port.readies).isZero();
        few.pass(DatagramStation.MILLI);
        assertThat(few.port.readies).as("it is offered again").isEqualTo(1);
        assertThat(few.take(asked, c.address, true, peerC)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(few.count(DatagramCounter.READS_DISPLACED)).isEqualTo(1);
        assertThat(few.port.refusals).hasSize(1).allMatch(said -> said.contains("DATAGRAM_BUSY"));
    }

    @Test
    @DisplayName("A response to a peer without an address handle is segmented for the MTU of the queue pair")
    void answerToNobodyKnown() {
        DatagramStation wide = station(4, DatagramSettings.DEFAULT.with(DatagramLimit.ANSWER_MTU, 9_000));
        a.read(1, a.to(wide), memory, 20_000, wide.region(20_000), 0);
        DatagramPeer unknown = new DatagramPeer().set(a.address, a.qpn, 0, 0);
        wide.take(a.sent().get(0), a.address, true, unknown);
        assertThat(unknown.maximumDatagram()).isEqualTo(8_972);
        assertThat(wide.sent()).hasSize(3);
        DatagramPeer named = new DatagramPeer().set(a.address, a.qpn, 0, 1_472);
        a.read(2, a.to(wide), memory, 20_000, wide.region(20_000), 0);
        wide.take(a.sent().get(0), a.address, true, named);
        assertThat(named.maximumDatagram())
                .as("the value of the address handle has priority")
                .isEqualTo(1_472);
    }

    @Test
    @DisplayName("Reads to one peer beyond the limit wait")
    void readsAsked() {
        DatagramStation few = station(4, DatagramSettings.DEFAULT.with(DatagramLimit.RELIABLE_READS, 1));
        TaggedBuffer sink = few.region(10);
        DatagramDestination destination = few.to(b);
        few.read(1, destination, sink, 10, target, 0);
        few.read(2, destination, sink, 10, target, 0);
        List<Datagram> wire = few.sent();
        assertThat(wire).hasSize(1);
        b.take(wire.get(0), few.address, true, new DatagramPeer().set(few.address, few.qpn, 0, 1472));
        Datagram answer = b.sent().get(0);
        few.take(answer, b.address, true, destination.peer());
        assertThat(few.sends).as("not before the request is accepted").isEmpty();
        few.endpoint.onAccepted(wire.get(0).message, 1, few.now);
        assertThat(few.sends).containsExactly("1 SUCCESS");
        assertThat(few.sent()).hasSize(1);
    }

    @Test
    @DisplayName("A lost channel fails the sent and unaccepted operations; the others wait, or fail too")
    void channelLost() {
        TaggedBuffer sink = a.region(100);
        a.send(1, toB, memory, 0, 10);
        a.read(2, toB, sink, 100, target, 0);
        a.send(3, toB, memory, 0, 10);
        List<Datagram> wire = a.sent();
        a.endpoint.onAccepted(wire.get(0).message, 1, a.now);
        a.endpoint.onAccepted(wire.get(1).message, 1, a.now);
        a.send(4, toB, memory, 0, 5_000);
        a.send(5, toB, memory, 0, 10);
        int before = a.port.admissions;
        a.port.admits = peer -> a.port.admissions < before + 2;
        assertThat(a.sent()).hasSize(1);
        DatagramPeer same = new DatagramPeer().set(b.address, b.qpn, 0, 1472);
        a.endpoint.onChannelLost(same, OperationStatus.PEER_RESET, null, false, a.now);
        assertThat(a.sends).containsExactly("1 SUCCESS", "3 PEER_RESET", "2 PEER_RESET", "4 PEER_RESET");
        a.port.admits = peer -> true;
        List<Datagram> next = a.sent();
        assertThat(next).hasSize(1);
        a.endpoint.onChannelLost(same, OperationStatus.REM_ACCESS_ERR, TerminateCode.DDP_BASE_BOUNDS, true, a.now);
        assertThat(a.sends).contains("5 REM_ACCESS_ERR");
        assertThat(a.events).hasSize(2).allMatch(e -> e.startsWith("PEER_LOST"));
        assertThat(a.sendQueue.size()).isZero();
    }

    @Test
    @DisplayName("A lost channel ends its records and jobs, and does not affect other peers")
    void othersGoOn() {
        DatagramStation c = station(3, DatagramSettings.DEFAULT);
        DatagramPeer peerC = new DatagramPeer().set(c.address, c.qpn, 0, 1472);
        a.record(1, toB, memory, 5_000, target, 0);
        a.read(2, toB, memory, 5_000, target, 0);
        c.record(1, c.to(b), c.random(5_000, 1), 5_000, target, 5_000);
        List<Datagram> fromA = a.sent();
        List<Datagram> fromC = c.sent();
        take(fromA.get(0));
        take(fromA.get(4));
        b.take(fromC.get(0), c.address, true, peerC);
        b.endpoint.onChannelLost(peerA, OperationStatus.PEER_RESET, null, false, b.now);
        assertThat(b.records).extracting(r -> r.status().name()).containsExactly("ABORTED");
        assertThat(b.endpoint.openRecords()).isEqualTo(1);
        assertThat(b.sent()).as("no response to the lost peer").isEmpty();
        for (int i = 1; i < 4; i++) {
            b.take(fromC.get(i), c.address, true, peerC);
        }
        assertThat(b.records).hasSize(2);
    }

    @Test
    @DisplayName("Memory deregistered in the middle of a message ends the channel; its work request has the cause")
    void abandon() {
        TaggedBuffer gone = a.region(5_000);
        a.send(1, toB, gone, 0, 5_000);
        a.send(2, toB, memory, 0, 10);
        a.port.admits = peer -> a.port.admissions < 2;
        a.sent();
        a.port.onAbandon = () -> a.endpoint.onChannelLost(toB.peer(), OperationStatus.WR_FLUSH_ERR, null, true, a.now);
        a.table.deregister(gone);
        a.port.admits = peer -> true;
        a.sent();
        assertThat(a.port.abandoned).containsExactly(toB.peer());
        assertThat(a.sends).containsExactly("1 LOC_PROT_ERR", "2 WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("Memory deregistered before acceptance cannot be sent again")
    void cannotRepeat() {
        TaggedBuffer gone = a.region(3_000);
        a.send(1, toB, gone, 0, 3_000);
        List<Datagram> wire = a.sent();
        a.table.deregister(gone);
        assertThat(a.endpoint.repeatSegment(wire.get(0).message, 0, a.port, a.now))
                .isFalse();
        a.port.onAbandon = () -> a.endpoint.onChannelLost(toB.peer(), OperationStatus.WR_FLUSH_ERR, null, true, a.now);
        a.endpoint.deregistered(gone, a.now);
        a.endpoint.onChannelLost(toB.peer(), OperationStatus.WR_FLUSH_ERR, null, true, a.now);
        assertThat(a.sends).containsExactly("1 LOC_PROT_ERR");
    }

    @Test
    @DisplayName("In error all work is flushed and channels are closed; peers' messages are refused, not dropped")
    void stop() {
        a.send(1, toB, memory, 0, 10);
        a.send(2, toB, memory, 0, 10);
        a.sent();
        a.read(3, toB, memory, 10, target, 0);
        List<String> before = new ArrayList<>();
        a.port.onStop = () -> before.addAll(a.sends);
        a.endpoint.stop(a.now);
        assertThat(before)
                .as("channels are closed before work requests are used again")
                .isEmpty();
        assertThat(a.sends).containsExactlyInAnyOrder("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR");
        assertThat(a.port.abandoned).isEmpty();
        assertThat(a.events).isEmpty();
        b.send(1, b.to(a), target, 0, 10);
        assertThat(a.take(b.sent().get(0), b.address, true, toB.peer())).isEqualTo(SegmentFate.REFUSED);
        assertThat(a.endpoint.refusal()).isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        a.endpoint.resume();
        assertThat(a.port.resumed).isEqualTo(1);
    }

    @Test
    @DisplayName("A channel that ends while nothing is outstanding is no failure: no event")
    void idleChannelEnds() {
        a.endpoint.onChannelLost(toB.peer(), OperationStatus.PEER_RESET, null, false, a.now);
        assertThat(a.events).isEmpty();
        a.send(1, toB, memory, 0, 10);
        a.sent();
        a.endpoint.onChannelLost(toB.peer(), OperationStatus.PEER_RESET, null, false, a.now);
        assertThat(a.events).hasSize(1);
        a.endpoint.onChannelLost(toB.peer(), OperationStatus.RETRY_EXC_ERR, null, true, a.now);
        assertThat(a.events).hasSize(2);
    }

    @Test
    @DisplayName("No duplicate detection above the channel; Message Ids may be reused later")
    void noSeenSet() {
        a.record(1, toB, memory, 10, target, 0);
        Datagram record = a.sent().get(0);
        List<SegmentFate> fates = new ArrayList<>();
        fates.add(take(record));
        fates.add(take(record));
        assertThat(fates).containsOnly(SegmentFate.ACCEPTED);
        assertThat(b.records).hasSize(2);
    }
}
