package dev.jwarp.conformance.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Result.Charge;
import dev.jwarp.conformance.suite.Survey;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.Verdict;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;

/** A run of five cases, one for each result, on a conversation with everything that is difficult for a report. */
final class Samples {
    static final String AWKWARD = "</script><b>&\u0001\u2028 got ]]> 'quoted'";

    private static final List<TestCase> CASES = AllCases.suite().cases(Role.RESPONDER, List.of("MPA-4.4"));

    private Samples() {}

    static final Findings.Origin ORIGIN = new Findings.Origin(
            "2026-11-27T20:19:17Z",
            "0.1.0",
            "build-7",
            "jwarp conform --peer 10.0.0.2:7174 --private-data '" + AWKWARD + "'");

    static Findings findings() {
        Survey.Fact fact = new Survey.Fact("revision", "2 " + AWKWARD);
        List<Findings.RoleFacts> survey = List.of(new Findings.RoleFacts("responder", List.of(fact)));
        return Findings.of("10.0.0.2:7174", ORIGIN, "rping", true, 7, 1.25, survey, results());
    }

    static List<Result> results() {
        return List.of(
                result(0, Verdict.PASS, "", "", ""),
                result(1, Verdict.FAIL, "a CRC", AWKWARD, ""),
                result(2, Verdict.FAIL, "a CRC", "none", "as the vendor says"),
                result(3, Verdict.SKIPPED, "", "needs a program that writes", ""),
                result(4, Verdict.INCONCLUSIVE, "", "cannot connect", ""));
    }

    /** A result that is charged to nothing; only a passed or failed case has a conversation. */
    static Result result(int test, Verdict verdict, String expected, String actual, String excluded) {
        return new Result(
                CASES.get(test),
                verdict,
                Charge.NONE,
                expected.isEmpty() ? Expectation.NONE : new Expectation.Other(expected),
                actual,
                excluded,
                1_000_000,
                verdict == Verdict.PASS || verdict == Verdict.FAIL ? List.of(conversation()) : List.of());
    }

    /** A start-up with Markers for the device, a good FPDU and one whose CRC is wrong, cut in the middle, and an end. */
    static Transcript conversation() {
        Framer framer = new Framer(true, true);
        byte[] good = framer.frame(Segment.send(1, "hello".getBytes(UTF_8)).bytes());
        byte[] bad = framer.frame(Segment.send(2, AWKWARD.getBytes(UTF_8)).bytes());
        bad[bad.length - 1] ^= 1;
        byte[] reply = StartFrame.reply()
                .with(StartFrame.MARKERS)
                .with(StartFrame.CRC)
                .enhanced(Depths.clientServer(4, 4))
                .bytes();
        byte[] request =
                StartFrame.request().enhanced(Depths.clientServer(4, 4)).bytes();
        return new Recording(
                0,
                false,
                List.of(
                        new Event(0, Event.Kind.CONNECTED, new byte[0], ""),
                        new Event(1_000_000, Event.Kind.SENT, request, "MPA Request"),
                        new Event(2_000_000, Event.Kind.RECEIVED, Arrays.copyOf(reply, 10), ""),
                        new Event(2_100_000, Event.Kind.RECEIVED, Arrays.copyOfRange(reply, 10, reply.length), ""),
                        new Event(3_000_000, Event.Kind.SENT, good, "a good one"),
                        new Event(3_500_000, Event.Kind.SENT, bad, "a bad one"),
                        new Event(4_000_000, Event.Kind.PEER_CLOSED, new byte[0], "FIN")));
    }

    record Recording(long began, boolean datagrams, List<Event> events) implements Transcript {
        @Override
        public InetSocketAddress local() {
            return new InetSocketAddress("10.0.0.1", 40000);
        }

        @Override
        public InetSocketAddress peer() {
            return new InetSocketAddress("10.0.0.2", 7174);
        }
    }
}
