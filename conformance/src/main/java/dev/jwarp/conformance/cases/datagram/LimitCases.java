package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Limits, states and numbers that are hard to guess: datagram-iWARP §13, §15, §17. */
final class LimitCases {
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

    @Case("DG-17-1 DG-17-2: gives regions STags and addresses that cannot be guessed")
    void unpredictable(DatagramTrial t) {
        List<Region> regions = Stream.generate(() -> t.program().region(Program.ALL, 4096))
                .limit(16)
                .toList();
        Set<Long> stags = new HashSet<>();
        Set<Long> steps = new HashSet<>();
        Set<Long> high = new HashSet<>();
        Set<Long> bases = new HashSet<>();
        for (int i = 0; i < regions.size(); i++) {
            Region r = regions.get(i);
            stags.add(r.stag());
            high.add(r.stag() >>> 24);
            bases.add(r.to() >>> 32);
            unless(r.to() >= 0 && r.to() < 1L << 62, "a TO base below 2^62", Long.toHexString(r.to()));
            if (i > 0) {
                steps.add(r.stag() - regions.get(i - 1).stag());
            }
        }
        // 16 random numbers fail this with a chance below one in a million.
        unless(stags.size() == 16 && steps.size() > 8 && high.size() > 5, "STags without a pattern", regions);
        unless(bases.size() > 8, "TO bases without a pattern", regions);
    }

    @Case("DG-13-3: answers every Read of many at once, by data or by NOTIFY 2/1/03")
    void manyReads(DatagramTrial t) {
        Exchange x = t.known();
        Region r = t.program().region(Program.REMOTE_READ, 16_384);
        // So few Reads that no socket loses an answer: each Read is answered, or exceeds the rate of NOTIFYs
        // (§9.3).
        boolean counted = !t.program().counters().isEmpty();
        Answers few = reads(t, x, r, 24, 4096);
        long held = counted ? Math.max(0, few.busy - few.refused) : few.refused < 10 ? 0 : 24 - few.refused;
        unless(few.served + few.refused + held >= 24, "24 Reads answered, by data or by NOTIFY", few);
        // So many Reads may lose answers on the way: the counters of the device decide.
        Answers many = reads(t, x, r, 400, 16_384);
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

    private static Answers reads(DatagramTrial t, Exchange x, Region r, int count, int length) {
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
