package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.suite.Case;

/** Channels that the tester opens: datagram-iWARP §11.1. */
final class ChannelCases {
    @Case("DG-11.1-1: gives a stranger a CHALLENGE for its RD-OPEN, and keeps nothing")
    void challenged(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = Bodies.open(x, 0x11111111, 5, 0, Channel.WINDOW);
        x.ask(open, Kind.CHALLENGE);
        Datagram again = x.ask(open.cookie(new byte[16]), Kind.CHALLENGE);
        x.say(open.cookie(again.slice(24, 40)));
        Channel.accepted(x, open, x.expect(Kind.RD_ACCEPT)).delivers(t);
    }

    @Case("DG-11.1-2 DG-4.4-5 DG-4.3-1 DG-4.4-8: accepts an RD-OPEN with a cookie, and takes Sends")
    void accepted(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x);
        unless(c.theirs() != 0, "a tag that is not 0", c.theirs());
        c.delivers(t).delivers(t).delivers(t);
        x.expectSilence();
    }

    @Case("DG-11.1-3: answers a repetition of RD-OPEN by the same RD-ACCEPT")
    void repeatedOpen(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Datagram open = Bodies.open(x, 0x22222222, 5, 0, Channel.WINDOW);
        Channel first = Channel.open(x, open);
        Channel second = Channel.open(x, open);
        unless(second.theirs() == first.theirs(), "the same tag", Long.toHexString(second.theirs()));
        unless(second.expected() == first.expected(), "the same first PSN", second.expected());
        first.delivers(t);
    }

    @Case("DG-4.4-8: takes a window larger than 32,768")
    void largeWindow(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x, Bodies.open(x, 0x33333333, 5, 0, 0xFFFF));
        x.say(c.ack(c.expected(), 0xFFFF, false));
        c.delivers(t);
    }

    @Case(value = "DG-11.1-4: answers a tag that it does not know by RD-RESET 1, reflected", after = "DG-11.1-1")
    void unknownTag(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x).delivers(t);
        long wrong = c.theirs() ^ 0x40;
        Datagram data = Channel.framed(x.send(pattern(9, 1)).one(), wrong, c.next(), c.expected(), 64, 0);
        t.counted(x, "rd_tag", data);
        Datagram reset = Channel.expectReset(x, wrong, true, 1, 0);
        unless(reset.id() == data.id(), "the Message Id of the DATA", reset);
        x.say(Bodies.ack(x, wrong, c.expected(), 64, false));
        Channel.expectReset(x, wrong, true, 1, 0);
        // The right tag from another port, and from another QPN.
        Exchange y = t.stranger(x.theirs());
        y.say(Channel.framed(y.send(pattern(9, 1)).one(), c.theirs(), c.next(), c.expected(), 64, 0));
        y.expectSilence();
        x.say(data.key(c.theirs()).from(x.number() ^ 0x200));
        x.expectSilence();
        c.delivers(t);
    }

    @Case("DG-11.1-5: answers an RD-ACCEPT that it did not ask for by RD-RESET 1 with the tag in its body")
    void unaskedAccept(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        t.counted(x, "rd_tag", Bodies.accept(x, 0x5555, 7, 0x66666666, 5, 5, 64));
        Channel.expectReset(x, 0x66666666, false, 1, 0);
        Channel.open(t.stranger(x.theirs())).delivers(t);
    }

    @Case("DG-11.1-10: does not let a forged RD-OPEN end a channel")
    void forgedOpen(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x).delivers(t);
        for (long previous : new long[] {0, c.theirs() ^ 1}) {
            x.say(Bodies.open(x, c.mine() ^ 0x10, 77, previous, 64));
            c.expectAck(c.next());
        }
        c.delivers(t);
    }

    @Case("DG-11.1-11: opens anew for a peer that shows its tag as the previous one")
    void openedAnew(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Region r = t.program().region(Program.ALL, 4096);
        Channel c = Channel.open(x).delivers(t);
        x.say(c.data(x.record(r, 0, pattern(600, 1)).cut(256).datagram(0)));
        c.expectAck(c.next());
        Channel d = Channel.open(x, Bodies.open(x, c.mine() ^ 0x10, 77, c.theirs(), 64));
        unless(d.theirs() != c.theirs(), "a new tag", Long.toHexString(d.theirs()));
        t.completion().record(DeviceCompletion.ABORTED, r, 0, 600, "0-256").from(x);
        d.delivers(t);
        // The old tag is unknown now.
        c.say(x.send(pattern(5, 1)));
        Channel.expectReset(x, c.theirs(), true, 1, 0);
        d.delivers(t);
    }

    @Case("DG-11.1-12 DG-11.1-13: ends a channel for a violation, reports the reason, and repeats the report")
    void violation(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Region r = t.program().region(Program.ALL, 4096);
        Channel c = Channel.open(x).delivers(t);
        Datagram wrong = c.data(x.record(r.stag() ^ 1, r.to(), pattern(8, 1)).one());
        t.counted(x, "stag_invalid", wrong);
        Datagram reset = Channel.expectReset(x, c.mine(), false, 2, 0x1100);
        unless(reset.id() == wrong.id(), "the Message Id of the DATA", reset);
        Datagram more = c.data(x.send(pattern(5, 1)).one());
        x.say(more);
        Datagram again = Channel.expectReset(x, c.mine(), false, 2, 0x1100);
        unless(again.id() == more.id(), "the Message Id of this DATA", again);
        long tag = c.mine() ^ 0x100;
        x.say(Bodies.open(x, tag, 5, c.theirs(), 64));
        Channel.expectReset(x, tag, false, 4, 0);
        t.notCompleted("DATA after the violation");
    }

    @Case(
            value = "DG-11.1-24: answers only DATA and RD-OPEN after a violation",
            after = "DG-11.1-12 DG-11.1-13 DG-11.6-2 DG-11.6-3")
    void nothingElseAfterViolation(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x).delivers(t);
        c.say(x.untagged(7, pattern(8, 1)));
        Channel.expectReset(x, c.mine(), false, 2, 0x0206);
        x.say(c.ack(false));
        x.say(Bodies.accept(x, c.theirs(), 1, c.mine(), 5, 6, 64));
        x.say(Bodies.reset(x, c.theirs(), false, 3, 0));
        x.expectSilence();
        c.say(x.send(pattern(5, 1)));
        Channel.expectReset(x, c.mine(), false, 2, 0x0206);
    }

    @Case(value = "DG-11.1-12: names the violation in its RD-RESET", after = "DG-5.2-3 DG-5.2-9")
    void violations(DatagramTrial t) {
        QueuePair rd = t.rd();
        Region r = t.program().region(Program.REMOTE_READ, 4096);
        for (int i = 0; i < 8; i++) {
            Exchange x = t.stranger(rd);
            Channel c = Channel.open(x);
            Datagram bare =
                    switch (i) {
                        case 0 -> x.untagged(7, pattern(8, 1)).one();
                        case 1 -> x.record(r, 0, pattern(8, 1)).one();
                        case 2 -> x.send(pattern(8, 1)).one().put(24, 1, 0x42);
                        case 3 -> x.send(pattern(8, 1)).one().put(38, 4, 4);
                        case 4 -> x.send(pattern(5000, 1)).one();
                        case 5 -> x.read(r, 4000, 100).one();
                        case 6 -> x.read(r.stag() ^ 4, r.to(), 100).one();
                        // The table has no code for this shape.
                        default -> x.send(pattern(600, 1)).cut(256).datagram(0).put(24, 1, 0x41);
                    };
            int[] codes = {0x0206, 0x1100, 0x1206, 0x1204, 0x1205, 0x0101, 0x0100, 0x02FF};
            x.say(c.data(bare));
            Channel.expectReset(x, c.mine(), false, 2, codes[i]);
        }
        Channel.open(t.stranger(rd)).delivers(t);
    }

    @Case(value = "DG-11.1-20: ends only the channel of the peer that has violated a rule", after = "DG-11.1-12")
    void otherChannels(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Exchange y = t.stranger(x.theirs());
        Channel bad = Channel.open(x);
        Channel good = Channel.open(y).delivers(t);
        bad.say(x.untagged(7, pattern(8, 1)));
        Channel.expectReset(x, bad.mine(), false, 2, 0x0206);
        good.delivers(t);
        y.expectSilence();
    }

    @Case("DG-11.1-14: sends RD-RESET 3 on every channel of a queue pair that is destroyed")
    void destroyed(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Exchange y = t.stranger(x.theirs());
        Channel one = Channel.open(x).delivers(t);
        Channel two = Channel.open(y).delivers(t);
        t.program().destroy(x.theirs());
        Channel.expectReset(x, one.mine(), false, 3, 0);
        Channel.expectReset(y, two.mine(), false, 3, 0);
        one.say(x.send(pattern(5, 1)));
        x.expectSilence();
    }

    @Case("DG-11.1-13 DG-11.1-14: refuses channels in the error state, and takes them when it works again")
    void errorState(DatagramTrial t) {
        QueuePair rd = t.rd();
        Exchange x = t.stranger(rd);
        Channel c = Channel.open(x).delivers(t);
        t.program().fail(rd);
        Channel.expectReset(x, c.mine(), false, 3, 0);
        long tag = c.mine() ^ 0x100;
        x.say(Bodies.open(x, tag, 5, 0, 64));
        Channel.expectReset(x, tag, false, 4, 0);
        while (t.program().completion(0) != null) {
            // The completions are those of the flushed receives.
        }
        t.program().ready(rd);
        t.program().receives(rd, DatagramTrial.RECEIVE, 2);
        Channel.open(x).delivers(t);
    }

    @Case("DG-11.1-18: demands a cookie from every peer while many channels are half-open")
    void halfOpen(DatagramTrial t) {
        t.program(true, 100);
        Exchange x = t.stranger(t.rd());
        Datagram open;
        Datagram answer;
        int opened = 0;
        do {
            unless(opened < 2000, "a CHALLENGE for one of many half-open channels", opened + " were opened");
            open = Bodies.open(x, x.anyNumber(), 5, 0, 64).from(0x1000 + opened++);
            x.say(open);
            answer = x.expect("RD-ACCEPT or CHALLENGE", d -> d.is(Kind.RD_ACCEPT) || d.is(Kind.CHALLENGE));
        } while (answer.is(Kind.RD_ACCEPT));
        unless(opened > 16, "more than 16 half-open channels", opened);
        x.say(open.cookie(answer.slice(24, 40)));
        Datagram accept = x.expect(Kind.RD_ACCEPT);
        unless(accept.key() == open.get(24, 4), "the opener's tag as Key", accept);
    }

    @Case("DG-11.2-7: handles PSNs that wrap")
    void wrap(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x, Bodies.open(x, 0x44444444, 0xFFFF_FFFEL, 0, Channel.WINDOW));
        c.delivers(t).delivers(t).delivers(t).delivers(t);
        unless(c.next() == 2, "PSN 2 next", c.next());
    }
}
