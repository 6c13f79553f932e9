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
import dev.jwarp.conformance.datagram.Envelopes;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.List;

/**
 * Datagrams of a port with keys: datagram-iWARP §K.2 to §K.7. {@link Envelopes} checks the device's envelopes in these cases.
 */
final class EnvelopeCases {
    private static final long HOUR = 3_600;

    /** Seconds within T_FRESH, but before the case opened the port. */
    private static final long BEFORE = 200;

    private static final int WINDOW = 1_024;
    /** Numbers for which a traffic key is valid. */
    private static final long EPOCH = 1 << 22;

    /** The part of an envelope with a Send that the tag covers. */
    private static Datagram covered(Exchange x) {
        return x.envelopes().around(x.send(pattern(12, 3)).one().bytes());
    }

    private static byte[] tagged(Exchange x, Datagram covered) {
        return x.envelopes().tagged(covered);
    }

    /** A Send whose envelope has another value in one field, and a right tag. */
    private static byte[] with(Exchange x, int at, int count, long value) {
        return tagged(x, covered(x).put(at, count, value));
    }

    @Case(value = "DG-K.1-1: accepts and sends envelopes with a key of both ends", after = "DG-K.6-1")
    void bothWays(DatagramTrial t) {
        Exchange x = t.sealed().stranger(t.ud());
        t.delivered(x);
        t.program().postSend(t.program().peer(x), 100, 5);
        Datagram d = x.expectSend();
        same(d.segment().payload(), pattern(100, 5), "the bytes that the program sent, within the envelope");
        t.completion().is(0, DeviceCompletion.SUCCESS);
        t.delivered(x);
    }

    @Case(value = "DG-K.7-1: drops a datagram without an envelope at a port with keys", after = "DG-K.1-1")
    void bare(DatagramTrial t) {
        Exchange x = t.sealed().known();
        Datagram send = x.send(pattern(12, 3)).one();
        t.droppedAsTheyAre(
                x,
                "rx_unsealed",
                send.bytes(),
                // A port without keys answers this datagram.
                send.version(2).bytes(),
                x.read(0, 0, 0).one().bytes(),
                Bodies.probe(x, 1, Bodies.LEAST).bytes());
    }

    @Case(value = "DG-K.7-2: drops an envelope that is too short or states a wrong length", after = "DG-K.1-1")
    void length(DatagramTrial t) {
        Exchange x = t.sealed().known();
        int size = covered(x).size() + Envelopes.TAG;
        t.droppedAsTheyAre(
                x,
                "rx_short",
                covered(x)
                        .put(Envelopes.LENGTH, 2, Envelopes.SHORTEST - 1)
                        .resized(Envelopes.SHORTEST - 1)
                        .bytes(),
                covered(x).put(Envelopes.LENGTH, 2, 28).resized(28 + 12).bytes());
        t.droppedAsTheyAre(
                x,
                "rx_malformed",
                with(x, Envelopes.LENGTH, 2, size + 4),
                with(x, Envelopes.LENGTH, 2, 0xFFFF),
                with(x, Envelopes.LENGTH, 2, 0),
                // A greeting has its own length.
                tagged(x, x.envelopes().around(new byte[Envelopes.GREETING + 4])));
        t.droppedAsTheyAre(x, DatagramTrial.ANY, with(x, Envelopes.LENGTH, 2, size - 4));
    }

    @Case(value = "DG-K.7-3: drops an envelope of another key or another algorithm", after = "DG-K.1-1")
    void key(DatagramTrial t) {
        Exchange x = t.sealed().known();
        t.droppedAsTheyAre(
                x,
                "rx_seal_bad",
                with(x, Envelopes.KEY_ID, 4, x.envelopes().unknownKey()),
                with(x, Envelopes.ALGORITHM, 1, 0),
                with(x, Envelopes.ALGORITHM, 1, 3),
                x.envelopes().otherAlgorithm(covered(x)));
    }

    @Case(value = "DG-K.7-4: drops an envelope with any byte changed, also in the tag", after = "DG-K.1-1")
    void tag(DatagramTrial t) {
        Exchange x = t.sealed().known();
        List<byte[]> wrong = new ArrayList<>();
        wrong.add(x.envelopes().forged(covered(x)));
        int end = covered(x).size() - Datagram.CRC;
        for (int at :
                new int[] {3, 8, 12, 23, Envelopes.WITHIN, Envelopes.ORIGIN, 47, 51, 59, Envelopes.REST, end - 1}) {
            wrong.add(changed(tagged(x, covered(x)), at));
        }
        for (int i = 0; i < Envelopes.TAG; i++) {
            for (byte[] envelope : x.envelopes().taggedWithEach(() -> covered(x), x.address())) {
                wrong.add(changed(envelope, end + i));
            }
        }
        t.droppedAsTheyAre(x, "rx_seal_bad", wrong.toArray(new byte[0][]));
    }

    /** An envelope of which this byte was changed; its CRC is right. */
    private static byte[] changed(byte[] envelope, int at) {
        Datagram d = Datagram.parse(envelope);
        return d.put(at, 1, d.get(at, 1) ^ 1).bytes();
    }

    @Case(value = "DG-K.7-6: drops unknown origins of another time, or from before the port opened", after = "DG-K.1-1")
    void late(DatagramTrial t) {
        Exchange x = t.sealed().known();
        long now = Envelopes.now();
        long unknown = x.anyNumber() << 32;
        t.droppedAsTheyAre(
                x,
                "rx_seal_late",
                made(x, unknown, now - HOUR),
                made(x, unknown, now + HOUR),
                made(x, unknown, now - BEFORE));
        // The clock of a known origin does not matter.
        taken(t, x, with(x, Envelopes.TIME, 4, now - HOUR));
    }

    private static byte[] made(Exchange x, long origin, long time) {
        return tagged(x, covered(x).put(Envelopes.ORIGIN, 8, origin).put(Envelopes.TIME, 4, time));
    }

    @Case(value = "DG-K.7-5: drops its own datagram when that comes back", after = "DG-K.1-1 DG-K.6-1")
    void reflected(DatagramTrial t) {
        Exchange x = t.sealed().stranger(t.ud());
        QueuePair own = x.theirs();
        // Sent to a queue pair with the device's own QPN and Q_Key, so that only the origin can cause the drop.
        int peer = t.program().peer(own, x.port(), own.number(), own.key(), 1500);
        t.program().postSend(peer, 100, 5);
        x.expectSend();
        t.completion().is(0, DeviceCompletion.SUCCESS);
        t.droppedAsTheyAre(x, "rx_seal_replay", x.envelopes().last());
    }

    @Case(value = "DG-K.7-7: takes each Sequence of an origin once, in any order within 1,024", after = "DG-K.1-1")
    void replay(DatagramTrial t) {
        Exchange x = t.sealed().known();
        Envelopes envelopes = x.envelopes();
        long skipped = envelopes.next();
        envelopes.next(skipped + 1);
        byte[] once = tagged(x, covered(x));
        taken(t, x, once);
        t.droppedAsTheyAre(x, "rx_seal_replay", once);
        taken(t, x, with(x, Envelopes.SEQUENCE, 8, skipped));
        t.droppedAsTheyAre(x, "rx_seal_replay", with(x, Envelopes.SEQUENCE, 8, skipped));
        long high = 5 * WINDOW;
        envelopes.next(high);
        t.delivered(x);
        taken(t, x, with(x, Envelopes.SEQUENCE, 8, high - WINDOW + 1));
        envelopes.next(high + 1);
        Datagram other = covered(x).put(Envelopes.ORIGIN, 8, x.anyNumber() << 32);
        t.droppedAsTheyAre(
                x,
                "rx_seal_replay",
                with(x, Envelopes.SEQUENCE, 8, high + 1 - WINDOW),
                once,
                // For another origin numbers begin with 1.
                tagged(x, other.put(Envelopes.SEQUENCE, 8, 0)));
    }

    @Case(value = "DG-K.5-1: derives another traffic key for each 2^22 datagrams of an origin", after = "DG-K.1-1")
    void epochs(DatagramTrial t) {
        Exchange x = t.sealed().known();
        long skipped = x.envelopes().next();
        x.envelopes().next(EPOCH);
        t.delivered(x);
        taken(t, x, with(x, Envelopes.SEQUENCE, 8, EPOCH - 1));
        taken(t, x, with(x, Envelopes.SEQUENCE, 8, 9 * EPOCH));
        taken(t, x, with(x, Envelopes.SEQUENCE, 8, skipped + 9 * EPOCH));
    }

    @Case(value = "DG-K.2-1: takes envelopes with each of its keys, encrypted or not", after = "DG-K.1-1")
    void eachKey(DatagramTrial t) {
        Exchange x = t.sealed().known();
        List<byte[]> each = x.envelopes().taggedWithEach(() -> covered(x), x.address());
        if (each.stream().map(e -> e[Envelopes.ALGORITHM]).distinct().count() < 2) {
            throw new Skip("needs keys of both algorithms in --keys, for this address");
        }
        each.forEach(envelope -> taken(t, x, envelope));
    }

    @Case(value = "DG-K.7-8: drops an envelope for another port with the same key, or for none", after = "DG-K.1-1")
    void receiver(DatagramTrial t) {
        Exchange x = t.sealed().known();
        Datagram greeting = x.envelopes().greeting(new byte[Envelopes.NUMBER]);
        t.droppedAsTheyAre(
                x,
                "rx_seal_other",
                with(x, Envelopes.RECEIVER, 8, x.anyNumber()),
                with(x, Envelopes.RECEIVER, 8, 0),
                tagged(x, greeting.put(Envelopes.RECEIVER, 8, x.anyNumber())));
    }

    @Case(value = "DG-K.4-1: answers greetings, and sends only once its own is answered", after = "DG-K.1-1 DG-K.6-1")
    void greetings(DatagramTrial t) {
        Exchange x = t.sealed().stranger(t.ud());
        Envelopes envelopes = x.envelopes();
        int peer = t.program().peer(x);
        t.program().postSend(peer, 100, 5);
        byte[] question = x.expectGreeting();
        long receiver = Octets.number(envelopes.last(), Envelopes.RECEIVER, 8);
        unless(receiver == 0, "Receiver 0 in a greeting that asks", receiver);
        byte[] wrong = question.clone();
        wrong[Envelopes.NUMBER - 1] ^= 1;
        x.greet(wrong); // which asks, too
        x.expectOnlyGreetings();
        unless(envelopes.greeted(), "a greeting that answers the tester's", "none");
        t.completion().is(0, DeviceCompletion.SUCCESS);
        x.greet(question);
        t.program().postSend(peer, 100, 5);
        x.expectSend();
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }

    private static void taken(DatagramTrial t, Exchange x, byte[] envelope) {
        x.sayAsIs(envelope);
        t.completion().received(x, pattern(12, 3));
    }

    @Case(value = "DG-K.6-2: gives each envelope its own Sequence, repetitions too", after = "DG-K.1-1 DG-11.3-4")
    void sequences(DatagramTrial t) {
        Exchange x = t.sealed().stranger(t.rd());
        t.program().postSend(t.program().peer(x), 100, 1);
        Channel c = Channel.accept(x);
        // The unacknowledged Send, and its repetition.
        c.anyData();
        c.anyData();
        Exchange y = t.stranger(t.ud());
        t.program().postSend(t.program().peer(y), 100, 1);
        y.expectSend();
        long one = x.envelopes().origin();
        long other = y.envelopes().origin();
        unless(one == other, "one origin for all destinations", "%016X and %016X".formatted(one, other));
    }

    @Case(value = "DG-K.6-3: sends no envelope that is longer than the path takes", after = "DG-K.1-1 DG-K.6-1")
    void pathMtu(DatagramTrial t) {
        Exchange x = t.sealed().stranger(t.ud());
        int most = 1500 - (t.program().address().getAddress().getAddress().length == 4 ? 28 : 48);
        t.program().postSend(t.program().peer(x), 10_000, 1);
        Exchange.assembled(10_000, () -> {
            Datagram d = x.expectSend();
            int size = x.envelopes().last().length;
            unless(size <= most, most + " bytes of UDP payload at most, where the path MTU is 1500", size);
            return d;
        });
    }

    @Case(value = "DG-K.6-1: puts answers of every Kind into envelopes", after = "DG-4.7-1 DG-9.1-1 DG-10-15 DG-11.2-2")
    void answers(DatagramTrial t) {
        QueuePair ud = t.sealed().ud();
        t.program().service(SERVICE, ud);
        // CHALLENGE, and the answer to a Read.
        Exchange x = t.known(ud);
        x.ask(x.record(0x7777_7700, 0, pattern(8, 1)).one(), Kind.NOTIFY);
        x.ask(x.send(pattern(5, 1)).one().version(2), Kind.VERSION_LIST);
        x.ask(Bodies.probe(x, 1, Bodies.LEAST), Kind.PATH_REPLY);
        Exchange asker = t.stranger(ud);
        asker.say(asker.resolve(SERVICE, Program.UD));
        asker.expect("RESOLVED or CHALLENGE", d -> d.is(Kind.RESOLVED) || d.is(Kind.CHALLENGE));
        // RD-ACCEPT, RD-ACK and RD-RESET.
        Exchange y = t.stranger(t.rd());
        Channel c = Channel.open(y).delivers(t);
        t.program().destroy(y.theirs());
        Channel.expectReset(y, c.mine(), false, 3, 0);
    }
}
