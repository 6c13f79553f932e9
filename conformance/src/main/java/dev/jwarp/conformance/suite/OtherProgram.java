package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.Terminated;
import java.util.List;
import java.util.function.Supplier;

/**
 * Tells whose fault it is that a program did not do what its profile says: that of the user, who chose the profile of another program, or
 * that of the device. Only what a faultless device would do as well speaks for the user's fault.
 */
final class OtherProgram {
    /** Causes of Terminates: no receive for a Send, or one that is too short. */
    private static final List<Integer> NO_ROOM = List.of(0x1202, 0x1205);

    private static final int INVALID_QUEUE = 0x1201;
    private static final int NO_QUEUE = 5;

    private OtherProgram() {}

    /**
     * Whether the program above the device is another one than that of the profile.
     *
     * @param trial where the program behaved otherwise; its connection is closed
     * @param said what came in place of what was expected
     * @param offer to open one more conversation with
     * @param trials for that conversation
     */
    static boolean shown(Trial trial, List<Fpdu> said, Offer offer, Supplier<Trial> trials) {
        return said.isEmpty()
                ? trial.device() == Role.RESPONDER && works(trials, offer)
                : says(said.get(said.size() - 1).segment(), trial.app().can(Ability.READS));
    }

    /** Whether the last segment of the device comes from a program that says something else. */
    static boolean says(Segment last, boolean reads) {
        Opcode opcode = last.opcode();
        if (opcode == Opcode.TERMINATE) {
            Terminated terminated = Terminated.parse(last.payload());
            return terminated != null && NO_ROOM.contains(terminated.cause());
        }
        return opcode != null && !(reads && opcode == Opcode.READ_REQUEST);
    }

    /** Whether the device tells what is wrong with a segment. Such a device takes and sends FPDUs well, so the program was silent. */
    private static boolean works(Supplier<Trial> trials, Offer offer) {
        try (Trial trial = trials.get()) {
            Talk talk = trial.connect();
            talk.open(offer, f -> f);
            talk.send(Segment.send(talk.nextSend()).queue(NO_QUEUE));
            talk.expectTerminate(INVALID_QUEUE);
            return true;
        } catch (Deviation | Inconclusive | Skip e) {
            return false;
        }
    }
}
