package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** RDMA Read on both sides: datagram-iWARP §8, §5.5 and §13. */
final class DatagramReadCases {
    /** An arbitrary STag and TO of the tester, without memory. */
    private static final long STAG = 0x0C0FFEE1;

    private static final long TO = 0x1_0000_0000L;
    /** Milliseconds that a Read of the device waits in cases without an answer. */
    private static final int SHORT = 300;

    private static Datagram asked(DatagramTrial t, Exchange x, int length, int millis) {
        t.program().post(t.program().peer(x), Message.READ_REQUEST, length, STAG, TO, 0, millis);
        Datagram d = x.expect("a Read Request", r -> r.carries(Message.READ_REQUEST));
        Segment s = d.segment();
        unless(d.length() == 28 && s.number(12, 4) == length, "a Read Request for " + length + " bytes", d);
        unless(s.number(16, 4) == STAG && s.number(20, 8) == TO, "the STag and TO that were posted", d);
        return d;
    }

    private static void read(DatagramTrial t, int length, int seed) {
        DeviceCompletion c = t.completion().is(DeviceCompletion.READ, DeviceCompletion.SUCCESS);
        unless(c.data().length <= length, "no more than the " + length + " bytes asked for", c.data().length);
        same(c.data(), pattern(c.data().length, seed), "the bytes of the answer");
    }

    /** A reply of the tester with three fields changed, each alone: none of them matches the question. */
    private static Datagram[] misdirected(Datagram reply) {
        return new Datagram[] {reply.key(reply.key() ^ 1), reply.id(reply.id() + 1), reply.from(reply.from() ^ 0x100)};
    }

    @Case("DG-8-1 DG-4.1-6: answers a Read with the bytes asked for, into the sink of the request")
    void served(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.REMOTE_READ, 8192);
        for (int length : new int[] {1, 4, 1000, 1428, 1429, 5000}) {
            byte[] came = x.ask(x.read(r, 16, length), length);
            same(came, Arrays.copyOfRange(pattern(8192, 0), 16, 16 + length), "the bytes of the region");
        }
        x.expectSilence();
    }

    @Case(value = "DG-8-8: does not answer a copy of a Read Request", after = "DG-5.3-1")
    void copyOfRequest(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.REMOTE_READ, 4096);
        Message read = x.read(r, 0, 100);
        x.ask(read, 100);
        t.dropped(x, "late", read.one());
    }

    @Case("DG-8-2: shows no STag of its own as the sink of a Read")
    void randomSink(DatagramTrial t) {
        Exchange x = t.known();
        t.program().region(Program.ALL, 4096);
        Segment one = asked(t, x, 100, SHORT).segment();
        Segment two = asked(t, x, 100, SHORT).segment();
        for (Segment s : new Segment[] {one, two}) {
            unless(s.number(8, 4) == 0, "a sink TO with 32 low bits of zero", Long.toHexString(s.number(4, 8)));
        }
        boolean differ = one.number(0, 4) != two.number(0, 4) && one.number(4, 4) != two.number(4, 4);
        unless(differ, "another sink STag and TO for each Read", "the same");
        // A device that mistakes the sink for an STag gets no data.
        x.ask(x.record(one.number(0, 4), one.number(4, 8), pattern(8, 1)).one(), 0x1100);
        x.ask(x.read(two.number(0, 4), two.number(4, 8), 8).one(), 0x0100);
    }

    @Case("DG-8-3 DG-8-9 DG-8-7: ends a Read that is not answered at its deadline, and does not ask again")
    void unanswered(DatagramTrial t) {
        Exchange x = t.known();
        Datagram request = asked(t, x, 600, 3 * (int) x.patience().quietMillis());
        x.expectSilence();
        x.expectSilence();
        t.completion().is(DeviceCompletion.READ, DeviceCompletion.RESP_TIMEOUT_ERR);
        Message response = x.response(request, pattern(600, 1)).cut(256);
        t.dropped(x, "rx_reply_unmatched", response.datagram(0), response.datagram(2));
    }

    @Case("DG-8-3: reports the parts of an incomplete Read that came")
    void partlyAnswered(DatagramTrial t) {
        Exchange x = t.known();
        Datagram request = asked(t, x, 1000, SHORT);
        x.say(x.response(request, pattern(1000, 1)).cut(256), 3, 1);
        t.completion().is(DeviceCompletion.READ, DeviceCompletion.PARTIAL).covers("256-512,768-1000");
        t.delivered(x);
    }

    @Case("DG-8-6: accepts the segments of a response in any order")
    void responsesInAnyOrder(DatagramTrial t) {
        Exchange x = t.known();
        Datagram request = asked(t, x, 1500, 5000);
        Message response = x.response(request, pattern(1500, 1)).cut(256);
        Message other = x.response(request, pattern(1500, 2)).cut(256);
        x.say(response, 5, 3, 4, 0, 1);
        t.dropped(x, "dup_segment", other.datagram(3));
        x.say(response, 2);
        read(t, 1500, 1);
        Datagram whole = asked(t, x, 40, 5000);
        x.say(x.response(whole, pattern(40, 3)).padded(44));
        read(t, 40, 3);
        Datagram nothing = asked(t, x, 0, 5000);
        x.say(x.response(nothing));
        t.completion().is(DeviceCompletion.READ, DeviceCompletion.SUCCESS);
    }

    @Case("DG-8-4: ends a Read with the error of a NOTIFY that answers it")
    void refused(DatagramTrial t) {
        Exchange x = t.known();
        int[][] codes = {
            {0x0100, DeviceCompletion.REM_ACCESS_ERR},
            {0x0103, DeviceCompletion.REM_ACCESS_ERR},
            {0x01FF, DeviceCompletion.REM_ACCESS_ERR},
            {0x02FF, DeviceCompletion.REM_INV_REQ_ERR},
            {0x2102, DeviceCompletion.REM_INV_REQ_ERR},
            {0x2103, DeviceCompletion.REM_OP_ERR}
        };
        for (int[] code : codes) {
            Datagram request = asked(t, x, 600, 5000);
            x.say(Bodies.notify(x, request, code[0]));
            t.completion().is(DeviceCompletion.READ, code[1]);
        }
        t.delivered(x);
    }

    @Case("DG-5.5-1 DG-8-5: accepts a response only if all copied fields are right")
    void matching(DatagramTrial t) {
        Exchange x = t.known();
        Exchange elsewhere = t.stranger(x.theirs());
        Datagram request = asked(t, x, 40, 5000);
        Datagram wrong = x.response(request, pattern(40, 9)).one();
        t.dropped(
                x,
                "rx_reply_unmatched",
                wrong.key(wrong.key() ^ 1),
                wrong.id(wrong.id() + 1),
                wrong.from(wrong.from() ^ 0x100),
                wrong.put(26, 4, wrong.get(26, 4) ^ 1),
                wrong.put(30, 8, wrong.get(30, 8) + 4),
                x.response(request, pattern(44, 9)).one());
        t.counted(elsewhere, "rx_reply_unmatched", wrong);
        t.notCompleted("a Read that still waits");
        x.say(x.response(request, pattern(40, 1)));
        read(t, 40, 1);
    }

    @Case("DG-5.5-1 DG-9.3-4: accepts a NOTIFY only if it answers an outstanding question")
    void matchingNotify(DatagramTrial t) {
        Exchange x = t.known();
        t.program().postSend(t.program().peer(x), 40, 1);
        Datagram send = x.expectSend();
        t.completion();
        Datagram wrong = Bodies.notify(x, send, 0x1205);
        t.dropped(x, "rx_reply_unmatched", misdirected(wrong));
        unless(t.program().event(0) == null, "no async event", "one");
    }

    @Case("DG-4.2-4 DG-5.5-2: asks a Read again with the cookie of a CHALLENGE, at most twice")
    void challenged(DatagramTrial t) {
        Exchange x = t.known();
        Datagram request = asked(t, x, 40, 3000);
        for (int i = 1; i <= 2; i++) {
            x.say(x.reply(Kind.CHALLENGE, request, pattern(16, i)));
            x.expectAgain(request.cookie(pattern(16, i)));
        }
        x.say(x.reply(Kind.CHALLENGE, request, pattern(16, 3)));
        x.expectSilence();
        x.say(x.response(request, pattern(40, 1)));
        read(t, 40, 1);
    }

    @Case("DG-8-10: repeats all Reads after one CHALLENGE, and none twice with the same cookie")
    void challengedAll(DatagramTrial t) {
        Exchange x = t.known();
        Datagram[] requests = {asked(t, x, 40, 3000), asked(t, x, 40, 3000), asked(t, x, 40, 3000)};
        byte[] cookie = pattern(16, 1);
        x.say(x.reply(Kind.CHALLENGE, requests[1], cookie));
        Set<Long> again = new HashSet<>();
        for (int i = 0; i < requests.length; i++) {
            Datagram next = x.expect(
                    "a Read Request with the cookie of the CHALLENGE",
                    d -> d.carries(Message.READ_REQUEST) && Arrays.equals(d.slice(24, 40), cookie));
            unless(again.add(next.id()), "each Read once", next);
        }
        for (Datagram request : requests) {
            unless(again.contains(request.id()), "the Read of Message Id " + request.id() + " again", again);
            x.say(x.reply(Kind.CHALLENGE, request, cookie));
        }
        x.expectSilence();
        for (Datagram request : requests) {
            x.say(x.response(request, pattern(40, 1)));
            read(t, 40, 1);
        }
    }

    @Case("DG-5.5-1: takes a CHALLENGE only if it answers its Read")
    void matchingChallenge(DatagramTrial t) {
        Exchange x = t.known();
        Datagram request = asked(t, x, 40, 3000);
        Datagram wrong = x.reply(Kind.CHALLENGE, request, pattern(16, 1));
        t.dropped(x, "rx_reply_unmatched", misdirected(wrong));
        x.say(wrong);
        x.expectAgain(request.cookie(pattern(16, 1)));
    }

    @Case("DG-15-2: ends a Read whose sink is deregistered")
    void sinkGone(DatagramTrial t) {
        Exchange x = t.known();
        Datagram request = asked(t, x, 600, 5000);
        t.program().fail(x.theirs());
        t.completionAfterReceives().is(DeviceCompletion.READ, DeviceCompletion.WR_FLUSH_ERR);
        x.say(x.response(request, pattern(600, 1)));
        x.expectSilence();
    }

    @Case("DG-13-3: answers every Read of many at once, by data or by NOTIFY 2/1/03")
    void manyReads(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.REMOTE_READ, 16_384);
        // So few Reads that no socket loses an answer: each Read is answered, or exceeds the rate of NOTIFYs
        // (§9.3).
        boolean counted = !t.program().counters().isEmpty();
        Answers few = answers(t, x, r, 24, 4096);
        long held = counted ? Math.max(0, few.busy - few.refused) : few.refused < 10 ? 0 : 24 - few.refused;
        unless(few.served + few.refused + held >= 24, "24 Reads answered, by data or by NOTIFY", few);
        // So many Reads may lose answers on the way: the counters of the device decide.
        Answers many = answers(t, x, r, 400, 16_384);
        unless(many.served > 0, "Reads that are served", many);
        if (counted) {
            unless(many.busy == 0 || many.refused > 0, "NOTIFY 2/1/03 for Reads that are refused", many);
            unless(many.refused <= many.busy, "a NOTIFY 2/1/03 for each Read that is refused at most", many);
            if (many.taken + many.busy < 400) {
                throw new Inconclusive("400 Reads were asked, but the device has not counted them all: " + many);
            }
        }
        t.delivered(x);
    }

    /**
     * Results of many Reads.
     *
     * @param served number of Reads with data
     * @param refused number of Reads with a NOTIFY
     * @param taken number of Reads that the device counted as good; 0 if it does not report its counters
     * @param busy number of Reads that the device counted as refused; 0 if it does not report its counters
     */
    private record Answers(int served, int refused, long taken, long busy) {}

    private static Answers answers(DatagramTrial t, Exchange x, Region r, int count, int length) {
        Set<Long> open = new HashSet<>();
        Set<Long> served = new HashSet<>();
        int refused = 0;
        Map<String, Long> before = t.program().counters();
        for (int i = 0; i < count; i++) {
            Message read = x.read(r, 0, length);
            open.add(read.id());
            x.say(read);
        }
        long began = x.elapsed();
        long millis = x.patience().answerMillis();
        for (Datagram d = x.hear(millis); d != null; d = x.hear(x.patience().quietMillis())) {
            if (d.is(Kind.NOTIFY)) {
                unless(d.get(24, 2) == 0x2103, "NOTIFY 2/1/03", d);
                refused++;
            } else {
                unless(d.carries(Message.READ_RESPONSE) && open.contains(d.id()), "a Read Response to one of them", d);
                served.add(d.id());
            }
        }
        long seconds = (x.elapsed() - began) / 1_000 + 1;
        unless(refused <= 10 * (seconds + 1), "10 NOTIFYs in a second at most", refused);
        Map<String, Long> moves = t.moves(before);
        return new Answers(
                served.size(), refused, moves.getOrDefault("rx_ok", 0L), moves.getOrDefault("read_busy", 0L));
    }
}
