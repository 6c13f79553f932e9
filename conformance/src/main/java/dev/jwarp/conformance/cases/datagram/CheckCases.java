package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.DatagramTrial.SERVICE;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.suite.Case;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Datagrams that are dropped by the first checks, checks 1 to 9 of datagram-iWARP §5.1, or in the error state (§15). */
final class CheckCases {
    /** The body of a NOTIFY. */
    private static final byte[] CODE = {0x12, 0x05, 0, 0};

    /** One good datagram of every Kind except DATA; the queue pair of the exchange has nothing outstanding. */
    private static List<Datagram> everyKind(Exchange x) {
        return List.of(
                x.question(Kind.NOTIFY, CODE),
                x.question(Kind.CHALLENGE, pattern(16, 1)),
                x.resolve(SERVICE, Program.UD),
                Bodies.resolved(x, 0, Program.UD, 0xABCD, 5, 0),
                Bodies.open(x, 5, 5, 0, 64),
                Bodies.accept(x, 5, 5, 5, 5, 5, 64),
                Bodies.ack(x, 5, 5, 64, false),
                Bodies.reset(x, 5, false, 3, 0));
    }

    @Case("DG-5.1-1: drops a datagram that is too short for a shim, a header, an extension or a body")
    void tooShort(DatagramTrial t) {
        Exchange x = t.known();
        Datagram send = x.send(pattern(5, 1)).one();
        Datagram record = x.record(1, 1, pattern(5, 1)).one();
        List<Datagram> wrong = new ArrayList<>(List.of(
                send.resized(27),
                send.resized(28),
                send.resized(45),
                record.resized(41),
                send.cookie(pattern(16, 1)).resized(40)));
        everyKind(x).forEach(d -> wrong.add(d.resized(d.size() - 1)));
        t.dropped(x, "rx_short", wrong.toArray(Datagram[]::new));
        t.droppedOctets(x, "rx_short", new byte[0]);
    }

    @Case(value = "DG-5.1-2 DG-4.1-2: applies the first check that fails, and no later one", after = "DG-5.1-4")
    void orderOfChecks(DatagramTrial t) {
        Exchange x = t.known();
        // A wrong CRC precedes another version, which would be answered.
        byte[] version = x.send(pattern(5, 1)).one().version(2).bytes();
        version[30] ^= 1;
        t.droppedOctets(x, "rx_crc", version);
        // A wrong Key precedes an opcode that would be answered, an unknown QPN the Key, flags both.
        Datagram opcode = x.untagged(7, pattern(5, 1)).one();
        t.dropped(x, "rx_key", opcode.key(x.theirs().key() ^ 1));
        t.dropped(x, "rx_qpn", opcode.to(x.theirs().number() ^ 0x40).key(1));
        t.dropped(x, "rx_flags", opcode.and(0x40).to(x.theirs().number() ^ 0x40).key(1));
    }

    @Case("DG-5.1-3: drops Kinds that version 1 does not have")
    void unknownKinds(DatagramTrial t) {
        Exchange x = t.known();
        Datagram send = x.send(pattern(20, 1)).one();
        t.dropped(x, "rx_kind", send.kind(9), send.kind(14), send.kind(15));
    }

    @Case("DG-5.1-4: drops DATA with flags that do not go together")
    void flagsOfData(DatagramTrial t) {
        Exchange x = t.known();
        Datagram d = x.send(pattern(60, 1)).one();
        t.dropped(
                x,
                "rx_flags",
                d.flags(0x40),
                d.flags(0x80),
                d.flags(Datagram.A),
                d.flags(Datagram.R | Datagram.C),
                d.flags(Datagram.R | Datagram.G),
                d.flags(Datagram.C | Datagram.D),
                d.flags(Datagram.C | Datagram.G),
                d.flags(Datagram.D | Datagram.G));
    }

    @Case("DG-5.1-4 DG-4.2-1: drops every Kind with a flag or a field of the shim that the Kind does not have")
    void flagsOfEveryKind(DatagramTrial t) {
        Exchange x = t.known();
        List<Datagram> wrong = new ArrayList<>();
        for (Datagram d : everyKind(x)) {
            wrong.add(d.flags(d.flags() ^ Datagram.R));
            wrong.add(d.and(Datagram.P));
            wrong.add(d.and(0x80));
            if (!d.is(Kind.NOTIFY)) {
                wrong.add(d.index(1));
                wrong.add(d.segmentSize(1));
            }
        }
        t.dropped(x, "rx_flags", wrong.toArray(Datagram[]::new));
    }

    @Case("DG-5.1-5: drops every Kind whose Message Length is not that of its body, or that is too long")
    void lengthOfEveryKind(DatagramTrial t) {
        Exchange x = t.known();
        Stream<Datagram> wrong = everyKind(x).stream().map(d -> d.length(d.length() + 1));
        t.dropped(x, "rx_malformed", wrong.toArray(Datagram[]::new));
        Stream<Datagram> longer = everyKind(x).stream().map(d -> d.resized(d.size() + 1));
        t.dropped(x, DatagramTrial.ANY, longer.toArray(Datagram[]::new));
    }

    @Case("DG-5.1-5: drops NOTIFY, RESOLVE and RESOLVED with values that are not legal")
    void valuesOfBodies(DatagramTrial t) {
        Exchange x = t.known();
        t.program().service(SERVICE, x.theirs());
        Datagram resolve = x.resolve(SERVICE, Program.UD);
        Datagram resolved = Bodies.resolved(x, 0, Program.UD, 0xABCD, 5, 0);
        Datagram refused = Bodies.resolved(x, 2, 0, 0, 0, 0);
        t.dropped(
                x,
                "rx_malformed",
                x.question(Kind.NOTIFY, new byte[] {0x12, 0x05, 1, 0}),
                resolve.put(32, 1, 0),
                resolve.put(32, 1, 4),
                resolve.put(33, 1, 1),
                resolve.put(38, 2, 1),
                resolve.put(36, 2, 217).length(16 + 217),
                resolved.put(24, 1, 6),
                refused.put(28, 4, 0xABCD),
                resolved.put(25, 1, 0),
                resolved.put(25, 1, 3),
                resolved.put(28, 4, 0x0100_0000),
                resolved.put(50, 2, 1),
                resolved.resized(56 + 217).put(48, 2, 217).length(28 + 217));
    }

    @Case("DG-5.1-5: drops datagrams of channels with values that are not legal")
    void valuesOfChannels(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Exchange alive = t.known();
        Datagram open = Bodies.open(x, 5, 5, 0, 64);
        Datagram accept = Bodies.accept(x, 5, 5, 5, 5, 5, 64);
        Datagram ack = Bodies.ack(x, 5, 5, 64, false);
        Datagram reset = Bodies.reset(x, 5, false, 3, 0);
        Datagram data = Channel.framed(x.send(pattern(9, 1)).one(), 5, 5, 5, 64, 0);
        t.dropped(
                () -> t.delivered(alive),
                x,
                "rx_malformed",
                open.put(24, 4, 0),
                open.put(36, 2, 0),
                open.put(38, 2, 1),
                accept.put(24, 4, 0),
                accept.put(36, 2, 0),
                accept.put(38, 2, 1),
                ack.put(28, 2, 0),
                ack.put(30, 1, 4),
                ack.resized(60 + 8 * 129).put(31, 1, 129).length(32 + 8 * 129),
                ack.put(40, 4, 1),
                reset.put(24, 1, 2),
                reset.put(25, 1, 0),
                reset.put(25, 1, 5),
                reset.put(28, 2, 0x1100),
                reset.put(25, 1, 2).put(30, 1, 1),
                reset.put(26, 2, 1),
                data.put(34, 2, 1),
                data.put(32, 2, 0));
    }

    @Case("DG-5.4-1 DG-5.1-5: drops a datagram from a QPN that its Kind cannot come from")
    void illegalSources(DatagramTrial t) {
        Exchange x = t.known();
        Datagram send = x.send(pattern(5, 1)).one();
        t.dropped(
                x,
                "rx_malformed",
                send.from(0),
                send.from(1),
                send.from(2),
                send.from(15),
                send.from(0xFFFFFF),
                x.resolve(SERVICE, Program.UD).from(x.number()),
                Bodies.ack(x, 5, 5, 64, false).from(0),
                x.question(Kind.NOTIFY, CODE).from(0xFFFFFF));
    }

    @Case("DG-5.1-6: drops a datagram with flag G at a socket without a group")
    void groupFlag(DatagramTrial t) {
        Exchange x = t.known();
        Datagram send = x.send(pattern(5, 1)).one().and(Datagram.G);
        t.dropped(x, "rx_group", send, send.to(Datagram.GROUP));
    }

    @Case("DG-5.1-7: drops a datagram for a QPN that does not exist")
    void unknownQueuePairs(DatagramTrial t) {
        Exchange x = t.known();
        Datagram send = x.send(pattern(5, 1)).one();
        // QPN 0, too: this port has no default queue pair.
        t.dropped(x, "rx_qpn", send.to(x.theirs().number() ^ 0x10), send.to(2), send.to(Datagram.GROUP), send.to(0));
    }

    @Case("DG-5.1-8: drops Kinds that the queue pair does not take")
    void wrongTypes(DatagramTrial t) {
        QueuePair rd = t.rd();
        Exchange x = t.known();
        t.program().service(SERVICE, x.theirs());
        Datagram send = x.send(pattern(60, 1)).one();
        Datagram resolve = x.resolve(SERVICE, Program.UD);
        t.dropped(
                x,
                "rx_qp_type",
                Channel.framed(send, 5, 5, 5, 64, 0),
                send.to(rd.number()).key(rd.key()),
                x.question(Kind.NOTIFY, CODE).to(rd.number()),
                Bodies.open(x, 5, 5, 0, 64),
                Bodies.ack(x, 5, 5, 64, false),
                resolve.to(x.theirs().number()).key(x.theirs().key()),
                send.to(Datagram.RESOLVER).key(Datagram.RESOLVER_KEY));
    }

    @Case("DG-5.1-9: drops questions with a wrong Key, without an answer")
    void wrongKeys(DatagramTrial t) {
        QueuePair rd = t.rd();
        Exchange x = t.known();
        Region region = t.program().region(Program.ALL, 4096);
        t.program().service(SERVICE, x.theirs());
        long key = x.theirs().key();
        t.dropped(
                x,
                "rx_key",
                x.send(pattern(5, 1)).one().key(key ^ 1),
                x.send(pattern(5, 1)).one().key(0),
                x.record(region, 0, pattern(5, 1)).one().key(key ^ 0x80000000L),
                x.read(region, 0, 5).one().key(key ^ 1),
                x.resolve(SERVICE, Program.UD).key(Datagram.RESOLVER_KEY ^ 1),
                Bodies.open(x, 5, 5, 0, 64).to(rd.number()).key(rd.key() ^ 1));
    }

    @Case("DG-5.1-10: drops replies to questions that it did not ask")
    void repliesToNothing(DatagramTrial t) {
        Exchange x = t.known();
        t.program().service(SERVICE, x.theirs());
        Datagram request = x.read(1, 1, 8).one();
        Datagram response =
                x.response(request, pattern(8, 1)).one().to(x.theirs().number()).from(x.number());
        t.dropped(
                x,
                "rx_reply_unmatched",
                x.question(Kind.NOTIFY, CODE),
                x.question(Kind.CHALLENGE, pattern(16, 1)),
                response,
                Bodies.resolved(x, 0, Program.UD, 0xABCD, 5, 0));
    }

    @Case("DG-15-1: flushes its receives in the error state, and receives nothing there")
    void errorState(DatagramTrial t) {
        Exchange x = t.known();
        Exchange alive = t.known();
        t.program().fail(x.theirs());
        for (int i = 0; i < 32; i++) {
            t.completion().is(DeviceCompletion.RECEIVE, DeviceCompletion.WR_FLUSH_ERR);
        }
        t.counted(x, "rx_qpn", x.send(pattern(9, 1)).one());
        // A wrong Key changes nothing.
        t.counted(x, "rx_qpn", x.send(pattern(9, 1)).one().key(x.theirs().key() ^ 1));
        x.expectSilence();
        t.delivered(alive);
        t.program().ready(x.theirs());
        t.program().receives(x.theirs(), DatagramTrial.RECEIVE, 1);
        t.delivered(x);
    }
}
