package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.DatagramTrial.SERVICE;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Found;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.suite.Case;
import java.nio.charset.StandardCharsets;

/** Questions for services, on both sides: datagram-iWARP §R.2 to §R.4. */
final class ResolveCases {
    private static final long HANDLER = 0x11223344556677AAL;

    private static Datagram answered(Exchange x, Datagram question, int status) {
        Datagram d = x.ask(question, Kind.RESOLVED);
        unless(d.get(24, 1) == status, "status " + status, d);
        unless((d.get(26, 2) & 2) != 0, "version 1 among the versions", d);
        return d;
    }

    /** Sends a RESOLVE, gets a CHALLENGE, and repeats the RESOLVE with the cookie. */
    private static Datagram proved(Exchange x, Datagram question, int status) {
        byte[] cookie = x.ask(question, Kind.CHALLENGE).slice(24, 40);
        return answered(x, question.cookie(cookie), status);
    }

    private static byte[] privateData(Datagram resolved) {
        return resolved.slice(52, 52 + (int) resolved.get(48, 2));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Case("DG-R.4-1: does not answer RESOLVE at a port without services")
    void noResolver(DatagramTrial t) {
        Exchange x = t.known();
        t.dropped(x, "rx_qpn", x.resolve(SERVICE, 3));
    }

    @Case("DG-R.4-2 DG-R.2-2 DG-4.2-2: names the queue pair of a service")
    void namedByService(DatagramTrial t) {
        QueuePair ud = t.ud();
        QueuePair rd = t.rd();
        t.program().service(SERVICE, ud);
        t.program().service(SERVICE + 1, rd);
        // A resolver may challenge strangers for any service.
        Exchange x = t.known(ud);
        for (QueuePair named : new QueuePair[] {ud, rd}) {
            Datagram d = answered(x, x.resolve(named.equals(ud) ? SERVICE : SERVICE + 1, 3), 0);
            unless(d.get(28, 4) == named.number() && d.get(32, 4) == named.key(), "QPN and Q_Key of the service", d);
            unless(d.get(25, 1) == (named.equals(ud) ? 1 : 2), "the type of the queue pair", d);
            unless(d.get(36, 2) == 0 || d.get(36, 2) == t.program().address().getPort(), "the port that was asked", d);
            unless(d.get(40, 4) == named.longest(), "the longest message", d);
            unless(d.get(44, 4) == named.longestRead(), "the longest Read", d);
        }
        t.delivered(x);
    }

    @Case("DG-R.4-2 DG-R.2-2: says that there is no such service")
    void noSuchService(DatagramTrial t) {
        Exchange x = t.known();
        t.program().service(SERVICE, x.theirs());
        answered(x, x.resolve(SERVICE ^ 1, 3), 1);
        t.delivered(x);
    }

    @Case("DG-R.4-2: says that a service has no queue pair of a wanted type")
    void wrongType(DatagramTrial t) {
        Exchange x = t.known();
        t.program().service(SERVICE, x.theirs());
        t.program().service(SERVICE + 1, t.rd());
        answered(x, x.resolve(SERVICE, Program.RD), 3);
        answered(x, x.resolve(SERVICE + 1, Program.UD), 3);
        answered(x, x.resolve(SERVICE, Program.UD), 0);
    }

    @Case("DG-R.4-2: says that there is no common version before it looks for the service")
    void noCommonVersion(DatagramTrial t) {
        Exchange x = t.known();
        t.program().service(SERVICE, x.theirs());
        answered(x, x.resolve(SERVICE, 3).put(34, 2, 4), 5);
        answered(x, x.resolve(SERVICE ^ 1, 3).put(34, 2, 0xFFFD), 5);
        answered(x, x.resolve(SERVICE, 3).put(34, 2, 0xFFFF), 0);
    }

    @Case("DG-R.4-2 DG-9.2-1: calls a handler for proved sources only")
    void handlerForKnownOnly(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        t.program().handler(HANDLER, x.theirs());
        x.ask(x.resolve(HANDLER, 3, ascii("count")).cookie(pattern(16, 1)), Kind.CHALLENGE);
        // The first that is asked.
        Datagram d = proved(x, x.resolve(HANDLER, 3, ascii("count")), 0);
        same(privateData(d), new byte[] {1}, "a handler that was asked once");
    }

    @Case("DG-R.4-2: passes on the answer of a handler, with its private data")
    void handler(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        t.program().handler(HANDLER, x.theirs());
        Datagram yes = proved(x, x.resolve(HANDLER, 3, ascii("abc")), 0);
        same(privateData(yes), ascii("cba"), "the private data of the handler");
        unless(yes.get(28, 4) == x.theirs().number(), "the QPN of the service", yes);
        Datagram no = answered(x, x.resolve(HANDLER, 3, ascii("no")), 2);
        same(privateData(no), ascii("no"), "the private data of the refusal");
        Datagram most = answered(x, x.resolve(HANDLER, 3, pattern(216, 1)).cookie(new byte[16]), 0);
        unless(privateData(most).length == 216, "216 bytes of private data", most);
    }

    @Case("DG-R.4-2: gives the same answer to the same question")
    void sameAnswerAgain(DatagramTrial t) {
        Exchange x = t.stranger(t.ud());
        t.program().handler(HANDLER, x.theirs());
        Datagram question = x.resolve(HANDLER, 3, ascii("count"));
        Datagram first = proved(x, question, 0);
        x.say(question);
        x.expectAgain(first);
        Datagram next = answered(x, x.resolve(HANDLER, 3, ascii("count")), 0);
        unless(privateData(next)[0] == privateData(first)[0] + 1, "the next count for a new question", next);
    }

    @Case("DG-R.4-2: answers 10 RESOLVEs of a source in a second at most")
    void rate(DatagramTrial t) {
        Exchange x = t.known();
        t.program().service(SERVICE, x.theirs());
        x.expectLimited(10, 30, () -> x.resolve(SERVICE, 3));
        t.delivered(x);
    }

    @Case("DG-R.3-1 DG-R.2-1: repeats its RESOLVE in time, byte by byte")
    void repeats(DatagramTrial t) {
        Exchange x = t.resolver(t.ud());
        // The clock starts before the device can send: a slow tester must not make the device look hasty.
        long began = x.elapsed();
        t.program().askService(x.port(), SERVICE, 3, pattern(20, 1));
        Datagram first = x.expect(Kind.RESOLVE);
        boolean toResolver = first.to() == Datagram.RESOLVER && first.key() == Datagram.RESOLVER_KEY;
        unless(toResolver, "the resolver's QPN and Q_Key", first);
        unless(first.get(24, 8) == SERVICE && first.get(32, 1) == 3, "the service and types asked for", first);
        same(first.slice(40, 60), pattern(20, 1), "the private data of the question");
        for (long due : new long[] {250, 750}) {
            x.expectAgain(first);
            long after = x.elapsed() - began;
            unless(after >= due - 60 && after <= due + 1000, "a repetition after " + due + " ms", after + " ms");
        }
        x.say(Bodies.resolved(x, 1, 0, 0, 0, 0).id(first.id()));
        found(t, x, 1);
    }

    private static Found found(DatagramTrial t, Exchange x, int status) {
        Found found = t.program().found(x.patience().answerMillis());
        if (found == null || found.status() != status) {
            throw new Deviation("an end with status " + status, found == null ? "none" : found);
        }
        return found;
    }

    @Case("DG-R.3-4: ends a RESOLVE of its own when a VERSION LIST answers it")
    void listEndsResolve(DatagramTrial t) {
        Exchange x = t.resolver(t.ud());
        t.program().askService(x.port(), SERVICE, Program.UD);
        x.say(Bodies.versions(x, x.expect(Kind.RESOLVE), 4));
        found(t, x, 5); // no common version
    }

    @Case("DG-R.3-2 DG-5.5-2: asks again with the cookie of a CHALLENGE, at most twice")
    void challenged(DatagramTrial t) {
        Exchange x = t.resolver(t.ud());
        t.program().askService(x.port(), SERVICE, 3, pattern(216, 1));
        Datagram question = x.expect(Kind.RESOLVE);
        for (int i = 1; i <= 2; i++) {
            x.say(x.reply(Kind.CHALLENGE, question, pattern(16, i)));
            x.expectAgain(question.cookie(pattern(16, i)));
        }
        x.say(Bodies.resolved(x, 0, 1, 0xABCD, 0x11223344, 0, pattern(5, 2)).id(question.id()));
        Found f = found(t, x, 0);
        boolean named = f.number() == 0xABCD && f.key() == 0x11223344 && f.type() == 1;
        unless(named && f.port() == x.port(), "the queue pair that was named, at the port that was asked", f);
        same(f.privateData(), pattern(5, 2), "the private data");
    }

    @Case("DG-R.3-3 DG-5.5-1: takes the first RESOLVED that matches")
    void firstThatMatches(DatagramTrial t) {
        for (int status : new int[] {0, 1, 2, 3, 4, 5}) {
            Exchange x = t.resolver(status == 0 ? t.ud() : new QueuePair(0, 0, 0, 0, 0));
            t.program().askService(x.port(), SERVICE, 3);
            Datagram question = x.expect(Kind.RESOLVE);
            x.say(Bodies.resolved(x, 0, 1, 0xBAD0, 1, 0).id(question.id() + 1));
            x.say(Bodies.resolved(x, 0, 1, 0xBAD0, 1, 0).id(question.id()).key(Datagram.RESOLVER_KEY + 1));
            Datagram good = Bodies.resolved(x, 0, 2, 0xABCD, 0, 4791);
            x.say((status == 0 ? good : Bodies.resolved(x, status, 0, 0, 0, 0)).id(question.id()));
            Found f = found(t, x, status);
            unless(status != 0 || (f.number() == 0xABCD && f.port() == 4791), "QPN ABCD at port 4791", f);
        }
    }
}
