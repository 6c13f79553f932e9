package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.suite.Case;
import java.util.Arrays;

/** DATA that is refused with a code: checks 11 to 19 of datagram-iWARP §5.2. */
final class RefusalCases {
    private static final int LENGTH = 4096;

    @Case("DG-5.2-1: refuses other versions of DDP and RDMAP")
    void versions(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Datagram send = x.send(pattern(8, 1)).one();
        Datagram record = x.record(r, 0, pattern(8, 1)).one();
        t.refused(x, "ddp_version", 0x1206, send.put(24, 1, 0x42), send.put(24, 1, 0x40));
        t.refused(x, "ddp_version", 0x1104, record.put(24, 1, 0xC2));
        t.refused(x, "rdmap_version", 0x0205, send.put(25, 1, 0x83), record.put(25, 1, 0x0F));
    }

    @Case("DG-5.2-3: refuses an opcode with the wrong T bit")
    void wrongBit(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        t.refused(
                x,
                "rdmap_opcode",
                0x0206,
                x.record(r, 0, pattern(8, 1)).one().put(25, 1, 0x43),
                x.send(pattern(8, 1)).one().put(25, 1, 0x4F),
                x.send(pattern(8, 1)).one().put(25, 1, 0x40));
    }

    @Case("DG-4.2-8 DG-5.2-3: refuses a Read Response without flag R")
    void responseWithoutR(DatagramTrial t) {
        Exchange x = t.known();
        t.refused(x, "rdmap_opcode", 0x0206, x.tagged(Message.READ_RESPONSE, 1, 1, pattern(8, 1)));
    }

    @Case("DG-5.2-3: refuses a wrong queue")
    void wrongQueue(DatagramTrial t) {
        Exchange x = t.known();
        Message send = x.send(pattern(600, 1)).cut(256);
        t.refused(x, "ddp_qn", 0x1201, send.datagram(0).put(30, 4, 1));
        t.refused(x, "ddp_qn", 0x1201, x.read(1, 1, 8).one().put(30, 4, 0));
    }

    @Case("DG-5.2-3: refuses a wrong MSN and a wrong MO")
    void wrongPlace(DatagramTrial t) {
        Exchange x = t.known();
        Message send = x.send(pattern(600, 1)).cut(256);
        t.refused(x, "ddp_mo", 0x1204, send.datagram(0).put(34, 4, send.id() + 1));
        t.refused(x, "ddp_mo", 0x1204, send.datagram(1).put(38, 4, 512));
        t.refused(x, "ddp_mo", 0x1204, send.datagram(0).put(38, 4, 4));
    }

    @Case("DG-5.2-6: refuses a message that is too long")
    void tooLong(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        long length = x.theirs().longest() + 4;
        // Segments of 16 KiB, so that there are at most 65,536 of them.
        byte[] part = pattern(32_768, 1);
        t.refused(
                x, "msg_too_long", 0x1205, x.send(part).cut(16_384).datagram(0).length(length));
        t.refused(
                x,
                "msg_too_long",
                0x2102,
                x.record(r, 0, part).cut(16_384).datagram(0).length(length));
    }

    @Case("DG-5.2-7 DG-4.5-9: drops a segment that does not agree with earlier ones of its message")
    void conflicts(DatagramTrial t) {
        t.program(false, 1000);
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Message record = x.record(r, 0, pattern(1000, 1)).cut(256);
        x.say(record, 0);
        Datagram second = record.datagram(1);
        t.dropped(
                x,
                "seg_conflict",
                second.length(1004),
                x.record(r, 0, pattern(1000, 1)).cut(260).datagram(1).id(record.id()),
                x.send(pattern(1000, 1)).cut(256).datagram(1).id(record.id()).put(34, 4, record.id()),
                second.put(30, 8, r.to() + 256 + 4),
                second.put(26, 4, r.stag() ^ 0x100));
        x.say(second, record.datagram(2), record.datagram(3));
        t.completion().record(0, r, 0, 1000, "0-1000").from(x);
    }

    @Case("DG-5.2-8: drops a Send that finds no receive, without an answer")
    void noReceive(DatagramTrial t) {
        QueuePair ud = t.program().queuePair(Program.UD, 0);
        Exchange x = t.known(ud);
        t.counted(x, "no_recv_wr", x.send(pattern(9, 1)).one());
        x.expectSilence();
        t.program().receives(ud, LENGTH, 1);
        t.delivered(x);
    }

    @Case("DG-5.2-9: refuses a Send that is longer than its receive, and keeps the receive")
    void smallReceive(DatagramTrial t) {
        QueuePair ud = t.program().queuePair(Program.UD, 0);
        t.program().receives(ud, 25, 1);
        Exchange x = t.known(ud);
        Datagram part = x.send(pattern(600, 1)).cut(256).datagram(1);
        // A Send of 25 bytes shows that the device works: it fits.
        t.refused(x, "recv_too_small", 0x1205, x.send(pattern(26, 1)).one(), part);
    }

    @Case("DG-5.2-10 DG-5.2-19: refuses writes to an STag that does not exist")
    void unknownStag(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Region gone = t.program().region(Program.ALL, LENGTH);
        t.program().deregister(gone);
        for (long stag : new long[] {r.stag() ^ 0x40_0000, r.stag() ^ 1, gone.stag()}) {
            t.refused(x, "stag_invalid", 0x1100, x.record(stag, r.to(), pattern(8, 1)));
        }
        untouched(t, r);
    }

    private static void untouched(DatagramTrial t, Region r) {
        same(t.program().peek(r, 0, LENGTH), pattern(LENGTH, 0), "the bytes of the region as they were");
    }

    @Case("DG-5.2-10 DG-5.2-19: refuses writes to a region without the right for them")
    void rights(DatagramTrial t) {
        Exchange x = t.known();
        Region noWrite = t.program().region(Program.RECORD, LENGTH);
        for (int rights : new int[] {Program.REMOTE_READ, Program.REMOTE_WRITE}) {
            Region noRecord = t.program().region(rights, LENGTH);
            t.refused(x, "stag_rights", 0x1100, x.record(noRecord, 0, pattern(8, 1)));
            untouched(t, noRecord);
        }
        x.say(x.record(noWrite, 0, pattern(8, 1)).one());
        t.completion().record(0, noWrite, 0, 8, "0-8");
        Exchange y = t.stranger(t.rd());
        Channel c = Channel.open(y).delivers(t);
        t.counted(y, "stag_rights", c.data(y.write(noWrite, 8, pattern(8, 1)).one()));
        Channel.expectReset(y, c.mine(), false, 2, 0x1100);
        byte[] rest = Arrays.copyOfRange(pattern(LENGTH, 0), 8, LENGTH);
        same(t.program().peek(noWrite, 8, rest.length), rest, "the bytes of the region as they were");
    }

    @Case("DG-5.2-10 DG-5.2-19: refuses writes to and Reads from a region of another domain, or of another peer")
    void otherPeers(DatagramTrial t) {
        Exchange x = t.known();
        Region foreign = t.program().foreign(LENGTH);
        Region bound = t.program().bound(x.theirs(), LENGTH);
        for (Region r : new Region[] {foreign, bound}) {
            t.refused(x, "stag_peer", 0x1102, x.record(r, 0, pattern(8, 1)));
            t.refused(x, "read_stag_peer", 0x0103, x.read(r, 0, 8));
            untouched(t, r);
        }
    }

    @Case("DG-5.2-10 DG-5.2-15: refuses ranges that wrap around")
    void wraps(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        t.refused(x, "to_wrap", 0x1103, x.record(r.stag(), -8, pattern(16, 1)));
        t.refused(x, "read_wrap", 0x0104, x.read(r.stag(), -8, 300));
    }

    @Case("DG-5.2-10 DG-5.2-19: refuses a message that is not wholly inside the region")
    void bounds(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        t.refused(x, "to_bounds", 0x1101, x.record(r, -1, pattern(8, 1)), x.record(r, LENGTH - 7, pattern(8, 1)));
        t.refused(
                x,
                "to_bounds",
                0x1101,
                x.record(r, LENGTH - 599, pattern(600, 1)).cut(256).datagram(0));
        untouched(t, r);
        x.say(x.record(r, LENGTH - 8, pattern(8, 1)).one());
        t.completion().record(0, r, LENGTH - 8, 8, "0-8");
    }

    @Case("DG-5.2-15: refuses a Read Request of another length, and a Read that is too long")
    void malformedReads(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        byte[] request = x.read(r, 0, 8).payload();
        for (int length : new int[] {0, 24, 27, 29, 32}) {
            t.refused(x, "read_malformed", 0x02FF, x.untagged(Message.READ_REQUEST, Arrays.copyOf(request, length)));
        }
        t.refused(x, "read_too_long", 0x2102, x.read(r, 0, x.theirs().longestRead() + 1));
    }

    @Case("DG-5.2-15: refuses Reads of memory that does not exist or is not granted")
    void forbiddenReads(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Region noRead = t.program().region(Program.REMOTE_WRITE | Program.RECORD, LENGTH);
        Region gone = t.program().region(Program.ALL, LENGTH);
        t.program().deregister(gone);
        t.refused(x, "read_stag_invalid", 0x0100, x.read(r.stag() ^ 2, r.to(), 8), x.read(gone, 0, 8));
        t.refused(x, "read_rights", 0x0102, x.read(noRead, 0, 8));
        t.refused(x, "read_bounds", 0x0101, x.read(r, LENGTH - 7, 8), x.read(r, -1, 8));
        x.ask(x.read(r, LENGTH - 8, 8), 8);
    }

    @Case("DG-5.2-18: does not answer a wrong reply")
    void badReplies(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        t.program().post(peer, Message.READ_REQUEST, 300, 5, 5, 0, 2000);
        Datagram request = x.expect("a Read Request", d -> d.carries(Message.READ_REQUEST));
        Datagram response = x.response(request, pattern(300, 1)).cut(256).datagram(0);
        // A Send in the form of an answer: with R, and all other fields as the Read expects them.
        t.counted(x, "rdmap_opcode", response.put(25, 1, 0x43));
        t.counted(x, "rdmap_version", response.put(25, 1, 0x82));
        x.expectSilence();
        x.say(x.response(request, pattern(300, 1)));
        t.completion().is(DeviceCompletion.READ, 0);
    }
}
