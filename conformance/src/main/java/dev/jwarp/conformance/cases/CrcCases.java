package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.COMPLETIONS;
import static dev.jwarp.conformance.app.Ability.CONFIGURE;
import static dev.jwarp.conformance.app.Ability.CRC;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.SENDS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.app.Ability.WRITES;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.script.Role.RESPONDER;

import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Framer.Flaw;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.Arrays;

/** CRCs, and reactions to a wrong one: RFC 5044 §4.4 and §8. {@link Talk} checks the CRC of each received FPDU. */
@Case.Needs(CRC)
final class CrcCases {
    private static final int BAD_CRC = 0x2002;

    @Case(
            value = "MPA-4.4-2 MPA-4.4-3: computes CRC32C over length, ULPDU and pad, least significant byte first",
            needs = SENDS)
    void rightCrcs(Trial trial) {
        Talk talk = trial.open();
        for (int length = 1; length <= 70; length++) {
            boolean good = FramingCases.sent(trial, talk, length).crcGood();
            unless(good, "a right CRC over a Send of " + length + " bytes", "a wrong one");
        }
    }

    @Case(value = "MPA-4.4-6: takes nothing from an FPDU whose CRC is wrong", needs = PROBE)
    void wrongCrc(Trial trial) {
        refused(trial, Flaw.CRC);
    }

    @Case(value = "MPA-4.4-7: treats a CRC in reverse byte order as wrong", needs = PROBE)
    void swappedCrc(Trial trial) {
        refused(trial, Flaw.CRC_SWAPPED);
    }

    @Case(value = "MPA-4.4-7: treats a CRC that does not cover the pad as wrong", needs = PROBE)
    void padNotCovered(Trial trial) {
        refused(trial, Flaw.PAD_CRC);
    }

    private static void refused(Trial trial, Flaw flaw) {
        Talk talk = trial.open();
        // The first valid FPDU allows a responder to send (RFC 5044 §7.1.2).
        trial.probed(talk);
        Segment probe = trial.app().probe();
        talk.send(flaw == Flaw.PAD_CRC ? FramingCases.oddLength(probe) : probe, flaw);
        talk.expectRefusal(BAD_CRC);
    }

    @Case(
            value = "MPA-4.4-8 MPA-7.1.1-7: uses CRCs in both directions when only its peer asks for them",
            needs = {CONFIGURE, PROBE})
    void askedByThePeer(Trial trial) {
        Talk talk = trial.probed(trial.open(DeviceConfiguration.USUAL.withoutCrc()));
        talk.send(trial.app().probe(), Flaw.CRC);
        talk.expectTerminate(BAD_CRC);
    }

    @Case(value = "MPA-7.1.1-7: uses CRCs in both directions when only it asks for them", needs = PROBE)
    void askedByTheDevice(Trial trial) {
        Talk talk = trial.open(f -> f.without(StartFrame.CRC));
        if (!talk.crc()) {
            throw new Skip("needs a device that asks for CRCs");
        }
        trial.probed(talk);
        talk.send(trial.app().probe(), Flaw.CRC);
        talk.expectTerminate(BAD_CRC);
    }

    @Case(
            value = "MPA-8-3: delivers nothing after a wrong CRC",
            needs = {TARGET, COMPLETIONS})
    void nothingBehind(Trial trial) {
        Talk talk = trial.open();
        Region target = trial.app().target();
        trial.probed(talk);
        byte[] bad = talk.framer().frame(trial.app().probe().bytes(), Flaw.CRC);
        byte[] good = talk.framed(Segment.write(target.stag(), target.to(), Octets.pattern(64, 3)));
        talk.sendOctets(new Octets().add(bad).add(good).bytes(), "an FPDU with a wrong CRC and a good RDMA Write");
        talk.expectRefusal(BAD_CRC);
        unless(
                !Arrays.equals(trial.after(talk).peek(talk, 0, 64), Octets.pattern(64, 3)),
                "memory that the later Write has not changed",
                "its bytes");
    }

    @Case(value = "MPA-8-5: sends a Terminate before it closes after a wrong CRC", needs = PROBE)
    void terminateBeforeTheEnd(Trial trial) {
        refused(trial, Flaw.CRC);
    }

    @Case(
            value = "MPA-7.1.2-7: sends nothing after a first FPDU whose CRC is wrong",
            device = RESPONDER,
            needs = PROBE,
            after = "MPA-6-1 MPA-7.1.2-6")
    void firstFpduBad(Trial trial) {
        trial.open();
        Segment probe = trial.app().probe();
        Talk talk = trial.connect();
        talk.open(trial.offer(), f -> f);
        probe.msn(1);
        talk.send(probe, Flaw.CRC);
        talk.expectEnd();
    }

    @Case(value = "MPA-7.1.1-7: sends large messages intact while CRCs are in use", needs = WRITES)
    void largeMessages(Trial trial) {
        FramingCases.written(trial, trial.open(), 200_000);
    }
}
