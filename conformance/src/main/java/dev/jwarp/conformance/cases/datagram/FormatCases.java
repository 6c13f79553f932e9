package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.DatagramTrial.SERVICE;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** CRC, shim, Key, segments and pad at a UD queue pair, other versions, and PATH-REPLY: datagram-iWARP §4 and §10. */
final class FormatCases {
    /** The async event for a VERSION LIST. */
    private static final int VERSION_LIST = 66;

    @Case("DG-4.1-2: drops a Send with a wrong CRC without an answer")
    void wrongCrc(DatagramTrial t) {
        Exchange x = t.known();
        byte[] changed = x.send(pattern(40, 3)).one().bytes();
        changed[60] ^= 4;
        byte[] good = x.send(pattern(40, 3)).one().bytes();
        byte[] swapped = good.clone();
        for (int i = 1; i <= 4; i++) {
            swapped[good.length - i] = good[good.length - 5 + i];
        }
        t.droppedOctets(x, "rx_crc", changed, swapped);
    }

    @Case("DG-4.1-2: always checks the CRC, also over the pad")
    void noWayAroundTheCrc(DatagramTrial t) {
        Exchange x = t.known();
        byte[] none = x.send(pattern(40, 3)).one().bytes();
        Arrays.fill(none, none.length - 4, none.length, (byte) 0);
        byte[] pad = x.send(pattern(40, 3)).padded(48).one().bytes();
        pad[pad.length - 6] ^= 1;
        t.droppedOctets(x, "rx_crc", none, pad);
    }

    /** An exchange with QPN 0 of a port that has a default queue pair. */
    private static Exchange byDefault(DatagramTrial t) {
        QueuePair made = t.program().queuePair(Program.UD, Program.BY_DEFAULT);
        t.program().receives(made, DatagramTrial.RECEIVE, 8);
        return t.known(new QueuePair(made.index(), 0, made.key(), made.longest(), made.longestRead()));
    }

    @Case("DG-4.2-2: answers a Read to QPN 0 from QPN 0, with the Read's Key and Message Id")
    void repliesFromTheDefaultQueuePair(DatagramTrial t) {
        Region region = t.program().region(Program.ALL, 512);
        Exchange x = byDefault(t);
        // Source QPN 0, the Key and the Message Id are compared here.
        byte[] came = x.ask(x.read(region, 0, 300), 300);
        same(came, pattern(300, 0), "the bytes of the region");
    }

    @Case("DG-4.2-7 DG-5.1-8: delivers a Send for QPN 0 to the default queue pair, and opens no channel through it")
    void defaultQueuePair(DatagramTrial t) {
        Exchange x = byDefault(t);
        t.program().queuePair(Program.RD, 0);
        t.delivered(x);
        t.dropped(x, "rx_qp_type", Bodies.open(x, 1, 1, 0, 64));
    }

    @Case("DG-4.2-5: does not use a QPN again within 4 s")
    void numbersAreNotUsedAgain(DatagramTrial t) {
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            QueuePair made = t.program().queuePair(i % 2 == 0 ? Program.UD : Program.RD, 0);
            unless(made.number() >= 16 && made.number() <= 0xFFFFFE, "a QPN of 16-0xFFFFFE", made.number());
            unless(numbers.add(made.number()), "20 different QPNs", "twice " + made.number());
            t.program().destroy(made);
        }
    }

    @Case("DG-4.5-2: drops a message that breaks a rule of shape, and does not answer")
    void wrongShapes(DatagramTrial t) {
        Exchange x = t.known();
        Message three = x.send(pattern(600, 5)).cut(256);
        Datagram first = three.datagram(0);
        Datagram last = three.datagram(2);
        Datagram one = x.send(pattern(5, 5)).one();
        t.dropped(
                x,
                "seg_shape",
                // A fourth segment of three, with an MO that fits.
                last.index(3).put(38, 4, 768),
                first.put(24, 1, 0x41),
                last.put(24, 1, 0x01),
                x.send(pattern(600, 5)).cut(252).datagram(0),
                x.send(pattern(600, 5)).cut(258).datagram(0),
                one.segmentSize(8),
                first.and(Datagram.P));
    }

    @Case(value = "DG-4.5-2 DG-4.5-5: drops datagrams with a wrong length or of too many segments", after = "DG-4.1-2")
    void wrongRoom(DatagramTrial t) {
        Exchange x = t.known();
        Region region = t.program().region(Program.ALL, 4096);
        Datagram one = x.send(pattern(5, 5)).one();
        Datagram record = x.record(region, 0, pattern(1000, 5)).cut(256).datagram(0);
        t.dropped(
                x,
                "seg_shape",
                one.resized(one.size() - 1),
                record.resized(record.size() - 4),
                record.length(65_536L * 256 + 1));
        t.dropped(
                x,
                DatagramTrial.ANY,
                one.segmentSize(0),
                one.resized(one.size() + 1),
                one.segmentSize(8).resized(one.size() + 3),
                record.resized(record.size() + 4));
    }

    @Case("DG-4.5-3: accepts a pad, and ignores its content")
    void pad(DatagramTrial t) {
        Exchange x = t.known();
        for (int pad : new int[] {1, 3, 43}) {
            Message message = x.send(pattern(21, pad)).padded(21 + pad);
            Datagram d = message.one();
            for (int i = 0; i < pad; i++) {
                d = d.put(d.size() - 5 - i, 1, 0xA5);
            }
            x.say(d);
            t.completion().received(x, message.payload());
        }
        t.delivered(x, x.send(pattern(300, 9)).padded(256));
        t.delivered(x, x.send().padded(4));
    }

    @Case("DG-4.5-1: accepts a message however it is divided")
    void anyCut(DatagramTrial t) {
        Exchange x = t.known();
        for (int size : new int[] {256, 260, 1024, 2996, 3000}) {
            t.delivered(x, x.send(pattern(3000, 4)).cut(size));
        }
    }

    @Case("DG-4.5-7: ignores RsvdULP and the reserved bits of DDP and RDMAP")
    void reservedBits(DatagramTrial t) {
        Exchange x = t.known();
        Message message = x.send(pattern(33, 2));
        x.say(message.one().put(24, 1, 0x41 | 0x3C).put(25, 1, 0x43 | 0x30).put(26, 4, 0xDEADBEEFL));
        t.completion().received(x, message.payload());
    }

    @Case("DG-4.6-1: refuses every opcode that datagrams do not have")
    void unexpectedOpcodes(DatagramTrial t) {
        Exchange x = t.known();
        for (int opcode : new int[] {4, 6, 7, 8, 9, 10, 11, 12, 13, 14}) {
            t.refused(x, "rdmap_opcode", 0x0206, x.untagged(opcode, pattern(8, 1)));
        }
        Region r = t.program().region(Program.ALL, 4096);
        Exchange y = t.known(x.theirs()); // another source: a source gets ten NOTIFYs in a second
        t.refused(y, "rdmap_opcode", 0x0206, y.write(r, 0, pattern(8, 1)));
    }

    @Case("DG-4.6-2: uses the next posted receive, whatever the order of the Message Ids")
    void order(DatagramTrial t) {
        Exchange x = t.known();
        Message first = x.send(pattern(10, 1));
        t.delivered(x, x.send(pattern(20, 2)));
        t.delivered(x, first);
    }

    @Case("DG-4.6-3: ignores the STag of a Write of no bytes")
    void emptyWrite(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x);
        c.say(x.tagged(Message.WRITE, 0xBAD0BADL, 5));
        c.delivers(t);
    }

    @Case("DG-4.6-3: ignores the STag of a Read of no bytes")
    void emptyRead(DatagramTrial t) {
        Exchange x = t.known();
        x.ask(x.read(0xBAD0BADL, 5, 0), 0);
        t.delivered(x);
    }

    @Case("DG-4.6-3: completes a Write-Record of no bytes if its STag is valid")
    void emptyRecord(DatagramTrial t) {
        Exchange x = t.known();
        Region region = t.program().region(Program.ALL, 4096);
        x.say(x.record(region, 5).one());
        t.completion().record(DeviceCompletion.SUCCESS, region, 5, 0, "").from(x);
        t.refused(x, "stag_invalid", 0x1100, x.record(region.stag() ^ 0x100, region.to() + 5));
    }

    @Case("DG-4.6-3: takes and sends a Send of no bytes")
    void emptySend(DatagramTrial t) {
        Exchange x = t.known();
        t.delivered(x, x.send());
        t.program().postSend(t.program().peer(x), 0, 1);
        Datagram came = x.expectSend();
        unless(came.length() == 0 && came.segmentSize() == 0, "Message Length 0 and S = 0", came);
    }

    @Case("DG-4.4-1 DG-5.2-10: names the offending segment in its NOTIFY")
    void notifyNamesItsSegment(DatagramTrial t) {
        Exchange x = t.known();
        Region region = t.program().region(Program.ALL, 4096);
        Message record =
                x.record(region.stag() ^ 0x1000, region.to(), pattern(700, 1)).cut(256);
        t.refused(x, "stag_invalid", 0x1100, record.datagram(1), record.datagram(2));
    }

    @Case("DG-4.1-1 DG-4.2-1 DG-4.3-2 DG-4.5-1: sends every message in segments that keep all rules of shape")
    void sentSegments(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        for (int length : new int[] {1, 1000, 1424, 1425, 5000}) {
            t.program().postSend(peer, length, length);
            sent(x, Message.SEND, length, 0);
            t.completion();
            t.program().post(peer, Message.WRITE_RECORD, length, 0x1234567, 0x700000000L, length, 0);
            sent(x, Message.WRITE_RECORD, length, 0x700000000L);
            t.completion();
        }
    }

    /** All segments of one message of the device; the form of each is checked on arrival. */
    private static void sent(Exchange x, int opcode, int length, long to) {
        Set<Long> ids = new HashSet<>();
        Set<Integer> sizes = new HashSet<>();
        byte[] came = Exchange.assembled(length, () -> {
            Datagram d = x.expect("a segment of the message", s -> s.carries(opcode));
            ids.add(d.id());
            sizes.add(d.segmentSize());
            unless(d.to() == x.number() && d.key() == x.key(), "our QPN and Q_Key", d);
            unless(d.from() == x.theirs().number(), "the device's QPN as the source", d);
            unless(ids.size() == 1, "the same Message Id in all segments", d);
            unless(sizes.size() == 1, "the same S in all segments", d);
            Segment s = d.segment();
            unless(!s.tagged() || s.to() == to + (long) d.index() * d.segmentSize(), "TO = base TO + i·S", d);
            return d;
        });
        same(came, pattern(length, length), "the bytes that were posted");
    }

    @Case("DG-4.5-4: divides messages into as few segments as a path MTU of 1500 allows")
    void largestSegments(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        boolean four = x.recorded().peer().getAddress().getAddress().length == 4;
        int untagged = four ? 1424 : 1404;
        int tagged = four ? 1428 : 1408;
        // Three segments, if each is as long as possible.
        t.program().postSend(peer, 3 * untagged, 1);
        Datagram send = x.expectSend();
        unless(send.segmentSize() == untagged, "S = " + untagged, send);
        t.program().post(peer, Message.WRITE_RECORD, 3 * tagged, 1, 1, 1, 0);
        Datagram record = x.await("a Write-Record", x.patience().answerMillis(), d -> d.carries(Message.WRITE_RECORD));
        unless(record.segmentSize() == tagged, "S = " + tagged, record);
    }

    @Case("DG-4.5-8: sends only datagrams that fit a path MTU of 1280")
    void smallPath(DatagramTrial t) {
        Exchange x = t.known();
        int most = x.recorded().peer().getAddress().getAddress().length == 4 ? 1252 : 1232;
        int peer = t.program().peer(x.theirs(), x.port(), x.number(), x.key(), 1280);
        t.program().postSend(peer, 4000, 1);
        for (int missing = 4000; missing > 0; ) {
            Datagram d = x.expectSend();
            unless(d.size() <= most, "at most " + most + " bytes of UDP payload", d.size() + ": " + d);
            missing -= d.payloadLength();
        }
    }

    @Case("DG-4.2-4 DG-4.2-5: gives consecutive Message Ids to its messages, and none twice")
    void messageIds(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        long last = -1;
        for (int i = 0; i < 40; i++) {
            t.program().postSend(peer, 8, i);
            Datagram d = x.expectSend();
            unless(last < 0 || d.id() == ((last + 1) & 0xFFFF_FFFFL), "Message Id %08X".formatted(last + 1), d);
            last = d.id();
        }
    }

    @Case("DG-17-3: fills every pad with zeros")
    void padIsZero(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        int posted = 12;
        for (int i = 0; i < posted; i++) {
            t.program().postSend(peer, 2500, i);
        }
        // The form of each is checked on arrival: a pad that is not zero would end the case.
        for (int missing = posted * 2500; missing > 0; ) {
            missing -= x.expectSend().payloadLength();
        }
        for (int i = 0; i < posted; i++) {
            t.completion();
        }
    }

    @Case("DG-7-13 DG-4.2-8: delivers a Send with solicited event, and sends one")
    void solicited(DatagramTrial t) {
        Exchange x = t.known();
        t.delivered(x, x.untagged(Message.SEND_SE, pattern(9, 1)));
        t.program().post(t.program().peer(x), Message.SEND_SE, 9, 0, 0, 1, 0);
        Datagram d = x.expect("a Send with SE", s -> s.carries(Message.SEND_SE));
        unless(!d.has(Datagram.R), "no flag R", d);
    }

    private static void list(Exchange x, Datagram offender) {
        Datagram list = x.ask(offender, Kind.VERSION_LIST);
        unless((list.get(16, 4) & 2) != 0, "version 1 in the VERSION LIST", list);
    }

    @Case("DG-4.7-1: answers another version by a VERSION LIST, for each type of queue pair and the resolver")
    void otherVersion(DatagramTrial t) {
        QueuePair ud = t.ud();
        t.program().service(SERVICE, ud);
        Exchange x = t.known(ud);
        list(x, x.send(pattern(5, 1)).one().version(2));
        list(x, x.question(Kind.DATA).version(15).kind(11));
        Exchange rd = t.stranger(t.rd());
        list(rd, Bodies.open(rd, 5, 5, 0, 64).version(3));
        Exchange asker = t.stranger(ud);
        list(asker, asker.resolve(SERVICE, Program.UD).version(2));
        t.delivered(x);
    }

    @Case("DG-4.7-2: does not answer another version in datagrams that it would drop")
    void otherVersionUnanswered(DatagramTrial t) {
        Exchange x = t.known();
        Datagram d = x.send(pattern(5, 1)).one().version(2);
        t.dropped(
                x,
                "rx_version",
                d.key(x.theirs().key() ^ 1),
                d.to(x.theirs().number() ^ 0x20),
                d.and(Datagram.R),
                d.and(Datagram.G),
                // No service, no resolver.
                x.resolve(SERVICE, Program.UD).version(2));
    }

    @Case("DG-4.7-2: never answers Version 0")
    void versionZero(DatagramTrial t) {
        Exchange x = t.known();
        t.dropped(
                x,
                "rx_version",
                x.send(pattern(5, 1)).one().version(0),
                x.question(Kind.VERSION_LIST).length(2).and(Datagram.R).resized(28));
    }

    @Case(value = "DG-4.7-2: sends VERSION LISTs at no more than the rate of NOTIFY", after = "DG-9.3-1")
    void rate(DatagramTrial t) {
        Exchange x = t.known();
        x.expectLimited(10, 25, () -> x.send(pattern(5, 1)).one().version(2));
        t.delivered(x);
    }

    @Case("DG-4.7-6: reports a VERSION LIST to its program, and goes on in its version")
    void listChangesNothing(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        t.program().postSend(peer, 5, 1);
        Datagram send = x.expectSend();
        // With a wrong Key the VERSION LIST matches nothing.
        x.say(Bodies.versions(x, send, 4).key(send.key() ^ 1));
        unless(t.program().event(x.patience().quietMillis()) == null, "no async event", "one");
        x.say(Bodies.versions(x, send, 4));
        Program.Notice told = t.program().event(x.patience().answerMillis());
        unless(told != null && told.type() == VERSION_LIST, "an async event about versions", told);
        t.program().postSend(peer, 5, 2);
        Datagram next = x.expectSend();
        unless(next.version() == 1, "version 1", next);
    }

    @Case("DG-10-15 DG-4.4-11: answers a PATH-PROBE with its token and its length, once")
    void answersProbe(DatagramTrial t) {
        Exchange x = t.known();
        for (int size : new int[] {Bodies.LEAST, Bodies.LEAST + 1, 600, 1_472}) {
            long token = x.anyNumber() << 32 | x.anyNumber();
            Datagram reply = x.ask(Bodies.probe(x, token, size), Kind.PATH_REPLY);
            unless(reply.get(28, 8) == token, "the token of the question", reply);
            unless(reply.get(36, 2) == size, "the length of the question: " + size, reply);
        }
        x.expectSilence();
        t.delivered(x);
    }

    @Case(value = "DG-6-12: counts the DATA of a peer in its PATH-REPLYs, from 1 on", after = "DG-10-15")
    void counts(DatagramTrial t) {
        Exchange x = t.known();
        long before = x.ask(Bodies.probe(x, 1, Bodies.LEAST), Kind.PATH_REPLY).get(40, 4);
        unless(before == 1, "1 for the first question", before);
        t.delivered(x);
        t.delivered(x);
        long after = x.ask(Bodies.probe(x, 2, Bodies.LEAST), Kind.PATH_REPLY).get(40, 4);
        unless(after == 3, "3 behind two datagrams of DATA", after);
    }
}
