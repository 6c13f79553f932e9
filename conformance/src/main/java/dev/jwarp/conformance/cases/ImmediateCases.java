package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.ATOMICS;
import static dev.jwarp.conformance.app.Ability.IMMEDIATE;
import static dev.jwarp.conformance.app.Ability.SENDS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.SendKind;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;

/** Immediate Data: RFC 7306 §6. */
@Case.Needs(IMMEDIATE)
final class ImmediateCases {
    private static final int FETCH_ADD = 0;
    private static final long ALL = -1;
    private static final long SINK = FramingCases.SINK;

    @Case(value = "EXT-6.3-1 EXT-4.1-1: sends Immediate Data of 8 bytes on queue 0", needs = SENDS)
    void ownImmediate(Trial trial) {
        Talk talk = trial.probed();
        trial.app().askSends(SendKind.IMMEDIATE, 8, 1, 0);
        Segment s = talk.expect(Opcode.IMMEDIATE);
        unless(s.payload().length == 8 && s.queue() == 0 && s.last(), "8 bytes on QN 0", Octets.hex(s.bytes()));
        trial.app().askSends(SendKind.IMMEDIATE_SE, 8, 1, 0);
        talk.expect(Opcode.IMMEDIATE_SE);
    }

    @Case("EXT-6.3-2 EXT-8.1-1: refuses Immediate Data of 4 bytes")
    void shortImmediate(Trial trial) {
        badImmediate(trial, 4);
    }

    @Case("EXT-6.3-2: refuses Immediate Data of 12 bytes")
    void longImmediate(Trial trial) {
        badImmediate(trial, 12);
    }

    private static void badImmediate(Trial trial, int length) {
        Talk talk = trial.probed();
        Segment bad = Segment.of(Opcode.IMMEDIATE).msn(talk.nextSend()).payload(new byte[length]);
        talk.refuses(bad, 0x02FF, 0x1205, 0x0206, 0x0207);
    }

    @Case("EXT-6.3-3 EXT-6.3-1 EXT-4.1-2: "
            + "delivers Sends and Immediate Data in order, whatever the Invalidate STag of the latter")
    void sendImmediateSend(Trial trial) {
        Talk talk = trial.probed();
        Segment first = trial.app().probe();
        talk.send(first);
        talk.send(Segment.of(Opcode.IMMEDIATE)
                .msn(talk.nextSend())
                .invalidate(0xFFFF_FFFFL)
                .payload(Octets.pattern(8, 1)));
        trial.app().expectAnswer();
        // 8 bytes are no command. The target answers so, which shows that they were delivered.
        talk.expectMessage(Opcode.SEND);
        trial.probed(talk);
    }

    @Case(value = "EXT-4.1-2: sends Invalidate STag as zero in Immediate Data and Atomic Requests", needs = ATOMICS)
    void invalidateZero(Trial trial) {
        Talk talk = trial.probed();
        trial.app().askSends(SendKind.IMMEDIATE, 8, 1, 0);
        Segment immediate = talk.expect(Opcode.IMMEDIATE);
        unless(immediate.invalidate() == 0, "an Invalidate STag of 0", Octets.hex(immediate.bytes()));
        trial.app().askAtomic(FETCH_ADD, SINK, 0x4000, 3, 0, 0, ALL);
        Segment request = talk.expect(Opcode.ATOMIC_REQUEST);
        unless(request.invalidate() == 0, "an Invalidate STag of 0", Octets.hex(request.bytes()));
    }

    @Case(value = "EXT-6.4-1: has placed a Write when it delivers the Immediate Data after it", needs = TARGET)
    void immediateAfterWrite(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        int last = PlacementCases.megabyte(talk, r);
        talk.send(Segment.of(Opcode.IMMEDIATE).msn(talk.nextSend()).payload(new byte[8]));
        talk.expectMessage(Opcode.SEND);
        PlacementCases.endsWith(trial, last);
    }
}
