package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.CLOSES;
import static dev.jwarp.conformance.app.Ability.CONFIGURE;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.READS;
import static dev.jwarp.conformance.app.Ability.SENDS;
import static dev.jwarp.conformance.app.Ability.WRITES;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.app.Application.SendKind;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The segments that a device sends: RFC 5041 §4 to §6, RFC 5040 §4 and §5, from the sender's side. */
final class SegmentCases {
    private static final long SINK = FramingCases.SINK;
    /** A length that needs more than two FPDUs, however large the TCP segments (RFC 5044 §3). */
    private static final int SEVERAL = 150_000;

    @Case(value = "DDP-4.1-1: sets L on the last segment of a Write and on no other", needs = WRITES)
    void oneLastOfAWrite(Trial trial) {
        List<Segment> all = write(trial, SEVERAL);
        for (int i = 0; i < all.size(); i++) {
            unless(all.get(i).last() == (i == all.size() - 1), "L on the last segment only", all.get(i));
        }
    }

    @Case(
            value = "DDP-4.1-1 DDP-4.1-4: sets L on the segment of a Send with the highest MO, and on no other",
            needs = SENDS)
    void oneLastOfASend(Trial trial) {
        List<Segment> all = send(trial, SEVERAL);
        long mo = -1;
        for (int i = 0; i < all.size(); i++) {
            unless(all.get(i).last() == (i == all.size() - 1), "L on the last segment only", all.get(i));
            if (all.get(i).mo() <= mo) {
                throw Deviation.from("DDP-5.2-1", "an MO above " + mo, all.get(i));
            }
            mo = all.get(i).mo();
        }
    }

    @Case(
            value = "DDP-4.1-2 RDMAP-4.1-2: sends reserved bits as zero",
            needs = {SENDS, WRITES})
    void reservedBitsZero(Trial trial) {
        each(some(trial), s -> s.ddpReserved() == 0 && s.rdmapReserved() == 0, "reserved bits of 0");
    }

    @Case(
            value = "DDP-4.1-3: sends DDP version 1",
            needs = {SENDS, WRITES})
    void ddpVersion(Trial trial) {
        each(some(trial), s -> s.ddpVersion() == 1, "DV 1");
    }

    @Case(
            value = "RDMAP-4.1-2: sends RDMAP version 1",
            needs = {SENDS, WRITES})
    void rdmapVersion(Trial trial) {
        each(some(trial), s -> s.rdmapVersion() == 1, "RV 1");
    }

    @Case(
            value = "RDMAP-4.1-1 RDMAP-6.1-1: gives each message its T bit and its queue",
            needs = {SENDS, WRITES, READS})
    void queues(Trial trial) {
        List<Segment> all = new ArrayList<>(some(trial));
        Talk talk = trial.open();
        trial.app().askReads(SINK, 0, 16, 1);
        all.add(talk.expectSegment("a Read Request"));
        for (Segment s : all) {
            Opcode opcode = s.opcode();
            unless(opcode != null, "a known opcode", s.opcodeNumber());
            unless(
                    opcode != null && s.tagged() == opcode.tagged() && (s.tagged() || s.queue() == opcode.queue()),
                    "the T bit and QN of its opcode",
                    s);
        }
    }

    @Case(value = "RDMAP-4.1-3: sends Invalidate STag as zero where it has no meaning", needs = SENDS)
    void invalidateZero(Trial trial) {
        each(send(trial, SEVERAL), s -> s.invalidate() == 0, "an Invalidate STag of 0");
    }

    @Case(value = "RDMAP-5.3-2 RDMAP-5.3-7: sends all kinds of Sends on queue 0", needs = SENDS)
    void sendsOnQueueZero(Trial trial) {
        Talk talk = trial.open();
        SendKind[] kinds = {SendKind.SEND, SendKind.SEND_SE, SendKind.SEND_INVALIDATE, SendKind.SEND_SE_INVALIDATE};
        Opcode[] opcodes = {Opcode.SEND, Opcode.SEND_SE, Opcode.SEND_INVALIDATE, Opcode.SEND_SE_INVALIDATE};
        for (int i = 0; i < kinds.length; i++) {
            trial.app().askSends(kinds[i], 20, 1, SINK);
            Segment s = talk.expect(opcodes[i]);
            unless(s.queue() == 0, "QN 0", s);
            if (opcodes[i].invalidates() && s.invalidate() != SINK) {
                throw Deviation.from("RDMAP-5.3-7", "the STag to invalidate", s);
            }
        }
    }

    @Case(value = "DDP-4.2-1: keeps STag and control bytes over a Write", needs = WRITES)
    void constantInAWrite(Trial trial) {
        each(
                write(trial, SEVERAL),
                s -> s.stag() == SINK && s.is(Opcode.WRITE),
                "STag and opcode of the first segment");
    }

    @Case(value = "DDP-4.3-3: keeps QN, MSN and Invalidate STag over a Send", needs = SENDS)
    void constantInASend(Trial trial) {
        List<Segment> all = send(trial, SEVERAL);
        Segment first = all.get(0);
        each(
                all,
                s -> s.msn() == first.msn() && s.queue() == first.queue() && s.invalidate() == first.invalidate(),
                "QN, MSN and Invalidate STag of the first segment");
    }

    @Case(
            value = "DDP-4.3-1 DDP-4.3-2 RDMAP-5.2.1-1: counts MSNs from 1, for each queue by itself",
            needs = {PROBE, READS})
    void countsFromOne(Trial trial) {
        Talk talk = trial.open();
        trial.app().askReads(SINK, 0, 16, 1);
        Segment read = talk.expectSegment("a Read Request");
        while (!read.is(Opcode.READ_REQUEST)) {
            read = talk.expectSegment("a Read Request");
        }
        int before = sends(talk).size();
        if (before > 0 && read.msn() == before + 1) {
            throw Deviation.from("DDP-4.3-2", "MSN 1, counted for queue 1 alone", read);
        }
        unless(read.msn() == 1 && read.queue() == 1, "QN 1, MSN 1", read);
        talk.send(Segment.response(read, Octets.pattern(16, 0)));
        trial.app().expectRead();
        long sends = 0;
        for (Segment s : sends(talk)) {
            unless(s.msn() == ++sends, "MSN " + sends + " on queue 0", s);
        }
        unless(sends > 0, "a Send", "none");
    }

    private static List<Segment> sends(Talk talk) {
        return talk.seen().stream()
                .map(Fpdu::segment)
                .filter(s -> s.is(Opcode.SEND))
                .toList();
    }

    @Case(value = "DDP-4.3-4 DDP-5.2-1: counts MO from 0 by the bytes sent", needs = SENDS)
    void messageOffsets(Trial trial) {
        long mo = 0;
        for (Segment s : send(trial, SEVERAL)) {
            unless(s.mo() == mo, "MO " + mo, s);
            mo += s.payload().length;
        }
        unless(mo == SEVERAL, "150,000 bytes", mo);
    }

    @Case(value = "DDP-5.2-2: counts TO by the bytes sent", needs = WRITES)
    void taggedOffsets(Trial trial) {
        long to = 16_384;
        for (Segment s : write(trial, SEVERAL)) {
            unless(s.to() == to, "TO " + to, s);
            to += s.payload().length;
        }
        unless(to == 16_384 + SEVERAL, "150,000 bytes", to - 16_384);
    }

    @Case(
            value = "DDP-5.2-3: sends a message of no bytes as one segment",
            needs = {SENDS, WRITES})
    void emptyMessages(Trial trial) {
        Talk talk = trial.open();
        trial.app().askSends(SendKind.SEND, 0, 1, 0);
        talk.expect("a Send of no bytes, in one segment with L=1", s -> isEmpty(s, Opcode.SEND));
        trial.app().askWrites(SINK, 0, 0, 1);
        talk.expect("an RDMA Write of no bytes, in one segment with L=1", s -> isEmpty(s, Opcode.WRITE));
    }

    private static boolean isEmpty(Segment segment, Opcode opcode) {
        return segment.is(opcode) && segment.last() && segment.payload().length == 0;
    }

    @Case(
            value = "DDP-5.2-6 DDP-5.3-4: sends all of a megabyte, in rising order",
            needs = {WRITES, SENDS})
    void megabyte(Trial trial) {
        Talk talk = trial.open();
        FramingCases.written(trial, talk, 1 << 20);

        trial.app().askSends(SendKind.SEND, 1 << 20, 1, 0);
        same(talk.expectMessage(Opcode.SEND), Octets.pattern(1 << 20, 0), "the bytes of the Send");
    }

    @Case(
            value = "DDP-5.2-6: keeps every segment within the MULPDU",
            needs = {CONFIGURE, SENDS},
            after = "MPA-4.5-2")
    void withinMulpdu(Trial trial) {
        Talk talk = trial.open(DeviceConfiguration.USUAL.withMss(1460));
        trial.app().askSends(SendKind.SEND, 100_000, 1, 0);
        talk.expectMessage(Opcode.SEND);
        int largest = FramingCases.largest(talk);
        unless(largest <= 1454, "a ULPDU of at most 1,454 bytes", largest);
    }

    @Case(
            value = "DDP-5.3-1 RDMAP-5.1-2: sends messages in the order in which they were posted",
            needs = {WRITES, SENDS})
    void order(Trial trial) {
        Talk talk = trial.open();
        trial.app().askWrites(SINK, 0, 100, 3);
        for (int i = 0; i < 3; i++) {
            Segment write = talk.expect(Opcode.WRITE);
            unless(write.to() == 100L * i, "the Writes in order, TO " + 100 * i, write);
        }
        trial.app().expectWritten();
        trial.app().askSends(SendKind.SEND, 50, 5, 0);
        for (int i = 0; i < 5; i++) {
            same(talk.expectMessage(Opcode.SEND), Octets.pattern(50, i), "the Sends in order, number " + i);
        }
    }

    @Case(value = "RDMAP-4.4-1: encodes a Read Request as the RFC draws it", needs = READS)
    void readRequest(Trial trial) {
        Talk talk = trial.open();
        trial.app().askReads(SINK, 0x1234_5678_9ABCL, 40, 1);
        Segment s = talk.expect(Opcode.READ_REQUEST);
        unless(s.payload().length == 28 && s.last(), "a header of 28 bytes, with L", s);
        unless(s.number(12, 4) == 40, "RDMA Read Message Size 40", s.number(12, 4));
        unless(s.number(16, 4) == SINK, "the source STag", Long.toHexString(s.number(16, 4)));
        unless(s.number(20, 8) == 0x1234_5678_9ABCL, "the source TO", Long.toHexString(s.number(20, 8)));
        unless(s.invalidate() == 0 && s.mo() == 0, "Invalidate STag and MO of 0", s);
    }

    @Case(
            value = "DDP-6.2.1-2: sends all posted messages before it ends the connection",
            needs = {CLOSES, WRITES},
            after = "DDP-6.2.1-4")
    void sentBeforeTheEnd(Trial trial) {
        Talk talk = trial.open();
        // The tester does not read these 8 MiB, so the Sends after them are still unsent when the program closes.
        trial.app().askWrites(SINK, 0, 1 << 20, 8);
        trial.app().askClose(100);
        talk.pause();
        FramingCases.messages(talk, Opcode.WRITE, 8);
        trial.app().expectWritten();
        FramingCases.messages(talk, Opcode.SEND, 100);
        talk.expectEnd();
    }

    private static List<Segment> write(Trial trial, int length) {
        Talk talk = trial.open();
        trial.app().askWrites(SINK, 16_384, length, 1);
        return message(talk, Opcode.WRITE, length);
    }

    private static List<Segment> send(Trial trial, int length) {
        Talk talk = trial.open();
        trial.app().askSends(SendKind.SEND, length, 1, 0);
        return message(talk, Opcode.SEND, length);
    }

    private static List<Segment> message(Talk talk, Opcode opcode, int length) {
        List<Segment> segments = new ArrayList<>();
        int octets = 0;
        do {
            segments.add(talk.expect(opcode));
            octets += segments.get(segments.size() - 1).payload().length;
        } while (!segments.get(segments.size() - 1).last());
        if (octets != length) {
            throw Deviation.from("DDP-4.1-1", "L when " + length + " bytes have come", "L after " + octets);
        }
        return segments;
    }

    private static void each(List<Segment> segments, Predicate<Segment> test, String expected) {
        segments.forEach(s -> unless(test.test(s), expected, s));
    }

    /** All segments of a Write and of a Send. */
    private static List<Segment> some(Trial trial) {
        List<Segment> all = new ArrayList<>(write(trial, SEVERAL));
        all.addAll(send(trial, SEVERAL));
        return all;
    }
}
