package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.COMPLETIONS;
import static dev.jwarp.conformance.app.Ability.REGISTERS;
import static dev.jwarp.conformance.app.Ability.SENDS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application.EndReport;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.Rights;
import dev.jwarp.conformance.app.Application.SendKind;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.Arrays;

/** The end of a stream and of outstanding work: RFC 5041 §6.2, RFC 5040 §4.8, §6.2 and §7.1. */
final class EndCases {
    private static final long SINK = FramingCases.SINK;
    private static final int READS = 3;
    /** So many Reads that TCP cannot buffer all Responses at once. */
    private static final int MANY = 16;

    @Case(
            value = "DDP-6.2.2-1 MPA-8-4 DDP-6.2.2-2: "
                    + "reports a reset connection to its program, and ends the work under way in error",
            needs = {Ability.READS, COMPLETIONS})
    void reset(Trial trial) {
        Talk talk = withReads(trial);
        talk.wire().reset();
        endedInError(trial, talk);
    }

    @Case(
            value = "RDMAP-6.2.1-2 RDMAP-5.4-3 DDP-6.2.2-2: ends the work under way in error when a Terminate comes",
            needs = {Ability.READS, COMPLETIONS})
    void terminate(Trial trial) {
        Talk talk = withReads(trial);
        talk.send(Segment.terminate(0, 2, 0x06, 0));
        talk.expectEnd();
        endedInError(trial, talk);
    }

    @Case(
            value = "RDMAP-7.1-3 RDMAP-7.1-1 DDP-6.2.2-2: "
                    + "reports an error that it has detected to its program, and ends the work under way in error",
            needs = {Ability.READS, COMPLETIONS},
            after = "DDP-7.1-1")
    void ownError(Trial trial) {
        Talk talk = withReads(trial);
        talk.refuses(Segment.send(talk.nextSend(), new byte[8]).queue(9), 0x1201);
        endedInError(trial, talk);
    }

    private static Talk withReads(Trial trial) {
        Talk talk = trial.open();
        int reads = Math.min(READS, talk.asked());
        trial.app().askReads(SINK, 0, 16, reads);
        for (int i = 0; i < reads; i++) {
            talk.expect(Opcode.READ_REQUEST);
        }
        return talk;
    }

    private static void endedInError(Trial trial, Talk talk) {
        EndReport end = trial.after(talk).end(talk);
        unless(!end.clean(), "an end that is reported to its program as a failure", end);
        unless(end.outstanding() == 0, "an end of all work", end);
        int reads = Math.min(READS, talk.asked());
        unless(end.failed() + end.flushed() >= reads, reads + " Reads that ended in error", end);
    }

    @Case(value = "MPA-7.2-1: reports a graceful end to its program", needs = COMPLETIONS)
    void goodEnd(Trial trial) {
        Talk talk = trial.probed();
        talk.wire().finish();
        talk.expectEnd();
        EndReport end = trial.after(talk).end(talk);
        unless(end.clean(), "a clean end", end);
    }

    @Case(
            value = "DDP-6.2.1-3: still sends what its program has posted after the peer's FIN",
            needs = SENDS,
            after = "DDP-6.2.1-4 DDP-6.2.1-2 MPA-7.2-1")
    void halfClosed(Trial trial) {
        Talk talk = trial.probed();
        // TCP cannot buffer all of this while the tester does not read, so some bytes are still unsent when the FIN
        // comes.
        trial.app().askSends(SendKind.SEND, 1 << 20, 8, 0);
        talk.wire().await(1, talk.patience().answerMillis());
        talk.pause();
        talk.wire().finish();
        for (int i = 0; i < 8; i++) {
            same(talk.expectMessage(Opcode.SEND), Octets.pattern(1 << 20, i), "the Sends in order, number " + i);
        }
        talk.expectEnd();
        unless(!talk.wire().wasReset(), "FIN", "RST");
    }

    @Case(
            value = "RDMAP-4.8-4 SEC-6.2.2-1: "
                    + "stops a Read whose source is deregistered, and reports the rest in its Terminate",
            needs = {TARGET, REGISTERS},
            after = "RDMAP-4.8-2 RDMAP-5.2.1-3 RDMAP-6.2.1-1 DDP-6.2.1-4")
    void halfRead(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        int size = 1 << 20;
        int count = Math.min(talk.granted(), MANY);
        for (int i = 0; i < count; i++) {
            talk.send(Segment.readRequest(talk.nextRead(), SINK + i, 0x1000, size, r.stag(), r.to()));
        }
        // TCP cannot buffer all Responses, so some Reads are not answered yet when the memory is deregistered.
        talk.pause();
        trial.app().askDeregister(Rights.ALL);
        talk.pause();
        long stag = SINK;
        long sent = 0;
        Segment s = talk.expectSegment("Read Responses, then a Terminate");
        while (!s.is(Opcode.TERMINATE)) {
            if (s.is(Opcode.READ_RESPONSE)) {
                unless(s.stag() == stag && s.to() == 0x1000 + sent, "the next bytes of the Read", s);
                sent += s.payload().length;
                if (s.last()) {
                    stag++;
                    sent = 0;
                }
            }
            if (stag == SINK + count) {
                if (count < MANY) {
                    throw new Skip("needs a device that takes more than " + count + " RDMA Reads at once");
                }
                throw new Inconclusive("all Reads were answered before the memory was deregistered");
            }
            s = talk.expectSegment("Read Responses, then a Terminate");
        }
        TerminateFields t = TerminateFields.parse(s.payload());
        if (t == null || t.cause() != 0x0100) {
            throw new Deviation(new Expectation.Terminate(0x0100), s);
        }
        if (t.rdmapHeader() == null) {
            throw new Deviation("Terminate 0/1/00 with the Read Request in it", s);
        }
        Segment left = Segment.readRequest(1, stag, 0x1000 + sent, size - sent, r.stag(), r.to() + sent);
        unless(
                Arrays.equals(t.rdmapHeader(), left.payload()),
                "the rest of the Read: " + Octets.hex(left.payload()),
                Octets.hex(s.payload()));
        talk.expectEnd();
    }
}
