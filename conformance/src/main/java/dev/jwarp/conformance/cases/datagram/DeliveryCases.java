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
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.suite.Case;
import java.util.List;

/** How a channel handles received datagrams: datagram-iWARP §11.2. */
final class DeliveryCases {
    @Case("DG-11.2-1: delivers DATA once, even if it arrives twice")
    void once(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x);
        Message send = x.send(pattern(30, 1));
        Datagram d = c.data(send.one());
        x.say(d);
        c.expectAck(c.next());
        t.completion().received(x, send.payload());
        for (int i = 0; i < 3; i++) {
            t.counted(x, "rd_dup", d);
            c.expectAck(c.next());
        }
        c.delivers(t);
        t.program().noCompletion();
    }

    @Case("DG-11.2-2 DG-4.4-6: keeps DATA that comes ahead, reports it at once, and delivers it in order")
    void ahead(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x).delivers(t);
        Message[] sends = new Message[4];
        Datagram[] data = new Datagram[4];
        for (int i = 0; i < 4; i++) {
            sends[i] = x.send(pattern(20 + i, i));
            // Without A: DATA ahead is acknowledged all the same.
            data[i] = c.data(sends[i].one()).without(Datagram.A);
        }
        long due = c.next() - 4;
        x.say(data[1]);
        c.expectAck(due, false, FIRST);
        x.say(data[3]);
        c.expectAck(due, false, FIRST | (FIRST >>> 2));
        t.program().noCompletion();
        x.say(data[2]);
        c.expectAck(due, false, FIRST | (FIRST >>> 1) | (FIRST >>> 2));
        x.say(data[0].and(Datagram.A));
        c.expectAck(c.next());
        for (Message send : sends) {
            t.completion().received(x, send.payload());
        }
    }

    @Case(value = "DG-4.4-6: numbers the bits of SACK words from Ack + 1 on, over words", after = "DG-11.2-1")
    void secondWord(DatagramTrial t) {
        Exchange x = t.stranger(t.queuePair(Program.RD, 100));
        Channel c = Channel.open(x);
        Datagram[] data = new Datagram[67];
        if (c.granted() < data.length) {
            throw new Skip("needs a device with a window of " + data.length + " datagrams or more");
        }
        for (int i = 0; i < data.length; i++) {
            data[i] = c.data(x.send(pattern(8, i)).one()).without(Datagram.A);
        }
        long due = c.next() - data.length;
        x.say(data[1], data[3], data[66]);
        // Like RD-ACK-WORDS in the document: bits 0 and 2 of word 0, bit 1 of word 1.
        c.expectAck(due, false, FIRST | (FIRST >>> 2), FIRST >>> 1);
        x.say(data);
        c.expectAck(c.next());
        for (int i = 0; i < data.length; i++) {
            t.completion().received(x, pattern(8, i));
        }
    }

    @Case("DG-11.2-3: drops a PSN beyond its window, and acknowledges the PSNs before")
    void beyondTheWindow(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x).delivers(t);
        c.say(x.send(pattern(1, 1)));
        Datagram ack = c.expectAck(c.next());
        t.completion();
        long window = ack.get(28, 2);
        t.counted(x, "rd_ahead", c.data(x.send(pattern(9, 1)).one(), c.next() + window + 1, 0));
        Datagram answer = c.anyAck();
        unless(answer.get(24, 4) == c.next() && answer.get(31, 1) == 0, "that RD-ACK, without SACK words", answer);
        x.say(c.data(x.send(pattern(9, 1)).one(), c.next() - 0x4000_0000L, 0));
        c.expectAck(c.next());
        c.delivers(t);
    }

    @Case(value = "DG-11.2-4: keeps DATA that finds no receive until there is one", after = "DG-4.4-6")
    void notReady(DatagramTrial t) {
        QueuePair rd = t.program().queuePair(Program.RD, 0);
        Exchange x = t.stranger(rd);
        Channel c = Channel.open(x);
        Message first = x.send(pattern(30, 1));
        Message second = x.send(pattern(40, 2));
        long due = c.next();
        c.say(first);
        c.expectAck(due, true);
        c.say(second);
        c.expectAck(due, true, FIRST);
        t.program().noCompletion();
        t.program().receives(rd, DatagramTrial.RECEIVE, 1);
        // The tester sends nothing again.
        c.expectAck(due + 1, true);
        t.completion().received(x, first.payload());
        t.program().receives(rd, DatagramTrial.RECEIVE, 3);
        c.expectAck(due + 2);
        t.completion().received(x, second.payload());
        c.delivers(t);
    }

    @Case(value = "DG-11.2-4: sets RNR in every RD-ACK while DATA waits", after = "DG-11.2-1 DG-11.2-3 DG-4.4-6")
    void everyAckSaysSo(DatagramTrial t) {
        QueuePair rd = t.program().queuePair(Program.RD, 0);
        Exchange x = t.stranger(rd);
        Channel c = Channel.open(x);
        Message first = x.send(pattern(30, 1));
        Message second = x.send(pattern(40, 2));
        long due = c.next();
        Datagram waits = c.data(first.one());
        Datagram before = c.data(x.send(pattern(9, 3)).one(), due - 1, 0);
        Datagram beyond = c.data(x.send(pattern(9, 4)).one(), due + 0x1000_0000L, 0);
        for (Datagram d : List.of(waits, waits, before, beyond)) {
            x.say(d);
            c.expectAck(due, true);
        }
        c.say(second);
        c.expectAck(due, true, FIRST);
        t.program().noCompletion();
        t.program().receives(rd, DatagramTrial.RECEIVE, 4);
        c.expectAck(due + 2);
        t.completion().received(x, first.payload());
        t.completion().received(x, second.payload());
        c.delivers(t);
    }

    @Case("DG-11.2-5: acknowledges at once for flag A, and soon without it")
    void delays(DatagramTrial t) {
        Exchange x = t.stranger(t.queuePair(Program.RD, 64));
        Channel c = Channel.open(x).delivers(t);
        for (int i = 0; i < 3; i++) {
            x.say(c.data(x.send(pattern(9, i)).one()).without(Datagram.A));
            // The tester allows the time of any answer; the document's 2 ms are too short to measure.
            c.expectAck(c.next());
            t.completion();
        }
        for (int i = 0; i < 32; i++) {
            x.say(c.data(x.send(pattern(9, i)).one()).without(Datagram.A));
        }
        c.expectAck(c.next());
    }

    @Case("DG-11.5-3: answers Reads through the channel, in order")
    void reads(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Region r = t.program().region(Program.REMOTE_READ, 8192);
        Channel c = Channel.open(x);
        for (int length : new int[] {1, 3000, 0}) {
            Message read = x.read(r, 0, length);
            c.say(read);
            byte[] came = Exchange.assembled(length, () -> {
                Datagram d = c.expectData();
                unless(d.carries(Message.READ_RESPONSE) && d.has(Datagram.R), "a Read Response with R and D", d);
                unless(d.id() == read.id(), "the request's Message Id", d);
                return d;
            });
            c.acknowledge();
            same(came, pattern(length, 0), "the bytes of the region");
        }
        c.delivers(t);
    }

    @Case("DG-11-1: accepts and drops a Read Response that belongs to no Read")
    void strayResponse(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x).delivers(t);
        Message response = x.tagged(Message.READ_RESPONSE, 0x5EED, 1L << 32, pattern(40, 1));
        t.counted(x, "rx_reply_unmatched", c.data(response.one().and(Datagram.R)));
        c.expectAck(c.next());
        c.delivers(t);
    }

    @Case("DG-11.2-2 DG-7-1: assembles messages of several datagrams in a channel, in any order of arrival")
    void messages(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Region r = t.program().region(Program.ALL, 8192);
        Channel c = Channel.open(x);
        Message record = x.record(r, 0, pattern(1500, 3)).cut(256);
        Datagram[] data = record.all().stream().map(c::data).toArray(Datagram[]::new);
        for (int i : new int[] {4, 2, 5, 1, 3, 0}) {
            x.say(data[i]);
        }
        c.expectAck(c.next());
        t.completion().record(DeviceCompletion.SUCCESS, r, 0, 1500, "0-1500").from(x);
        Message send = x.send(pattern(3000, 4)).cut(1024);
        c.say(send);
        c.expectAck(c.next());
        t.completion().received(x, send.payload());
        same(t.program().peek(r, 0, 1500), pattern(1500, 3), "the bytes of the Write-Record");
    }

    @Case("DG-11.3-5: drops acknowledgements of datagrams that it never sent")
    void falseAcks(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x);
        long due = c.next() + 1; // behind the proof that the device works
        Datagram[] wrong = {
            c.ack(c.expected() + 1, Channel.WINDOW, false),
            c.ack(c.expected() + 1000, Channel.WINDOW, false),
            // SACK bits of datagrams that were never sent.
            c.ack(false, FIRST),
            c.data(x.send(pattern(9, 1)).one(), due, 0).put(28, 4, c.expected() + 1)
        };
        t.dropped(() -> c.delivers(t), x, "rd_ack_bad", wrong);
    }

    @Case("DG-11.6-2 DG-11.6-3: drops an RD-RESET whose Key does not fit, and never answers one")
    void falseResets(DatagramTrial t) {
        Exchange x = t.stranger(t.rd());
        Channel c = Channel.open(x);
        Datagram[] wrong = {
            Bodies.reset(x, c.theirs() ^ 1, false, 3, 0),
            Bodies.reset(x, c.theirs(), true, 1, 0),
            Bodies.reset(x, c.mine(), false, 3, 0)
        };
        t.dropped(() -> c.delivers(t), x, "rd_reset_bad", wrong);
        x.say(Bodies.reset(x, c.theirs(), false, 3, 0));
        x.expectSilence();
        c.say(x.send(pattern(9, 1)));
        Datagram gone = x.expect(Kind.RD_RESET);
        unless(gone.get(25, 1) == 1, "RD-RESET 1: the channel has ended", gone);
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
}
