package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.REFUSES;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.script.Role.INITIATOR;
import static dev.jwarp.conformance.script.Role.RESPONDER;

import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What each side may send and when, until full operation: RFC 5044 §7.1.2. */
final class StartupCases {
    /**
     * Milliseconds that a device may wait for a frame. No document states a limit; a device that waits longer counts as
     * waiting for ever.
     */
    private static final long TIMERS_MILLIS = 30_000;

    /** Limit of the FPDUs that a device may send before the first one of the tester. */
    private static final int MOST_BEFORE = 16;

    private static final byte[] REFUSE = "refuse".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SEND_FIRST = "send-first".getBytes(StandardCharsets.US_ASCII);

    @Case(value = "MPA-7.1.2-1: sends nothing before a Request", device = RESPONDER)
    void silentBeforeTheRequest(Trial trial) {
        trial.connect().expectSilence();
    }

    @Case(value = "MPA-7.1.2-1: sends nothing after half a Request", device = RESPONDER)
    void silentToHalfARequest(Trial trial) {
        Talk talk = trial.connect();
        byte[] request = trial.request().privateData(new byte[40]).bytes();
        talk.sendOctets(Arrays.copyOf(request, 30), "half a Request");
        talk.expectSilence();
    }

    @Case(value = "MPA-7.1.2-2: closes on a Request that FIN cuts short", device = RESPONDER)
    void requestCutShort(Trial trial) {
        Talk talk = trial.connect();
        talk.sendOctets(Arrays.copyOf(trial.request().bytes(), 12), "12 bytes of a Request");
        talk.wire().finish();
        talk.expectEnd();
    }

    @Case(
            value = "MPA-8-4: still listens after connections that ended before a Request",
            device = RESPONDER,
            needs = PROBE)
    void endedBeforeTheRequest(Trial trial) {
        for (int i = 0; i < 20; i++) {
            trial.connect().close();
        }
        trial.stillServes();
    }

    @Case(
            value = "MPA-7.1.2-3: answers a Request that its program refuses with R=1",
            device = RESPONDER,
            needs = REFUSES)
    void refused(Trial trial) {
        trial.open();
        StartFrame reply = trial.connect().exchange(trial.request().privateData(REFUSE));
        unless(reply.has(StartFrame.REJECT), "a Reply with R=1", "a Reply that accepts");
    }

    @Case(value = "MPA-7.1.2-4 MPA-7.1.2-5: sends no FPDU after a Reply with R=1", device = INITIATOR)
    void rejected(Trial trial) {
        Talk talk = trial.connect();
        talk.send(trial.wanted().replyTo(talk.expectFrame()).with(StartFrame.REJECT));
        talk.expectEnd();
    }

    @Case(
            value = "MPA-7.1.2-5: does not take bytes after a Reply with R=1 as an FPDU",
            device = INITIATOR,
            after = "MPA-7.1.2-4")
    void octetsBehindReject(Trial trial) {
        Talk talk = trial.connect();
        byte[] reply = trial.wanted()
                .replyTo(talk.expectFrame())
                .with(StartFrame.REJECT)
                .bytes();
        byte[] bad = new Framer(false, true).frame(Segment.send(1, new byte[32]).bytes(), Framer.Flaw.CRC);
        talk.sendOctets(new Octets().add(reply).add(bad).bytes(), "a Reply with R=1 and an FPDU with a wrong CRC");
        talk.expectEnd();
    }

    @Case(
            value = "MPA-7.1.2-6: holds back its program's messages until the first FPDU has come",
            device = RESPONDER,
            needs = {PROBE, REFUSES},
            after = "MPA-7.1.2-10")
    void waitsForTheFirstFpdu(Trial trial) {
        trial.open();
        Talk talk = trial.connect();
        talk.open(trial.offer().withPrivateData(SEND_FIRST).request());
        talk.expectSilence(2 * talk.patience().quietMillis());
        // A zero-length RDMA Write opens the stream without a receive.
        talk.send(Segment.write(0, 0));
        talk.expectMessage(Opcode.SEND);
    }

    @Case(value = "MPA-7.1.2-6: sends no Marker before the first FPDU has come", device = RESPONDER)
    void noMarkerBefore(Trial trial) {
        StartFrame request = trial.offer().withMarkers().request();
        Talk talk = trial.connect();
        if (talk.exchange(request).has(StartFrame.REJECT)) {
            throw new Skip("needs a device that sends Markers when asked");
        }
        talk.expectSilence();
    }

    @Case(value = "MPA-7.1.2-9: gives up on a peer that sends half a Request and then nothing", device = RESPONDER)
    void stalledRequest(Trial trial) {
        Talk talk = trial.connect();
        talk.sendOctets(Arrays.copyOf(trial.request().bytes(), 10), "10 bytes of a Request");
        talk.expectEnd(TIMERS_MILLIS);
    }

    @Case(value = "MPA-7.1.2-9: gives up on a peer that never replies", device = INITIATOR)
    void neverReplied(Trial trial) {
        Talk talk = trial.connect();
        talk.expectFrame();
        talk.expectEnd(TIMERS_MILLIS);
    }

    @Case(
            value = "MPA-7.1.2-11: ends without an FPDU when its program refuses the Reply",
            device = INITIATOR,
            needs = REFUSES)
    void replyRefused(Trial trial) {
        trial.open();
        Talk talk = trial.connect();
        StartFrame request = talk.expectFrame();
        StartFrame plain = trial.wanted().replyTo(request);
        talk.send(plain.ulpData(REFUSE));
        Depths agreed = plain.depths();
        if (agreed != null && agreed.peerToPeer()) {
            // The Ready-to-Receive message belongs to start-up (RFC 6581 §9.2) and may come before the program's
            // decision.
            talk.begin(plain, request);
            Fpdu ready = talk.nextFpdu(talk.patience().quietMillis());
            unless(
                    ready == null
                            || ready.segment().is(Opcode.READ_REQUEST)
                            || ready.segment().payload().length == 0,
                    "no FPDU except the Ready-to-Receive message",
                    ready == null ? "" : Octets.hex(ready.octets()));
        }
        talk.expectEnd();
    }

    @Case(
            value = "MPA-8-2: closes at once on a bad Request, not after a time-out",
            device = RESPONDER,
            after = "MPA-7.1.1-2 MPA-7.1.1-4")
    void closesAtOnce(Trial trial) {
        StartFrameCases.refusesRequest(trial, trial.request().key("GET / HTTP/1.0\r\n"));
    }

    @Case(value = "MPA-7.1.2-12: takes bytes right after an accepting Reply as FPDUs", device = INITIATOR)
    void fpduBehindTheReply(Trial trial) {
        Talk talk = trial.connect();
        StartFrame request = talk.expectFrame();
        StartFrame reply = trial.wanted().replyTo(request);
        talk.begin(reply, request);
        // With an unassigned opcode: the answer shows that the device has parsed the FPDU, whatever the program.
        byte[] fpdu = talk.framed(Segment.send(1, new byte[8]).opcode(12));
        talk.sendOctets(
                new Octets().add(reply.bytes()).add(fpdu).bytes(), "a Reply and an FPDU with an unassigned opcode");
        Segment answer = talk.expectSegment("a Terminate");
        for (int others = 0; others < MOST_BEFORE && !answer.is(Opcode.TERMINATE); others++) {
            answer = talk.expectSegment("a Terminate");
        }
        unless(answer.is(Opcode.TERMINATE), "a Terminate", Octets.hex(answer.bytes()));
        talk.expectEnd();
    }

    @Case(value = "MPA-7.1.2-13: gives up on a Reply that FIN cuts short", device = INITIATOR)
    void replyCutShort(Trial trial) {
        Talk talk = trial.connect();
        byte[] reply = trial.wanted().replyTo(talk.expectFrame()).bytes();
        talk.sendOctets(Arrays.copyOf(reply, 18), "18 bytes of a Reply");
        talk.wire().finish();
        talk.expectEnd();
    }

    @Case(value = "MPA-7.1.2-14: takes FPDUs as soon as it has accepted", device = RESPONDER, needs = PROBE)
    void fpdusAtOnce(Trial trial) {
        Talk talk = trial.connect();
        talk.open(trial.offer(), f -> f);
        Segment[] writes = new Segment[50];
        for (int i = 0; i < writes.length; i++) {
            writes[i] = Segment.write(0, i);
        }
        talk.sendTogether(writes);
        trial.begin(talk);
        trial.probed(talk);
    }

    @Case(value = "DDP-6.2-1: keeps an idle stream open", needs = PROBE)
    void idle(Trial trial) {
        Talk talk = trial.open();
        long end = talk.wire().millis() + 5 * talk.patience().quietMillis();
        // The device may send something by itself, such as an empty RDMA Write. The stream must stay open.
        while (talk.wire().millis() < end) {
            Fpdu fpdu = talk.nextFpdu(end - talk.wire().millis());
            unless(
                    !talk.wire().ended() && (fpdu == null || !fpdu.segment().is(Opcode.TERMINATE)),
                    "a stream that stays",
                    fpdu == null ? talk.came() : Octets.hex(fpdu.octets()));
        }
        trial.probed(talk);
    }

    @Case(value = "MPA-7.1.2-6: takes several connections one after the other", needs = PROBE)
    void again(Trial trial) {
        for (int i = 0; i < 3; i++) {
            Talk talk = trial.open();
            trial.probed(talk);
            talk.close();
        }
    }
}
