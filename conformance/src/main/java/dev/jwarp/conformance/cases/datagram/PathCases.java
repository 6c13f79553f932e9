package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.Exchange.pattern;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.wire.Octets;

/** Information about an end and the path, and RD-SACK: datagram-iWARP §10.1 and §11.2. */
final class PathCases {
    private static final long FIRST = 1L << 63;

    /** Bytes of the shortest PATH-PROBE. */
    static final int LEAST = 60;

    private static final int TAKES_SACK = 1;

    static Datagram probe(Exchange x, long token, int size) {
        return x.question(
                Kind.PATH_PROBE,
                new Octets()
                        .u32(TAKES_SACK)
                        .u64(token)
                        .u16(65_507)
                        .u16(0)
                        .add(new byte[size - LEAST + 16])
                        .bytes());
    }

    private static void answers(Datagram reply, Datagram probe, long token) {
        unless(reply.get(28, 8) == token, "the token of the question", reply);
        unless(reply.get(36, 2) == probe.size(), "the length of the question: " + probe.size(), reply);
    }

    @Case("DG-10-15 DG-4.4-11: answers a PATH-PROBE with its token and its length, once")
    void answersProbe(DatagramTrial t) {
        Exchange x = t.known();
        for (int size : new int[] {LEAST, LEAST + 1, 600, 1_472}) {
            long token = x.anyNumber() << 32 | x.anyNumber();
            Datagram probe = probe(x, token, size);
            answers(x.ask(probe, Kind.PATH_REPLY), probe, token);
        }
        x.expectSilence();
        t.delivered(x);
    }

    @Case(value = "DG-6-12: counts the DATA of a peer in its PATH-REPLYs, from 1 on", after = "DG-10-15")
    void counts(DatagramTrial t) {
        Exchange x = t.known();
        Datagram probe = probe(x, 1, LEAST);
        long before = x.ask(probe, Kind.PATH_REPLY).get(40, 4);
        unless(before == 1, "1 for the first question", before);
        t.delivered(x);
        t.delivered(x);
        probe = probe(x, 2, LEAST);
        long after = x.ask(probe, Kind.PATH_REPLY).get(40, 4);
        unless(after == 3, "3 behind two datagrams of DATA", after);
    }

    @Case("DG-10-16 DG-4.4-10: asks the peer of a channel in use for its features")
    void asks(DatagramTrial t) {
        Exchange x = t.stranger(t.rd()).hearsProbes();
        t.program().postSend(t.program().peer(x), 100_000, 1);
        Channel c = Channel.accept(x, x.expect(Kind.RD_OPEN), 64);
        for (long end = x.elapsed() + 2 * x.patience().answerMillis(); x.elapsed() < end; ) {
            Datagram d = x.hear(end - x.elapsed());
            if (d != null && d.is(Kind.PATH_PROBE)) {
                unless(d.has(Datagram.D) && d.key() == c.mine(), "a PATH-PROBE with the tag of the channel", d);
                return;
            }
            if (d != null && d.is(Kind.DATA) && c.ahead(d) == 0) {
                c.expected(c.expected() + 1);
            }
            c.acknowledge();
        }
        throw new Deviation("a PATH-PROBE behind the 16th datagram, or the 128th", "none");
    }

    @Case(
            value = "DG-11.2-9 DG-11.2-10 DG-11.2-11 DG-11.2-12 DG-4.4-9: "
                    + "reports received DATA in numbered RD-SACKs to a peer that takes RD-SACK",
            after = "DG-11.2-2 DG-10-15")
    void sack(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x).delivers(t);
        long token = x.anyNumber();
        Datagram probe = probe(x, token, LEAST).key(c.theirs()).and(Datagram.D);
        x.say(probe);
        Datagram reply = x.expect("PATH-REPLY", d -> d.is(Kind.PATH_REPLY) || d.is(Kind.RD_ACK));
        while (!reply.is(Kind.PATH_REPLY)) {
            reply = x.expect("PATH-REPLY", d -> d.is(Kind.PATH_REPLY) || d.is(Kind.RD_ACK));
        }
        answers(reply, probe, token);
        long due = c.next();
        byte[] first = pattern(30, 1);
        byte[] second = pattern(40, 2);
        Datagram early = c.data(x.send(second).one(), due + 1, Datagram.A);
        Datagram missing = c.data(x.send(first).one(), due, Datagram.A);
        x.say(early);
        Datagram one = sack(x, due, FIRST);
        unless(one.id() == 0, "number 0 for the first RD-SACK", one);
        unless(one.get(36, 4) == ((due + 1) & 0xFFFF_FFFFL), "the PSN that came last as echo", one);
        x.say(early);
        Datagram two = sack(x, due, FIRST);
        unless(two.id() == 1, "number 1 for the second RD-SACK", two);
        unless(two.get(48, 4) == one.get(48, 4) + 1, "one duplicate more", two);
        unless(two.get(52, 4) == ((due + 1) & 0xFFFF_FFFFL), "the PSN of the duplicate", two);
        x.say(missing);
        Datagram three = sack(x, due + 2);
        unless(three.id() == 2, "number 2 for the third RD-SACK", three);
        unless(three.get(36, 4) == due, "the PSN that came last as echo", three);
        t.completion().received(x, first);
        t.completion().received(x, second);
    }

    /** A channel of the device that knows that the tester answers PATH-PROBEs; its second Send is not acknowledged. */
    private static Channel silent(DatagramTrial t, Exchange x) {
        int peer = t.program().peer(x);
        t.program().postSend(peer, 100, 1);
        Channel c = Channel.accept(x, x.expect(Kind.RD_OPEN), 64);
        heard(x, Kind.DATA, x.patience().answerMillis());
        c.acknowledge(1);
        t.completion().is(0, DeviceCompletion.SUCCESS);
        x.say(probe(x, x.anyNumber(), LEAST).key(c.theirs()).and(Datagram.D));
        heard(x, Kind.PATH_REPLY, x.patience().answerMillis());
        t.program().postSend(peer, 100, 1);
        heard(x, Kind.DATA, x.patience().answerMillis());
        return c;
    }

    /** The next datagram of this Kind; others are skipped. */
    private static Datagram heard(Exchange x, Kind kind, long millis) {
        for (long end = x.elapsed() + millis; x.elapsed() < end; ) {
            Datagram d = x.hear(end - x.elapsed());
            if (d != null && d.is(kind)) {
                return d;
            }
        }
        throw new Deviation(kind.words() + " within " + millis + " ms", "none");
    }

    @Case(value = "DG-11.3-19: sends PATH-PROBEs to a silent peer that knows them", after = "DG-10-15 DG-11.3-4")
    void asksWhetherThePathIsBack(DatagramTrial t) {
        Exchange x = t.stranger(t.rd()).hearsProbes();
        Channel c = silent(t, x);
        for (int i = 0; i < 3; i++) {
            Datagram d = heard(x, Kind.PATH_PROBE, x.patience().answerMillis());
            unless(d.has(Datagram.D) && d.key() == c.mine(), "a PATH-PROBE with the tag of the channel", d);
            unless(d.size() == LEAST, "a PATH-PROBE of " + LEAST + " bytes", d);
        }
    }

    @Case(
            value = "DG-11.3-20: repeats all outstanding datagrams at once when the path is back",
            after = "DG-11.3-12 DG-11.3-19")
    void goesOn(DatagramTrial t) {
        Exchange x = t.stranger(t.rd()).hearsProbes();
        Channel c = silent(t, x);
        // A wait of one second for DATA: the next probe would follow after two.
        for (long before = x.elapsed(), wait = 0; wait < 1_000; before += wait) {
            heard(x, Kind.DATA, 15_000);
            wait = x.elapsed() - before;
        }
        Datagram probe = heard(x, Kind.PATH_PROBE, x.patience().answerMillis());
        x.say(x.reply(
                        Kind.PATH_REPLY,
                        probe,
                        new Octets()
                                .u32(TAKES_SACK)
                                .u64(probe.get(28, 8))
                                .u16(probe.size())
                                .u16(65_507)
                                .add(new byte[16])
                                .bytes())
                .key(c.theirs())
                .and(Datagram.D));
        heard(x, Kind.DATA, 1_000);
        c.acknowledge(1);
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }

    /** Expects an RD-SACK with this Ack and these words. */
    private static Datagram sack(Exchange x, long ack, long... words) {
        Datagram d = x.expect(Kind.RD_SACK);
        boolean same = d.get(24, 4) == (ack & 0xFFFF_FFFFL) && d.get(31, 1) == words.length;
        for (int i = 0; i < words.length && same; i++) {
            same = d.get(56 + 8 * i, 8) == words[i];
        }
        unless(same, "RD-SACK %d with %d words".formatted(ack & 0xFFFF_FFFFL, words.length), d);
        return d;
    }
}
