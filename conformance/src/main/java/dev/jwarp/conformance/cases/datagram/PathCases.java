package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.Channel.FIRST;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.wire.Octets;

/** Information about the path, and RD-ACK: datagram-iWARP §10 and §11.2. */
final class PathCases {
    /** Bytes of the shortest PATH-PROBE. */
    static final int LEAST = 60;

    static Datagram probe(Exchange x, long token, int size) {
        byte[] body = new Octets()
                .u32(0)
                .u64(token)
                .u16(65_507)
                .zeros(2 + size - LEAST + 16)
                .bytes();
        return x.question(Kind.PATH_PROBE, body);
    }

    @Case("DG-10-15 DG-4.4-11: answers a PATH-PROBE with its token and its length, once")
    void answersProbe(DatagramTrial t) {
        Exchange x = t.known();
        for (int size : new int[] {LEAST, LEAST + 1, 600, 1_472}) {
            long token = x.anyNumber() << 32 | x.anyNumber();
            Datagram reply = x.ask(probe(x, token, size), Kind.PATH_REPLY);
            unless(reply.get(28, 8) == token, "the token of the question", reply);
            unless(reply.get(36, 2) == size, "the length of the question: " + size, reply);
        }
        x.expectSilence();
        t.delivered(x);
    }

    @Case(value = "DG-6-12: counts the DATA of a peer in its PATH-REPLYs, from 1 on", after = "DG-10-15")
    void counts(DatagramTrial t) {
        Exchange x = t.known();
        long before = x.ask(probe(x, 1, LEAST), Kind.PATH_REPLY).get(40, 4);
        unless(before == 1, "1 for the first question", before);
        t.delivered(x);
        t.delivered(x);
        long after = x.ask(probe(x, 2, LEAST), Kind.PATH_REPLY).get(40, 4);
        unless(after == 3, "3 behind two datagrams of DATA", after);
    }

    @Case(value = "DG-11.2-10 DG-4.4-6: numbers RD-ACKs, and names the latest PSN and duplicates", after = "DG-11.2-2")
    void numbers(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x);
        long due = c.next();
        byte[] first = pattern(30, 1);
        byte[] second = pattern(40, 2);
        Datagram early = c.data(x.send(second).one(), due + 1, Datagram.A);
        Datagram missing = c.data(x.send(first).one(), due, Datagram.A);
        x.say(early);
        Datagram one = c.expectAck(due, false, FIRST);
        unless(one.id() == 0, "number 0 for the first RD-ACK", one);
        unless(one.get(36, 4) == ((due + 1) & 0xFFFF_FFFFL), "the PSN that came last as echo", one);
        x.say(early);
        Datagram two = c.expectAck(due, false, FIRST);
        unless(two.id() == 1, "number 1 for the second RD-ACK", two);
        if (two.get(48, 4) != one.get(48, 4) + 1) {
            throw Deviation.from("DG-11.2-10", "one duplicate more", two);
        }
        unless(two.get(52, 4) == ((due + 1) & 0xFFFF_FFFFL), "the PSN of the duplicate", two);
        x.say(missing);
        Datagram three = c.expectAck(due + 2);
        unless(three.id() == 2, "number 2 for the third RD-ACK", three);
        unless(three.get(36, 4) == due, "the PSN that came last as echo", three);
        t.completion().received(x, first);
        t.completion().received(x, second);
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
            unless(d.size() == LEAST, "a PATH-PROBE of " + LEAST + " bytes", d);
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
