package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.Channel.FIRST;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.wire.Octets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** How a channel sends its datagrams: datagram-iWARP §11.3 to §11.6. */
final class SenderCases {
    /** A Send of so many bytes has several segments at a path MTU of 1500, of this size over IPv4. */
    private static final int SEGMENT = 1412;

    /** A channel that the device has opened for a Send of so many bytes. */
    private static Channel sending(DatagramTrial t, Exchange x, int length, int window) {
        t.program().postSend(t.program().peer(x), length, 1);
        return Channel.accept(x, x.expect(Kind.RD_OPEN), window);
    }

    /** What a repetition has byte for byte: all but Ack, Window, flag A and CRC. */
    private static byte[] bare(Datagram d) {
        return d.without(Datagram.A).put(28, 4, 0).put(32, 2, 0).bytes();
    }

    @Case(value = "DG-11.3-1 DG-11.3-4 DG-4.5-9: repeats DATA unchanged, at growing intervals", after = "DG-11.6-2")
    void repeats(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = sending(t, x, 3000, 64);
        Map<Long, Datagram> first = new TreeMap<>();
        int repetitions = 0;
        int probes = 0;
        List<Datagram> came = c.nextFlight();
        came.addAll(c.nextFlight());
        for (Datagram d : came) {
            Datagram before = first.putIfAbsent(d.get(24, 4), d);
            if (before != null) {
                boolean same = Arrays.equals(bare(d), bare(before));
                unless(same, "the PSN, Message Id, cut and payload of the first time: " + before, d);
                repetitions++;
                probes += d.has(Datagram.A) ? 1 : 0;
            }
        }
        unless(first.size() == 3, "three segments", first.size());
        unless(repetitions > 0 && probes > 0, "repetitions with A", repetitions + " repetitions");
        unless(repetitions <= 60, "ever slower repetitions: 60 at most", repetitions);
        c.acknowledge(first.size());
        t.completion().is(0, DeviceCompletion.SUCCESS);
        c.flight(1); // datagrams that were still on the way
        unless(c.flight(x.patience().quietMillis()).isEmpty(), "nothing after the acknowledgement", "more");
    }

    @Case("DG-11.3-2: sends nothing beyond the peer's window")
    void window(DatagramTrial t) {
        Channel c = sending(t, t.stranger(t.rd()), 8 * SEGMENT, 2);
        Set<Integer> came = new HashSet<>();
        for (int round = 0; round < 4; round++) {
            came.clear();
            // Ack + Window is the last PSN, except for one datagram that may be on the way.
            for (Datagram d : c.nextFlight()) {
                unless(c.ahead(d) < 3, "no PSN beyond Ack + Window", d);
                came.add(c.ahead(d));
            }
            unless(came.contains(0), "DATA with the PSN that is due", came);
            c.acknowledge(came.stream().filter(a -> a >= 0).count());
        }
    }

    @Case("DG-11.3-8: repeats a datagram that a SACK word reported and the receiver has given up")
    void givenUp(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = sending(t, x, 5 * SEGMENT, 64);
        int flight = underWay(x, c, 4);
        x.say(c.ack(false, -1L << (65 - flight)));
        c.flight(x.patience().quietMillis());
        c.acknowledge(1);
        // The window of the device may be small by now. An acknowledgement of repeated datagrams lets more come.
        for (int given = 1; given < flight; ) {
            Set<Integer> again = new HashSet<>();
            c.nextFlight().forEach(d -> again.add(c.ahead(d)));
            // The oldest datagram alone may be a probe (DG-11.3-4).
            boolean all = again.contains(0) && (given == flight - 1 || again.contains(1));
            unless(all, "PSN " + given + " of those given up, and the next, again", again);
            int run = 0;
            while (again.contains(run) && given < flight) {
                run++;
                given++;
            }
            c.acknowledge(run);
        }
        acknowledgeRest(x, c);
    }

    @Case("DG-11.3-3: repeats the datagrams that SACK shows to be lost, and no others")
    void selective(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = sending(t, x, 5 * SEGMENT, 64);
        int flight = underWay(x, c, 2);
        // All datagrams but the first have come.
        x.say(c.ack(false, -1L << (65 - flight)));
        Set<Integer> again = new HashSet<>();
        List<Datagram> more = c.nextFlight();
        more.forEach(d -> again.add(c.ahead(d)));
        unless(again.contains(0), "a repetition of the first PSN", again);
        // Datagrams that were on their way when the RD-ACK came do not count: the later half tells. New ones may come.
        for (Datagram d : more.subList(more.size() / 2, more.size())) {
            unless(c.ahead(d) == 0 || c.ahead(d) >= flight, "the first PSN alone", d);
        }
        t.notCompleted("a Send without its first PSN");
        c.acknowledge(flight);
        acknowledgeRest(x, c);
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }

    /** Number of datagrams that are under way at once, once there are so many; earlier ones are acknowledged. */
    private static int underWay(Exchange x, Channel c, int least) {
        int flight = underWay(x, c);
        for (int round = 0; round < 4 && flight < least; round++) {
            // A device that begins with one datagram sends more once that datagram is acknowledged.
            c.acknowledge(flight);
            flight = underWay(x, c);
        }
        if (flight < least) {
            throw new Skip("needs a device that has " + least + " datagrams under way");
        }
        return flight;
    }

    private static void acknowledgeRest(Exchange x, Channel c) {
        for (int rest = underWay(x, c); rest > 0; rest = underWay(x, c)) {
            c.acknowledge(rest);
        }
    }

    /**
     * Number of datagrams of a message of at most 5 or 6 that come without an acknowledgement, from the expected PSN
     * on.
     */
    private static int underWay(Exchange x, Channel c) {
        Set<Integer> came = new HashSet<>();
        boolean last = false;
        long end = x.elapsed() + x.patience().quietMillis();
        while (!last && x.elapsed() < end) {
            Datagram d = c.maybeData(end - x.elapsed());
            if (d != null && c.ahead(d) >= 0) {
                came.add(c.ahead(d));
                last = d.segment().last() && came.size() == c.ahead(d) + 1;
            }
        }
        int count = 0;
        while (came.contains(count)) {
            count++;
        }
        return count;
    }

    @Case("DG-11.3-6: asks for an acknowledgement of the last datagram of a message")
    void lastWantsAck(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        int peer = t.program().peer(x);
        t.program().postSend(peer, 40, 1);
        Channel c = Channel.accept(x);
        unless(c.expectData().has(Datagram.A), "flag A", "none");
        c.acknowledge();
        t.program().postSend(peer, 3 * SEGMENT, 1);
        for (int i = 0; i < 3; i++) {
            Datagram d = c.expectData();
            unless(!d.segment().last() || d.has(Datagram.A), "flag A on the last datagram", d);
        }
        c.acknowledge();
        t.completion().is(0, 0);
        t.completion().is(0, 0);
    }

    @Case("DG-11.3-7: sends probes only while the peer is not ready")
    void notReady(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = sending(t, x, 40 * SEGMENT, 64);
        c.anyData();
        x.say(c.ack(true));
        // Datagrams that were still on the way.
        c.flight(x.patience().quietMillis());
        x.say(c.ack(true));
        List<Datagram> probes = c.nextFlight();
        unless(!probes.isEmpty(), "probes", "nothing");
        for (Datagram d : probes) {
            unless(c.ahead(d) <= 1 && c.ahead(d) >= 0, "the two oldest alone", d);
        }
        unless(probes.size() <= 60, "60 probes at most", probes.size());
        // The tester becomes ready, and the whole Send comes.
        c.acknowledge();
        byte[] octets = Exchange.assembled(40 * SEGMENT, () -> {
            Datagram d = c.anyData();
            while (c.ahead(d) != 0) {
                c.acknowledge();
                d = c.anyData();
            }
            c.acknowledge(1);
            return d;
        });
        same(octets, pattern(octets.length, 1), "the bytes that were posted");
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }

    @Case("DG-11.5-1: completes a Send when all of it is acknowledged, not before")
    void completion(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = sending(t, x, 3 * SEGMENT, 64);
        c.anyData();
        x.say(c.ack(false, FIRST | (FIRST >>> 1)));
        t.program().noCompletion();
        c.acknowledge(2);
        t.program().noCompletion();
        c.acknowledge(1);
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }

    @Case("DG-11.5-2: completes a Read when its response has come")
    void readCompletes(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        t.program().post(t.program().peer(x), Message.READ_REQUEST, 300, 5, 5, 0, 0);
        Channel c = Channel.accept(x);
        Datagram request = c.expectData();
        unless(request.carries(Message.READ_REQUEST), "a Read Request", request);
        c.acknowledge();
        t.program().noCompletion();
        Message response = x.response(request, pattern(300, 1)).cut(256);
        x.say(c.data(response.datagram(0)));
        t.program().noCompletion();
        x.say(c.data(response.datagram(1)));
        DeviceCompletion done = t.completion().is(DeviceCompletion.READ, DeviceCompletion.SUCCESS);
        same(Arrays.copyOf(done.data(), 300), pattern(300, 1), "the bytes of the response");
        c.expectAck(c.next());
    }

    @Case("DG-11.5-4 DG-11-1: "
            + "ends a Read that is acknowledged and not answered at its deadline; a late response changes nothing")
    void readUnanswered(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        int deadline = 3 * (int) x.patience().quietMillis();
        t.program().post(t.program().peer(x), Message.READ_REQUEST, 300, 5, 5, 0, deadline);
        Channel c = Channel.accept(x);
        Datagram request = c.expectData();
        c.acknowledge();
        t.program().noCompletion();
        t.completion().is(DeviceCompletion.READ, DeviceCompletion.RESP_TIMEOUT_ERR);
        c.say(x.response(request, pattern(300, 1)));
        c.expectAck(c.next());
        t.program().noCompletion();
    }

    @Case("DG-11.6-1: fails the work in doubt when the peer ends the channel, and opens a new channel")
    void closed(DatagramTrial t) {
        for (boolean reflected : new boolean[] {false, true}) {
            Exchange x = t.stranger(t.rd());
            Channel c = sending(t, x, 40, 64);
            c.expectData();
            // Reason 3 shows the device's tag; reason 1, reflected, shows the tester's tag as if the device's DATA came
            // back.
            x.say(Bodies.reset(x, reflected ? c.mine() : c.theirs(), reflected, reflected ? 1 : 3, 0));
            t.completion().is(0, DeviceCompletion.PEER_RESET);
            t.program().postSend(t.program().peer(x), 40, 1);
            Datagram open = x.expect("RD-OPEN", d -> d.is(Kind.RD_OPEN) || d.key() == c.mine());
            while (!open.is(Kind.RD_OPEN)) {
                // Repetitions of the old channel that were still on the way.
                open = x.expect("RD-OPEN", d -> d.is(Kind.RD_OPEN) || d.key() == c.mine());
            }
            unless(open.get(24, 4) != c.theirs(), "a new tag", open);
            OpenerCases.sends(t, Channel.accept(x, open, 64));
        }
    }

    @Case("DG-11.6-5: ends refused work with the status for the code that the peer sent")
    void refused(DatagramTrial t) {
        int[][] codes = {{0x1100, DeviceCompletion.REM_ACCESS_ERR}, {0x1205, DeviceCompletion.REM_INV_REQ_ERR}};
        for (int[] code : codes) {
            Exchange x = t.stranger(t.rd());
            int peer = t.program().peer(x);
            t.program().post(peer, Message.WRITE_RECORD, 40, 5, 5, 1, 0);
            Channel c = Channel.accept(x);
            c.expectData();
            x.say(Bodies.reset(x, c.theirs(), false, 2, code[0]));
            t.completion().is(64, code[1]);
            c.flight(1); // datagrams that were still on the way
            // The peer's channel has failed: work for the peer is flushed until the channel is reset.
            t.program().postSend(peer, 40, 1);
            t.completion().is(0, DeviceCompletion.WR_FLUSH_ERR);
            t.program().reset(peer);
            t.program().postSend(peer, 40, 1);
            OpenerCases.sends(t, Channel.accept(x));
        }
    }

    /** A channel of the device, whose second Send is not acknowledged. */
    private static Channel silent(DatagramTrial t, Exchange x) {
        int peer = t.program().peer(x);
        t.program().postSend(peer, 100, 1);
        Channel c = Channel.accept(x, x.expect(Kind.RD_OPEN), 64);
        heard(x, Kind.DATA, x.patience().answerMillis());
        c.acknowledge(1);
        t.completion().is(0, DeviceCompletion.SUCCESS);
        t.program().postSend(peer, 100, 1);
        heard(x, Kind.DATA, x.patience().answerMillis());
        return c;
    }

    /** The next datagram of this Kind; others are skipped. */
    private static Datagram heard(Exchange x, Kind kind, long millis) {
        return x.await(kind.words(), millis, d -> d.is(kind));
    }

    @Case(value = "DG-11.3-19 DG-4.4-10: sends PATH-PROBEs to a silent peer", after = "DG-11.3-4")
    void asksWhetherThePathIsBack(DatagramTrial t) {
        Exchange x = t.stranger(t.rd()).hearsProbes();
        Channel c = silent(t, x);
        for (int i = 0; i < 3; i++) {
            Datagram d = heard(x, Kind.PATH_PROBE, x.patience().answerMillis());
            unless(d.has(Datagram.D) && d.key() == c.mine(), "a PATH-PROBE with the tag of the channel", d);
            unless(d.size() == Bodies.LEAST, "a PATH-PROBE of " + Bodies.LEAST + " bytes", d);
        }
    }

    @Case(value = "DG-11.3-19: repeats all outstanding datagrams at once when the path is back", after = "DG-11.3-4")
    void goesOn(DatagramTrial t) {
        Exchange x = t.stranger(t.rd()).hearsProbes();
        Channel c = silent(t, x);
        // A wait of one second for DATA: the next probe would follow after two.
        for (long before = x.elapsed(), wait = 0; wait < 1_000; before += wait) {
            heard(x, Kind.DATA, 15_000);
            wait = x.elapsed() - before;
        }
        Datagram probe = heard(x, Kind.PATH_PROBE, x.patience().answerMillis());
        byte[] answer = new Octets()
                .u32(0)
                .u64(probe.get(28, 8))
                .u16(probe.size())
                .u16(65_507)
                .zeros(16)
                .bytes();
        x.say(x.reply(Kind.PATH_REPLY, probe, answer).key(c.theirs()).and(Datagram.D));
        heard(x, Kind.DATA, 1_000);
        c.acknowledge(1);
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }
}
