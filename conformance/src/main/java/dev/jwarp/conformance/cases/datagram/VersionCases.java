package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.datagram.DatagramTrial.SERVICE;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.suite.Case;

/** Other versions: datagram-iWARP §4.7. */
final class VersionCases {
    /** The async event for a VERSION LIST. */
    private static final int VERSION_LIST = 66;

    private static void list(Exchange x, Datagram offender) {
        Datagram list = x.ask(offender, Kind.VERSION_LIST);
        unless((list.get(16, 4) & 2) != 0, "version 1 in the VERSION LIST", list);
    }

    @Case("DG-4.7-1: answers another version by a VERSION LIST, for each type of queue pair and the resolver")
    void otherVersion(DatagramTrial t) {
        QueuePair ud = t.ud();
        t.program().service(SERVICE, ud);
        Exchange x = t.known(ud);
        list(x, x.send(pattern(5, 1)).one().version(2));
        list(x, x.question(Kind.DATA).version(15).kind(11));
        Exchange rd = t.stranger(t.rd());
        list(rd, Bodies.open(rd, 5, 5, 0, 64).version(3));
        Exchange asker = t.stranger(ud);
        list(asker, asker.resolve(SERVICE, Program.UD).version(2));
        t.delivered(x);
    }

    @Case("DG-4.7-2: does not answer another version in datagrams that it would drop")
    void otherVersionUnanswered(DatagramTrial t) {
        Exchange x = t.known();
        Datagram d = x.send(pattern(5, 1)).one().version(2);
        t.dropped(
                x,
                "rx_version",
                d.key(x.theirs().key() ^ 1),
                d.to(x.theirs().number() ^ 0x20),
                d.and(Datagram.R),
                d.and(Datagram.G),
                // No service, no resolver.
                x.resolve(SERVICE, Program.UD).version(2));
    }

    @Case("DG-4.7-2: never answers Version 0")
    void versionZero(DatagramTrial t) {
        Exchange x = t.known();
        t.dropped(
                x,
                "rx_version",
                x.send(pattern(5, 1)).one().version(0),
                x.question(Kind.VERSION_LIST).length(2).and(Datagram.R).resized(28));
    }

    @Case(value = "DG-4.7-2: sends VERSION LISTs at no more than the rate of NOTIFY", after = "DG-9.3-1")
    void rate(DatagramTrial t) {
        Exchange x = t.known();
        x.expectLimited(10, 25, () -> x.send(pattern(5, 1)).one().version(2));
        t.delivered(x);
    }

    @Case("DG-R.3-4: ends a RESOLVE of its own when a VERSION LIST answers it")
    void listEndsResolve(DatagramTrial t) {
        Exchange x = t.resolver(t.ud());
        t.program().askService(x.port(), SERVICE, Program.UD);
        Datagram asked = x.expect(Kind.RESOLVE);
        x.say(Bodies.versions(x, asked, 4));
        Program.Found found = t.program().found(x.patience().answerMillis());
        unless(found != null && found.status() == 5, "no common version (status 5)", found);
    }

    @Case("DG-4.7-6: reports a VERSION LIST to its program, and goes on in its version")
    void listChangesNothing(DatagramTrial t) {
        Exchange x = t.known();
        int peer = t.program().peer(x);
        t.program().postSend(peer, 5, 1);
        Datagram send = x.expectSend();
        // With a wrong Key the VERSION LIST matches nothing.
        x.say(Bodies.versions(x, send, 4).key(send.key() ^ 1));
        unless(t.program().event(x.patience().quietMillis()) == null, "no async event", "one");
        x.say(Bodies.versions(x, send, 4));
        Program.Notice told = t.program().event(x.patience().answerMillis());
        unless(told != null && told.type() == VERSION_LIST, "an async event about versions", told);
        t.program().postSend(peer, 5, 2);
        Datagram next = x.expectSend();
        unless(next.version() == 1, "version 1", next);
    }
}
