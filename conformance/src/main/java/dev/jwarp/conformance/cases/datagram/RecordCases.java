package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.suite.Case;
import java.util.List;

/** Messages with segments that come late, twice, in another order or not at all: datagram-iWARP §7 and §5.3. */
final class RecordCases {
    private static final int LENGTH = 8192;

    @Case("DG-7-1: assembles a message from segments in any order")
    void anyOrder(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Message send = x.send(pattern(1500, 1)).cut(256);
        x.say(send, 5, 0, 3, 1, 4, 2);
        t.completion().received(x, send.payload());
        x.say(x.record(r, 64, pattern(1500, 2)).cut(256), 5, 4, 3, 2, 1, 0);
        t.completion().record(DeviceCompletion.SUCCESS, r, 64, 1500, "0-1500").from(x);
        same(t.program().peek(r, 64, 1500), pattern(1500, 2), "the bytes of the message in the region");
        x.expectSilence();
    }

    @Case("DG-7-2 DG-5.3-1: ends an incomplete Write-Record once, as PARTIAL with its validity map")
    void partial(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Message record = x.record(r, 0, pattern(2000, 3)).cut(256);
        x.say(record, 5, 1, 2);
        DeviceCompletion c = t.completion()
                .record(DeviceCompletion.PARTIAL, r, 0, 2000, "256-768,1280-1536")
                .from(x);
        unless(c.octets() == 768, "768 bytes placed", c);
        byte[] expected = pattern(2048, 0);
        System.arraycopy(record.payload(), 256, expected, 256, 512);
        System.arraycopy(record.payload(), 1280, expected, 1280, 256);
        same(t.program().peek(r, 0, 2048), expected, "the bytes that came, and no others");
        t.program().noCompletion();
        t.delivered(x);
    }

    @Case("DG-7-2: reports a Write-Record of which only the last segment came")
    void lastAlone(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        x.say(x.record(r, 100, pattern(600, 3)).cut(256), 2);
        t.completion().record(DeviceCompletion.PARTIAL, r, 100, 600, "512-600").from(x);
        t.delivered(x);
    }

    @Case("DG-7-3: uses the receive of an incomplete Send for the next Send")
    void lostSend(DatagramTrial t) {
        t.program(false, (int) t.patience().quietMillis() / 2);
        QueuePair ud = t.program().queuePair(Program.UD, 0);
        // The program posts receives of 600 and of 10 bytes. The lost Send takes the first. The next Send has 25 bytes,
        // and fits into the first receive only: it is delivered only if that receive was released.
        t.program().receives(ud, 600, 1);
        t.program().receives(ud, 10, 1);
        Exchange x = t.known(ud);
        Message lost = x.send(pattern(600, 3)).cut(256);
        x.say(lost, 2, 0);
        t.program().noCompletion();
        t.delivered(x);
        x.expectSilence();
    }

    @Case("DG-7-11: waits for a message that comes slowly but evenly")
    void slowly(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        for (int left = 2; left >= 0; left--) {
            Message slow = x.record(r, 0, pattern(2_000, 5)).cut(256);
            for (int i = 0; i < 7; i++) {
                x.say(slow, i);
                x.hear(120);
            }
            // Longer than T_idle, and less than eight times the interval of the other segments.
            x.hear(500);
            x.say(slow, 7);
            DeviceCompletion c = t.completion();
            // A pause of a busy machine may have made the segments come unevenly.
            if (left == 0 || c.status() != DeviceCompletion.PARTIAL) {
                c.record(DeviceCompletion.SUCCESS, r, 0, 2_000, "0-2000").from(x);
                return;
            }
        }
    }

    @Case("DG-7-4: reports an incomplete Send if its program wants that")
    void incompleteSend(DatagramTrial t) {
        QueuePair ud = t.program().queuePair(Program.UD, Program.REPORT);
        t.program().receives(ud, 2048, 2);
        Exchange x = t.known(ud);
        Message lost = x.send(pattern(1000, 3)).cut(256);
        x.say(lost, 3, 1);
        t.completion().is(DeviceCompletion.RECEIVE, DeviceCompletion.INCOMPLETE).covers("256-512,768-1000");
        t.delivered(x);
    }

    @Case("DG-7-5 DG-13-5: replaces the oldest record of a source by the newest, and reports EVICTED")
    void evicted(DatagramTrial t) {
        t.program(false, 2000);
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        int most = 65_536;
        DeviceCompletion c = null;
        for (int i = 0; c == null; i++) {
            unless(i < most, "a record to be evicted", "none of " + most);
            x.say(x.record(r, i % 1000, pattern(600, 1)).cut(256), i % 2);
            c = i % 8 == 7 ? t.program().completion(0) : null;
        }
        c.record(DeviceCompletion.EVICTED, r, 0, 600, "0-256").from(x);
    }

    @Case("DG-7-6: ends a record as ABORTED when its region or its queue pair is released")
    void aborted(DatagramTrial t) {
        t.program(false, 2000);
        Exchange x = t.known();
        Region first = t.program().region(Program.ALL, LENGTH);
        Region second = t.program().region(Program.ALL, LENGTH);
        x.say(x.record(first, 0, pattern(600, 1)).cut(256), 1);
        t.delivered(x);
        t.program().deregister(first);
        t.completion()
                .record(DeviceCompletion.ABORTED, first, 0, 600, "256-512")
                .from(x);
        x.say(x.record(second, 0, pattern(600, 1)).cut(256), 0);
        t.delivered(x);
        t.program().fail(x.theirs());
        t.completionAfterReceives()
                .record(DeviceCompletion.ABORTED, second, 0, 600, "0-256")
                .from(x);
        x.expectSilence();
    }

    @Case("DG-7-7 DG-5.3-1: does not place a segment twice")
    void doubled(DatagramTrial t) {
        t.program(false, 1000);
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Message record = x.record(r, 0, pattern(600, 1)).cut(256);
        Message other = x.record(r, 0, pattern(600, 2)).cut(256);
        x.say(record, 0);
        t.dropped(x, "dup_segment", other.datagram(0).id(record.id()), record.datagram(0));
        x.say(record, 1, 2);
        t.completion().record(DeviceCompletion.SUCCESS, r, 0, 600, "0-600");
        same(t.program().peek(r, 0, 600), pattern(600, 1), "the bytes that came first");
        t.dropped(x, "late", other.datagram(0).id(record.id()), record.datagram(2));
        same(t.program().peek(r, 0, 600), pattern(600, 1), "the bytes that came first");
    }

    @Case(value = "DG-7-8: does not place a segment that comes after its message has ended", after = "DG-5.3-1")
    void late(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Message record = x.record(r, 0, pattern(600, 1)).cut(256);
        x.say(record, 0);
        t.completion().record(DeviceCompletion.PARTIAL, r, 0, 600, "0-256");
        t.dropped(x, "late", record.datagram(1), record.datagram(2));
        byte[] expected = pattern(600, 0);
        System.arraycopy(pattern(600, 1), 0, expected, 0, 256);
        same(t.program().peek(r, 0, 600), expected, "what was there before the late segments");
    }

    @Case("DG-5.3-1: delivers a message once, even if it arrives twice")
    void copies(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        List<Message> messages = List.of(
                x.send(pattern(30, 1)),
                x.send(pattern(600, 1)).cut(256),
                x.record(r, 0, pattern(30, 1)),
                x.record(r, 0, pattern(600, 1)).cut(256));
        for (Message message : messages) {
            x.say(message);
            DeviceCompletion c = t.completion();
            unless(c.status() == DeviceCompletion.SUCCESS, "a completion that says SUCCESS", c);
        }
        for (Message message : messages) {
            t.dropped(x, "late", message.datagram(message.count() - 1));
        }
    }

    @Case("DG-5.3-2: accepts the repetition of a Send that was dropped for lack of a receive")
    void askedAgain(DatagramTrial t) {
        QueuePair ud = t.program().queuePair(Program.UD, 0);
        Exchange x = t.known(ud);
        Message send = x.send(pattern(40, 1));
        t.counted(x, "no_recv_wr", send.one());
        x.expectSilence();
        t.program().receives(ud, DatagramTrial.RECEIVE, 2);
        t.delivered(x, send);
        t.delivered(x);
    }

    @Case("DG-5.3-3: has no window of Message Ids")
    void farAhead(DatagramTrial t) {
        Exchange x = t.known();
        Message next = x.send(pattern(10, 1));
        for (long jump : new long[] {0x7FFF_FFFFL, 0xFFFF_FF00L, 0x1_0000}) {
            long id = (next.id() + jump) & 0xFFFF_FFFFL;
            x.say(x.send(pattern(20, 2)).one().id(id).put(34, 4, id));
            t.completion().received(x, pattern(20, 2));
        }
        t.delivered(x, next);
        t.delivered(x);
    }

    @Case("DG-7-9: places an RDMA Write, and reports nothing")
    void writes(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Region r = t.program().region(Program.ALL, LENGTH);
        Channel c = Channel.open(x);
        c.say(x.write(r, 8, pattern(600, 1)).cut(256));
        c.delivers(t);
        same(t.program().peek(r, 8, 600), pattern(600, 1), "the bytes of the first Write");
        c.say(x.write(r, 8, pattern(600, 2)).padded(612));
        c.delivers(t);
        same(t.program().peek(r, 8, 600), pattern(600, 2), "the bytes of the second Write");
        t.program().noCompletion();
    }

    @Case("DG-7-10: keeps a map of its own for each of two records on one range")
    void overlapping(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        Message first = x.record(r, 0, pattern(600, 1)).cut(256);
        Message second = x.record(r, 128, pattern(600, 2)).cut(256);
        x.say(first.datagram(0), second.datagram(1), first.datagram(2), second.datagram(2));
        // Both records may be found overdue at once.
        DeviceCompletion one = t.completion();
        DeviceCompletion two = t.completion();
        boolean inOrder = one.to() == r.to();
        (inOrder ? one : two).record(DeviceCompletion.PARTIAL, r, 0, 600, "0-256,512-600");
        (inOrder ? two : one).record(DeviceCompletion.PARTIAL, r, 128, 600, "256-600");
        t.delivered(x);
    }

    @Case("DG-7-11: waits for T_idle from the last new segment on")
    void idleFromTheLast(DatagramTrial t) {
        int idle = 400;
        t.program(false, idle);
        Exchange x = t.known();
        Region r = t.program().region(Program.ALL, LENGTH);
        for (int attempt = 0; attempt < 5; attempt++) {
            Message record = x.record(r, 0, pattern(1200, 1)).cut(256);
            long began = x.elapsed();
            long before = began;
            long longest = 0;
            for (int i = 0; i < 5; i++) {
                x.say(record.datagram(i));
                // Pauses shorter than T_idle, together longer, and shorter than T_max.
                unless(i == 4 || x.hear(idle / 3) == null, "no answer", "one");
                longest = Math.max(longest, x.elapsed() - before);
                before = x.elapsed();
            }
            DeviceCompletion c = t.completion();
            if (longest < idle - 50 && x.elapsed() - began < 1000) {
                c.record(DeviceCompletion.SUCCESS, r, 0, 1200, "0-1200");
                return;
            }
        }
        throw new Inconclusive("the tester is too slow to keep a record open");
    }

    @Case("DG-7-12: completes messages in the order in which they end")
    void orderOfEnds(DatagramTrial t) {
        t.program(false, 1000);
        Exchange x = t.known();
        Message long1 = x.send(pattern(600, 1)).cut(256);
        Message short1 = x.send(pattern(30, 2));
        x.say(long1, 0);
        x.say(short1);
        x.say(long1, 1, 2);
        t.completion().received(x, short1.payload());
        t.completion().received(x, long1.payload());
    }

    @Case("DG-7-14: keeps messages of different sources apart")
    void sourcesApart(DatagramTrial t) {
        Exchange x = t.known();
        Exchange y = t.known(x.theirs());
        Region r = t.program().region(Program.ALL, LENGTH);
        Message record = x.record(r, 0, pattern(600, 1)).cut(256);
        x.say(record, 0);
        t.delivered(x);
        y.say(record.datagram(1).from(y.number()), record.datagram(2).from(y.number()));
        two(t, r, x.number(), "0-256", y.number(), "256-600");
        // The same port with another QPN is another peer too.
        Message again = x.record(r, 0, pattern(600, 1)).cut(256);
        int other = x.number() ^ 0x800;
        x.say(again.datagram(0), again.datagram(1).from(other));
        two(t, r, x.number(), "0-256", other, "256-512");
    }

    /** Checks that the records of 600 bytes of these two sources both end, in any order. */
    private static void two(DatagramTrial t, Region r, int from, String ranges, int other, String otherRanges) {
        for (int i = 0; i < 2; i++) {
            DeviceCompletion c = t.completion();
            unless(c.from() == from || c.from() == other, "a completion for each of two sources", c);
            c.record(DeviceCompletion.PARTIAL, r, 0, 600, c.from() == from ? ranges : otherRanges);
        }
    }

    @Case("DG-13-5: does not let incomplete Sends of one source hold all receives")
    void receivesHeld(DatagramTrial t) {
        t.program(false, 3000);
        QueuePair ud = t.program().queuePair(Program.UD, 0);
        t.program().receives(ud, 1024, 16);
        Exchange bad = t.known(ud);
        Exchange good = t.known(ud);
        for (int i = 0; i < 40; i++) {
            bad.say(bad.send(pattern(600, 1)).cut(256), 0);
        }
        for (int i = 0; i < 4; i++) {
            t.delivered(good);
        }
    }
}
