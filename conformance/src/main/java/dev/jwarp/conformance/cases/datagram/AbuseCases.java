package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.DatagramTrial.SERVICE;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.suite.Case;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Strangers, cookies, limits of answers, and numbers that are hard to guess: datagram-iWARP §9 and §17. */
final class AbuseCases {
    @Case("DG-9.1-1 DG-4.4-2: gives a stranger a CHALLENGE for its Read, and no data")
    void challenge(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        Region r = t.program().region(Program.ALL, 4096);
        for (int i = 0; i < 3; i++) {
            Datagram read = x.read(r, 0, 40).one();
            Datagram challenge = x.ask(read, Kind.CHALLENGE);
            unless(challenge.size() <= read.size(), "an answer no longer than the question", challenge);
        }
        x.expectSilence();
        t.delivered(x);
    }

    @Case("DG-9.1-2: sends answers and NOTIFYs to a source that has shown its cookie")
    void cookie(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        Region r = t.program().region(Program.ALL, 4096);
        Message read = x.read(r, 0, 40);
        x.say(read.one().cookie(x.cookie()));
        x.expectRead(read, 40);
        x.ask(x.record(r.stag() ^ 1, r.to(), pattern(8, 1)).one(), 0x1100);
    }

    @Case("DG-9.1-1: gives no data for a Read without a valid cookie, even to a known source")
    void eachReadProves(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        Region r = t.program().region(Program.ALL, 1 << 16);
        byte[] good = x.cookie();
        for (int i = 0; i < 3; i++) {
            Message read = x.read(r, 0, 40);
            x.say(read.one().cookie(good));
            x.expectRead(read, 40);
            // Any host may have forged these.
            x.ask(x.read(r, 0, 1 << 16).one(), Kind.CHALLENGE);
            x.ask(x.read(r, 0, 1 << 16).one().cookie(pattern(16, i)), Kind.CHALLENGE);
        }
        x.expectSilence();
    }

    @Case("DG-9.1-3: trusts sources that its program trusts")
    void trusted(DatagramTrial t) {
        t.program(true, 100);
        Exchange x = t.stranger(t.ud());
        Region r = t.program().region(Program.ALL, 4096);
        x.ask(x.read(r, 0, 40), 40);
        x.ask(x.record(r.stag() ^ 1, r.to(), pattern(8, 1)).one(), 0x1100);
    }

    @Case("DG-9.1-4: takes Sends and Write-Records of strangers")
    void strangersMayWrite(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        Region r = t.program().region(Program.ALL, 4096);
        t.delivered(x);
        x.say(x.record(r, 0, pattern(600, 1)).cut(256));
        t.completion().record(0, r, 0, 600, "0-600").from(x);
    }

    @Case("DG-9.2-1: treats an invalid cookie like a missing one")
    void wrongCookie(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        Exchange y = t.stranger(x.theirs());
        Region r = t.program().region(Program.ALL, 4096);
        byte[] good = x.cookie();
        byte[] wrong = x.cookie();
        wrong[15] ^= 1;
        for (byte[] cookie : new byte[][] {wrong, pattern(16, 1), new byte[16]}) {
            x.ask(x.read(r, 0, 40).one().cookie(cookie), Kind.CHALLENGE);
        }
        // The cookie comes from another port, and from another QPN of the same port.
        y.ask(y.read(r, 0, 40).one().cookie(good), Kind.CHALLENGE);
        x.ask(x.read(r, 0, 40).one().cookie(good).from(x.number() ^ 0x1000), Kind.CHALLENGE);
        x.expectSilence();
    }

    @Case("DG-9.2-2: checks a cookie only after the Key")
    void cookieAfterKey(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        Region r = t.program().region(Program.ALL, 4096);
        Datagram read = x.read(r, 0, 40).one().cookie(x.cookie());
        t.dropped(x, "rx_key", read.key(read.key() ^ 1));
        x.ask(x.read(r, 0, 40).one(), Kind.CHALLENGE);
    }

    @Case("DG-9.2-3: takes one cookie for all questions of a queue pair")
    void oneCookieForAll(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        Region r = t.program().region(Program.ALL, 4096);
        for (int i = 1; i <= 3; i++) {
            Message read = x.read(r, 0, 40L * i);
            x.say(read.one().cookie(x.cookie()));
            x.expectRead(read, 40 * i);
        }
        Message send = x.send(pattern(25, 7));
        x.say(send.one().cookie(x.cookie()));
        t.completion().received(x, send.payload());
        Message wrong = x.send(pattern(600, 7)).cut(256);
        wrong.all().forEach(d -> x.say(d.cookie(new byte[16])));
        t.completion().received(x, wrong.payload());
    }

    @Case("DG-9.3-1: sends a known source 10 NOTIFYs in a second at most")
    void rateForKnown(DatagramTrial t) {
        Exchange x = t.known();
        x.expectLimited(10, 40, () -> refused(x));
        t.delivered(x);
    }

    @Case("DG-9.3-1: sends a stranger one NOTIFY in a second at most")
    void rateForStrangers(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        x.expectLimited(1, 20, () -> refused(x));
        t.delivered(x);
    }

    @Case("DG-9.3-1: sends all strangers together 10 NOTIFYs in a second at most")
    void rateForAllStrangers(DatagramTrial t) {
        QueuePair ud = t.ud();
        List<Exchange> strangers =
                Stream.generate(() -> t.stranger(ud)).limit(30).toList();
        strangers.forEach(x -> x.say(refused(x)));
        t.delivered(strangers.get(0));
        int count = answers(strangers);
        unless(count >= 1 && count <= 20, "1 to 10 NOTIFYs in a second", count);
    }

    @Case("DG-9.3-1: sends all known sources together 100 NOTIFYs in a second at most")
    void rateForAllKnown(DatagramTrial t) {
        QueuePair ud = t.ud();
        List<Exchange> known = Stream.generate(() -> t.known(ud)).limit(40).toList();
        Exchange one = known.get(0);
        long began = one.elapsed();
        for (int i = 0; i < 10; i++) {
            known.forEach(x -> x.say(refused(x)));
        }
        t.delivered(one);
        int count = answers(known);
        long seconds = (one.elapsed() - began) / 1000 + 2;
        unless(count >= 1 && count <= 100 * seconds, "100 NOTIFYs at most in each of " + seconds + " seconds", count);
    }

    /** A datagram that is answered by a NOTIFY. */
    private static Datagram refused(Exchange x) {
        return x.untagged(7, pattern(8, 1)).one();
    }

    /** Number of datagrams that come; the first of them may take its time. */
    private static int answers(List<Exchange> all) {
        int count = 0;
        for (Exchange x : all) {
            while (x.hear(count == 0 ? x.patience().answerMillis() : 5) != null) {
                count++;
            }
        }
        return count;
    }

    @Case(value = "DG-9.3-3: does not tell a stranger the fault of a datagram", after = "DG-5.2-9")
    void noOracle(DatagramTrial t) {
        QueuePair ud = t.ud();
        Region r = t.program().region(Program.REMOTE_READ, 4096);
        List<Function<Exchange, Datagram>> offenders = List.of(
                x -> x.record(r.stag() ^ 1, r.to(), pattern(8, 1)).one(),
                x -> x.record(r, 0, pattern(8, 1)).one(),
                x -> x.record(r, -8, pattern(8, 1)).one(),
                x -> x.untagged(7, pattern(8, 1)).one(),
                x -> x.send(pattern(5000, 1)).one(),
                x -> x.send(pattern(8, 1)).one().put(24, 1, 0x42));
        for (Function<Exchange, Datagram> offender : offenders) {
            Exchange x = t.stranger(ud);
            x.ask(offender.apply(x), 0x01FF);
        }
        t.delivered(t.stranger(ud));
    }

    @Case("DG-9.3-4: reports a NOTIFY to its program, and goes on")
    void notifyIsTold(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        t.program().postSend(peer, 40, 1);
        Datagram send = x.expectSend();
        x.say(Bodies.notify(x, send, 0x1205));
        Program.Notice told = t.program().event(x.patience().answerMillis());
        Program.Notice wanted = new Program.Notice(64, 0x1205, send.id());
        unless(wanted.equals(told), "an async event about the NOTIFY: " + wanted, told);
        t.program().postSend(peer, 40, 2);
        x.expectSend();
        t.completion().is(0, 0);
        t.completion().is(0, 0);
        t.delivered(x);
    }

    @Case(value = "DG-9.5-1 DG-9.5-3: answers a stranger once, with no more bytes than it sent", after = "DG-9.1-1")
    void noAmplification(DatagramTrial t) {
        QueuePair ud = t.ud();
        QueuePair rd = t.rd();
        Region r = t.program().region(Program.ALL, 4096);
        t.program().service(SERVICE, ud);
        t.program().handler(SERVICE + 1, ud);
        for (int i = 0; i < 12; i++) {
            Exchange x = t.stranger(i < 8 ? ud : rd);
            Datagram question =
                    switch (i) {
                        case 0 -> x.send().one().put(24, 1, 0x42);
                        case 1 -> x.record(r.stag() ^ 1, r.to()).one();
                        case 2 -> x.read(r, 0, 4000).one();
                        case 3 -> x.read(r.stag() ^ 1, r.to(), 4000).one();
                        case 4 -> x.resolve(SERVICE, 3);
                        case 5 -> x.resolve(SERVICE + 1, 3, pattern(216, 1));
                        case 6 -> x.resolve(SERVICE + 2, 3);
                        case 7 -> x.question(Kind.DATA).version(2);
                        case 8 -> Bodies.open(x, 5, 5, 0, 64);
                        case 9 -> Channel.framed(x.send().one(), 5, 5, 5, 64, 0);
                        case 10 -> Bodies.ack(x, 5, 5, 64, false);
                        default -> Bodies.accept(x, 5, 5, 6, 5, 5, 64);
                    };
            x.say(question);
            x.expect("an answer of at most " + question.size() + " bytes", d -> d.size() <= question.size());
            Datagram more = x.hear(20);
            unless(more == null, "one answer", more);
        }
        t.delivered(t.stranger(ud));
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
}
