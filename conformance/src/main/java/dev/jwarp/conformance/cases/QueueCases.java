package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.COMPLETIONS;
import static dev.jwarp.conformance.app.Ability.FOLLOWS;
import static dev.jwarp.conformance.app.Ability.INVALIDATE;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.RECEIVES;
import static dev.jwarp.conformance.app.Ability.RECEIVE_SIZE;
import static dev.jwarp.conformance.app.Ability.SENDS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.SendKind;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/** Untagged segments for the device, good and bad, and Terminates: RFC 5041 §5 and §7.1, RFC 5040 §5 to §7. */
final class QueueCases {
    private static final int INVALID_QN = 0x1201;
    private static final int NO_BUFFER = 0x1202;
    private static final int MSN_RANGE = 0x1203;
    private static final int INVALID_MO = 0x1204;
    private static final int TOO_LONG = 0x1205;
    private static final int UNTAGGED_VERSION = 0x1206;
    private static final int UNEXPECTED_OPCODE = 0x0206;

    @Case(value = "DDP-7.1-1 RDMAP-7-1: refuses a queue number that does not exist", needs = PROBE)
    void unknownQueue(Trial trial) {
        refusesSend(trial, s -> s.queue(9), INVALID_QN);
    }

    @Case(value = "DDP-7.1-1: refuses a Send on the queue of Read Requests", needs = PROBE)
    void wrongQueue(Trial trial) {
        trial.probed().refuses(Segment.send(1, new byte[8]).queue(1), INVALID_QN, UNEXPECTED_OPCODE);
    }

    @Case(
            value = "DDP-7.1-2: refuses a Send for which no receive is posted, or waits for a receive",
            needs = RECEIVES,
            after = "RDMAP-7.1-1")
    void noReceive(Trial trial) {
        Talk talk = trial.probed();
        trial.app().keepReceives(0);
        // Posted receives cannot be removed, so some of these Sends find one.
        for (int i = 0; i < 24; i++) {
            talk.send(Segment.send(talk.nextSend(), new byte[4]));
        }
        for (int answers = 0; answers <= 24; answers++) {
            Fpdu fpdu = talk.nextFpdu(talk.patience().answerMillis());
            if (fpdu == null) {
                unless(!talk.wire().ended(), "a Terminate, or a stream that waits", talk.came());
                // Without a receive the program cannot get a command to post one.
                throw new Inconclusive("no answer came: the Sends may wait for a receive, or be lost");
            }
            if (!fpdu.segment().is(Opcode.SEND)) {
                talk.terminatedBy(fpdu.segment(), NO_BUFFER, MSN_RANGE);
                talk.expectEnd();
                return;
            }
        }
        throw new Inconclusive("the program answered more Sends than it had receives");
    }

    @Case(value = "DDP-7.1-3: refuses an MO that leaves a gap", needs = PROBE)
    void offsetHole(Trial trial) {
        refusesSend(trial, s -> s.mo(4), INVALID_MO);
    }

    @Case(value = "DDP-7.1-3: refuses an MO after the end of the receive", needs = RECEIVE_SIZE)
    void offsetBehind(Trial trial) {
        refusesSend(trial, s -> s.mo(trial.app().receiveSize() + 8L), INVALID_MO, TOO_LONG);
    }

    @Case(value = "DDP-7.1-4: refuses a Send that is longer than the receive", needs = RECEIVE_SIZE)
    void tooLong(Trial trial) {
        refusesSend(trial, s -> s.payload(new byte[trial.app().receiveSize() + 1]), TOO_LONG);
    }

    @Case(value = "DDP-7.1-5: refuses an MSN that was used before", needs = PROBE)
    void repeated(Trial trial) {
        trial.probed().refuses(Segment.send(1, new byte[8]), MSN_RANGE);
    }

    @Case(value = "DDP-7.1-5: refuses an MSN that is too high", needs = PROBE)
    void ahead(Trial trial) {
        refusesSend(trial, s -> s.msn(s.msn() + 1_000), MSN_RANGE, NO_BUFFER);
    }

    @Case(value = "DDP-7.2-1: refuses an untagged segment of another DDP version", needs = PROBE)
    void untaggedDdpVersion(Trial trial) {
        refusesSend(trial, s -> s.ddpVersion(0), UNTAGGED_VERSION);
    }

    @Case(value = "RDMAP-7.2-2: refuses a Send of another RDMAP version", needs = PROBE)
    void sendOfAnotherRdmapVersion(Trial trial) {
        refusesSend(trial, s -> s.rdmapVersion(3), 0x0205);
    }

    @Case(value = "RDMAP-7.2-1: refuses an opcode that is not assigned", needs = PROBE)
    void unknownOpcode(Trial trial) {
        refusesSend(trial, s -> s.opcode(12), UNEXPECTED_OPCODE);
    }

    @Case(
            value = "DDP-4.1-2 RDMAP-4.1-2 RDMAP-4.1-3: "
                    + "ignores reserved bits, and an Invalidate STag without a meaning",
            needs = PROBE)
    void reservedIgnored(Trial trial) {
        Talk talk = trial.open();
        talk.send(trial.app().probe().ddpReserved(0xF).rdmapReserved(3).invalidate(0xABCD_EF01L));
        trial.app().expectAnswer();
    }

    @Case(
            value = "DDP-5.4-1 DDP-5.4-2: delivers a Send when its last segment has come, and reports its length",
            needs = PROBE)
    void twoSegments(Trial trial) {
        Talk talk = trial.probed();
        Segment[] halves = halves(trial.app().probe());
        talk.send(halves[0]);
        talk.expectSilence();
        talk.send(halves[1]);
        trial.app().expectAnswer();
    }

    /** Two segments of a Send, in place of one. */
    static Segment[] halves(Segment whole) {
        byte[] payload = whole.payload();
        int cut = Math.min(10, payload.length - 1);
        return new Segment[] {
            Segment.parse(whole.bytes()).payload(Arrays.copyOf(payload, cut)).last(false),
            Segment.parse(whole.bytes())
                    .payload(Arrays.copyOfRange(payload, cut, payload.length))
                    .mo(cut)
        };
    }

    @Case(
            value = "DDP-5.3-2 RDMAP-5.3-3: delivers each Send once, in order, however TCP divides the stream",
            needs = PROBE)
    void inOrder(Trial trial) {
        Talk talk = trial.open();
        for (int i = 0; i < 200; i++) {
            byte[] frame = talk.framed(trial.app().probe());
            int cut = 1 + i * 13 % (frame.length - 1);
            talk.sendOctets(Arrays.copyOf(frame, cut), "the first " + cut + " bytes of an FPDU");
            talk.sendOctets(Arrays.copyOfRange(frame, cut, frame.length), "the rest");
            trial.app().expectAnswer();
        }
    }

    @Case(
            value = "RDMAP-5.3-1: consumes a receive for a Send of no bytes",
            needs = {RECEIVES, COMPLETIONS})
    void emptySend(Trial trial) {
        Talk talk = trial.probed();
        talk.send(Segment.send(talk.nextSend()));
        // The target answers a Send that is no command with a status.
        talk.expectMessage(Opcode.SEND);
    }

    @Case(
            value = "RDMAP-5.3-4 SEC-6.2.2-1: invalidates the STag that a Send names before it delivers",
            needs = {INVALIDATE, PROBE},
            after = "DDP-7.1-6")
    void invalidates(Trial trial) {
        Talk talk = trial.probed();
        Region region = trial.app().revocable();
        talk.send(Segment.write(region.stag(), region.to(), new byte[8]));
        talk.send(invalidating(trial, region.stag()));
        trial.app().expectAnswer();
        talk.refuses(Segment.write(region.stag(), region.to(), new byte[8]), 0x1100);
    }

    @Case(
            value = "DDP-5.4-3 RDMAP-5.3-4: invalidates the STag that a Send of two segments names",
            needs = {INVALIDATE, PROBE},
            after = "DDP-5.4-1 RDMAP-5.3-4 DDP-7.1-6")
    void invalidatesWithTwoSegments(Trial trial) {
        Talk talk = trial.probed();
        Region region = trial.app().revocable();
        for (Segment half : halves(invalidating(trial, region.stag()))) {
            talk.send(half);
        }
        trial.app().expectAnswer();
        talk.refuses(Segment.write(region.stag(), region.to(), new byte[8]), 0x1100);
    }

    @Case(value = "RDMAP-5.4-6: closes after a Terminate without a control field", needs = PROBE)
    void emptyTerminate(Trial trial) {
        invalidTerminate(trial, Segment.of(Opcode.TERMINATE).msn(1).payload(new byte[2]));
    }

    @Case(value = "RDMAP-5.4-6: closes after a Terminate with an MSN other than 1", needs = PROBE)
    void fifthTerminate(Trial trial) {
        invalidTerminate(trial, Segment.terminate(0, 0, 0, 0).msn(5));
    }

    /** The message that the program answers, as a Send that invalidates this STag. */
    static Segment invalidating(Trial trial, long stag) {
        return trial.app().probe().opcode(Opcode.SEND_INVALIDATE.number()).invalidate(stag);
    }

    /** The device may answer the Terminate with one of its own. */
    private static void invalidTerminate(Trial trial, Segment terminate) {
        Talk talk = trial.probed();
        talk.send(terminate);
        Fpdu answer = talk.nextFpdu(talk.patience().answerMillis());
        unless(
                answer == null || answer.segment().is(Opcode.TERMINATE),
                "the end of the connection, with a Terminate or without",
                answer == null ? "" : Octets.hex(answer.ulpdu()));
        talk.expectEnd();
    }

    @Case(
            value = "RDMAP-7.2-3: refuses to invalidate an STag that was never registered",
            needs = {INVALIDATE, PROBE})
    void invalidatesUnknown(Trial trial) {
        trial.probed().refuses(invalidating(trial, 0x7654_3210L), 0x0109, 0x0209);
    }

    @Case(value = "RDMAP-7.1-1: answers an error with a Terminate", needs = PROBE)
    void terminates(Trial trial) {
        boolean terminated = false;
        String came = "";
        // Other cases test which of these errors the device detects.
        for (int error = 0; error < 3 && !terminated; error++) {
            Talk talk = trial.probed();
            talk.send(error(error, talk));
            Fpdu answer = talk.nextFpdu(talk.patience().answerMillis());
            terminated = answer != null && answer.segment().opcode() == Opcode.TERMINATE;
            came = answer == null ? talk.came() : Octets.hex(answer.octets());
        }
        unless(terminated, "a Terminate after one of three errors", came);
    }

    @Case(value = "RDMAP-7-1: ends the connection after an error", needs = PROBE)
    void endsAfterAnError(Trial trial) {
        boolean ended = false;
        for (int error = 0; error < 3 && !ended; error++) {
            Talk talk = trial.probed();
            talk.send(error(error, talk));
            // Other cases test whether the device may send after its Terminate.
            Fpdu said = talk.nextFpdu(talk.patience().answerMillis());
            while (said != null && !talk.wire().ended()) {
                said = talk.nextFpdu(talk.patience().closeMillis());
            }
            ended = talk.wire().ended();
        }
        unless(ended, "the end of the connection after one of three errors", "a connection that stays");
    }

    /** One of three errors: a Send on a queue that does not exist, a reserved opcode, an unsolicited Read Response. */
    private static Segment error(int which, Talk talk) {
        return switch (which) {
            case 0 -> Segment.send(talk.nextSend(), new byte[8]).queue(9);
            case 1 -> Segment.send(talk.nextSend(), new byte[8]).opcode(12);
            default -> Segment.readResponse(1, 0, new byte[8]);
        };
    }

    @Case(
            value =
                    "RDMAP-5.4-1 RDMAP-4.8-1 RDMAP-4.8-2: sends a Terminate on queue 2 with MSN 1, encoded as the RFC draws it",
            needs = PROBE)
    void terminateLayout(Trial trial) {
        Talk talk = trial.probed();
        Segment bad = error(0, talk);
        talk.send(bad);
        Fpdu answer = talk.nextFpdu(talk.patience().answerMillis());
        Segment s = answer == null ? null : answer.segment();
        if (s == null || !s.is(Opcode.TERMINATE)) {
            // Other cases test which errors the device detects.
            talk = trial.probed();
            bad = error(1, talk);
            talk.send(bad);
            s = talk.expect(Opcode.TERMINATE);
        }
        unless(s.queue() == 2 && s.msn() == 1 && s.mo() == 0 && s.last(), "QN 2, MSN 1, MO 0, L", s.queue());
        byte[] p = s.payload();
        if ((p[2] & 0xFF) != 0xC0 || p[3] != 0) {
            throw Deviation.from("RDMAP-4.8-1", "M and D set, the reserved bits 0", Octets.hex(p));
        }
        if (p.length != 24) {
            throw Deviation.from("RDMAP-4.8-2", "24 bytes: control, length, DDP header", p.length + " bytes");
        }
        unless(Octets.number(p, 4, 2) == bad.bytes().length, "the length of the segment", Octets.number(p, 4, 2));
        unless(
                Arrays.equals(Arrays.copyOfRange(p, 6, 24), Arrays.copyOf(bad.bytes(), 18)),
                "the DDP header of the bad segment",
                Octets.hex(p));
    }

    @Case(
            value = "RDMAP-5.4-2: sends nothing after a Terminate",
            needs = {SENDS, TARGET},
            after = "RDMAP-7.1-1")
    void nothingBehindTerminate(Trial trial) {
        Talk talk = trial.probed();
        trial.app().askSends(SendKind.SEND, 64, 100, 0);
        Region r = trial.app().target();
        talk.send(Segment.write(~r.stag() & 0xFFFF_FFFFL, r.to(), new byte[8]));
        Segment s = talk.expectSegment("Sends, then a Terminate");
        for (int sends = 0; sends < 100 && s.is(Opcode.SEND); sends++) {
            s = talk.expectSegment("Sends, then a Terminate");
        }
        unless(s.is(Opcode.TERMINATE), "a Terminate", Octets.hex(s.bytes()));
        talk.expectEnd();
    }

    @Case(value = "RDMAP-5.4-5 RDMAP-5.4-4: ends after a Terminate without answering it", needs = PROBE)
    void terminated(Trial trial) {
        Talk talk = trial.probed();
        talk.send(Segment.terminate(0, 0, 0, 0));
        talk.expectEnd();
        trial.stillServes();
    }

    @Case(value = "RDMAP-4.8-5 RDMAP-5.4-3: ignores the reserved bits of a Terminate", needs = PROBE)
    void terminateReserved(Trial trial) {
        Talk talk = trial.probed();
        talk.send(Segment.terminate(0, 2, 0x07, 0x1F));
        talk.expectEnd();
    }

    @Case(
            value = "RDMAP-6.2.1-1 DDP-7.1-12: completes its Terminate although more bytes come in",
            needs = TARGET,
            after = "DDP-7.1-6")
    void terminateArrives(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        talk.send(Segment.write(~r.stag() & 0xFFFF_FFFFL, r.to(), new byte[8]));
        for (int i = 0; i < 64; i++) {
            talk.send(Segment.write(r.stag(), r.to(), new byte[1_000]));
        }
        talk.expectRefusal(0x1100);
        unless(!talk.wire().wasReset(), "FIN", "RST");
    }

    @Case(
            value = "DDP-6.2.1-4: closes gracefully after the peer's FIN",
            needs = {PROBE, FOLLOWS})
    void finForFin(Trial trial) {
        Talk talk = trial.probed();
        talk.wire().finish();
        talk.expectEnd();
        unless(!talk.wire().wasReset(), "FIN", "RST");
    }

    private static void refusesSend(Trial trial, UnaryOperator<Segment> change, int... causes) {
        Talk talk = trial.probed();
        talk.refuses(change.apply(Segment.send(talk.nextSend(), new byte[8])), causes);
    }
}
