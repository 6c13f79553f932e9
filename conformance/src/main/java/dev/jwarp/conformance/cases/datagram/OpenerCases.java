package dev.jwarp.conformance.cases.datagram;

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
import dev.jwarp.conformance.suite.Case;

/** Channels that the device opens: datagram-iWARP §11.1. */
final class OpenerCases {
    /** Makes the device open a channel by posting work; returns the RD-OPEN. */
    static Datagram opens(DatagramTrial t, Exchange x) {
        t.program().postSend(t.program().peer(x), 40, 1);
        return x.expect(Kind.RD_OPEN);
    }

    /** The Send for which the device opened the channel. */
    static void sends(DatagramTrial t, Channel c) {
        Datagram d = c.expectData();
        unless(d.carries(Message.SEND), "the Send that was posted", d);
        same(d.segment().payload(), pattern(40, 1), "the bytes that were posted");
        c.acknowledge();
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }

    @Case("DG-11.1-6 DG-4.4-5 DG-4.3-2: repeats its RD-OPEN in time, always the same")
    void repeats(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        // The clock starts before the device can send: a slow tester must not make the device look hasty.
        long began = x.elapsed();
        Datagram first = opens(t, x);
        unless(first.key() == x.key() && first.to() == x.number(), "our Q_Key and QPN", first);
        for (long due : new long[] {100, 300}) {
            x.expectAgain(first);
            long after = x.elapsed() - began;
            unless(after >= due - 50 && after <= due + 1000, "a repetition after " + due + " ms", after + " ms");
        }
        sends(t, Channel.accept(x, first, 64));
    }

    @Case("DG-11.1-7 DG-5.5-2: repeats its RD-OPEN with the cookie of a CHALLENGE")
    void challenged(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        x.say(x.reply(Kind.CHALLENGE, open, pattern(16, 1)).key(open.key() ^ 1));
        x.say(x.reply(Kind.CHALLENGE, open, pattern(16, 2)));
        Datagram again = x.expectAgain(open.cookie(pattern(16, 2)));
        sends(t, Channel.accept(x, again, 64));
    }

    @Case("DG-11.1-8: does not take an RD-ACCEPT whose Ack is not its first PSN, or whose Key is not its tag")
    void wrongAccept(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        long tag = open.get(24, 4);
        long psn = open.get(28, 4);
        t.counted(x, "rd_ack_bad", Bodies.accept(x, tag, open.id(), 0x77777777, 5, psn + 1, 64));
        x.expectAgain(open);
        sends(t, Channel.accept(x, open, 64));
    }

    @Case("DG-11.1-9: drops DATA that comes before the RD-ACCEPT")
    void dataTooEarly(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        Datagram early = x.send(pattern(30, 3)).one();
        x.say(Channel.framed(early, open.get(24, 4), 0x1000, open.get(28, 4), 64, Datagram.A));
        t.program().noCompletion();
        Channel c = Channel.accept(x, open, 64);
        sends(t, c);
        c.delivers(t);
    }

    @Case("DG-11.1-16: drops an RD-ACCEPT with another tag on an open channel")
    void otherAccept(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        Channel c = Channel.accept(x, open, 64);
        sends(t, c);
        c.delivers(t);
        t.counted(x, "rd_tag", c.acceptance(open).put(24, 4, c.mine() ^ 1));
        x.say(c.acceptance(open));
        x.expectSilence();
        c.delivers(t);
    }

    @Case("DG-11.1-17: opens a channel when both sides send RD-OPEN at once")
    void bothAtOnce(DatagramTrial t) {
        t.program(true, 100);
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        Datagram ours = Bodies.open(x, x.anyNumber(), x.anyNumber(), 0, 64);
        x.say(ours);
        Datagram accept = x.expect(Kind.RD_ACCEPT);
        unless(accept.get(24, 8) == open.get(24, 8), "the tag and first PSN of its own RD-OPEN", accept);
        Channel c = Channel.accepted(x, ours, accept);
        x.say(c.acceptance(open));
        sends(t, c);
        c.delivers(t);
    }

    @Case("DG-11.1-21: sends no DATA to a peer that has not shown its tag, and repeats its RD-OPEN")
    void unconfirmed(DatagramTrial t) {
        t.program(true, 100);
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        // An RD-OPEN that any host may have sent crosses the device's.
        x.say(Bodies.open(x, x.anyNumber(), x.anyNumber(), 0, 64));
        Datagram accept = x.expect(Kind.RD_ACCEPT);
        Datagram next = x.expect("its RD-OPEN again", d -> d.is(Kind.RD_OPEN) || d.is(Kind.DATA));
        unless(next.is(Kind.RD_OPEN), "its RD-OPEN again, and no DATA", next);
        unless(next.get(24, 4) == accept.get(24, 4), "the tag of its RD-ACCEPT", next);
        sends(t, Channel.accept(x, open, 64));
    }

    @Case(value = "DG-11.1-24: goes on opening a channel after an RD-RESET", after = "DG-11.1-6 DG-11.6-4")
    void resetWhileOpening(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        for (int reason = 1; reason < 4; reason++) {
            x.say(Bodies.reset(x, open.get(24, 4), false, reason, 0));
        }
        x.expectAgain(open);
        sends(t, Channel.accept(x, open, 64));
    }

    @Case("DG-11.1-31: sends nothing more when its queue pair is closed while a channel opens")
    void goneWhileOpening(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        opens(t, x);
        t.program().fail(x.theirs());
        // The handle of the Send may be destroyed once the Send is flushed; the receives are flushed, too.
        DeviceCompletion flushed;
        do {
            flushed = t.program().completion(x.patience().answerMillis());
        } while (flushed != null && flushed.opcode() != DeviceCompletion.SEND);
        t.program().destroy(x.theirs());
        // Datagrams that were still on the way.
        x.hear(x.patience().quietMillis());
        x.expectSilence();
    }

    @Case(value = "DG-11.6-6: returns to RD-OPEN when an unconfirmed channel is reset", after = "DG-11.1-17 DG-11.1-21")
    void resetWhileUnconfirmed(DatagramTrial t) {
        t.program(true, 100);
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        x.say(Bodies.open(x, x.anyNumber(), x.anyNumber(), 0, 64));
        Datagram accept = x.expect(Kind.RD_ACCEPT);
        x.say(Bodies.reset(x, accept.get(24, 4), false, 3, 0));
        x.expectAgain(open);
        sends(t, Channel.accept(x, open, 64));
    }

    @Case("DG-11.6-4: goes on trying when its RD-OPEN is refused, and ignores RD-RESET 4 on an open channel")
    void busy(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = opens(t, x);
        x.say(Bodies.reset(x, open.get(24, 4), false, 4, 0));
        Datagram again = x.expect(Kind.RD_OPEN);
        unless(again.get(24, 4) == open.get(24, 4), "the same tag", again);
        Channel c = Channel.accept(x, open, 64);
        sends(t, c);
        x.say(Bodies.reset(x, c.theirs(), false, 4, 0));
        x.expectSilence();
        c.delivers(t);
    }
}
