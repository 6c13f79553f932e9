package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a device can do. The tester finds this out before it judges the device, speaks so that the device understands
 * it, and skips cases that need an ability that the device lacks. A survey charges nothing: a deviation in a survey
 * shows in the cases, too.
 *
 * <p>{@link #look} takes one connection, and a few more with a device that takes no enhanced Request. It happens before the first case that
 * depends on it. {@link #lookCloser} adds facts that only the table of a whole run shows. Silence counts only if it
 * occurs twice, because the machine may be busy.
 *
 * <p>Thread-safe: all devices of a run that are one device for the user share a survey.
 */
public final class Survey {
    private static final byte[] WORDS = "survey".getBytes(StandardCharsets.US_ASCII);

    /** Connections that are tried one after the other. */
    private static final int TRIES = 2;

    private final Offer wanted;
    private final boolean settled;
    private final Set<Ability> denied;

    private Offer offer;
    private boolean looked;
    private String trouble = "";
    /** The start-up frame of the device in the latest conversation in which it sent one. */
    private @Nullable StartFrame frame;
    /** The program above the device, after its greeting in the first conversation. */
    private @Nullable Application program;

    /** Why the program does not match the profile; empty unless that is known. */
    private String otherProgram = "";

    /** What came in place of a Reply or a Request when no conversation succeeded; empty otherwise. */
    private String silence = "";

    private @Nullable Boolean crcAsked;
    private boolean crcAgreed;
    /** Whether an FPDU with a right CRC has come. */
    private boolean crcUsed;

    private @Nullable String rtr;
    private @Nullable Boolean givesBack;
    private boolean closer;
    private long tookMillis;

    /** One fact about the device, in words. */
    public record Fact(String name, String value) {}

    /** A survey of a device of which nothing is known. */
    public Survey() {
        this(Offer.USUAL, false, Set.of());
    }

    /**
     * A survey of a device of which something is known.
     *
     * @param wanted what the tester is to offer if the device takes it
     * @param settled whether the tester tries only the revision of the offer
     * @param denied abilities that the device does not have, whatever it announces
     */
    public Survey(Offer wanted, boolean settled, Set<Ability> denied) {
        this.wanted = wanted;
        this.settled = settled;
        this.denied = Set.copyOf(denied);
        this.offer = wanted;
    }

    /** What the tester would offer to any device. */
    public Offer wanted() {
        return wanted;
    }

    /** What the tester offers to this device. */
    synchronized Offer offer() {
        return offer;
    }

    /**
     * Has the first conversations with the device, once. If the device cannot be reached, tries again, now and at a
     * later call.
     */
    synchronized void look(Supplier<Trial> trials) {
        for (int tries = 0; tries < TRIES && !looked; tries++) {
            try {
                ask(trials);
            } catch (Inconclusive e) {
                // No connection; each case reports that, too.
                trouble = String.valueOf(e.getMessage());
            }
        }
    }

    /**
     * The device's reaction to one Request.
     *
     * @param taken the device answers the Request and does not reject it
     * @param late no usable answer arrives in time
     * @param came what arrives in place of an answer; empty if the device answers
     */
    private record Reaction(boolean taken, boolean late, String came) {}

    /**
     * Sends Requests, each with fewer options than the one before, until the device answers one. A device that is the
     * initiator connects as often. The first Request without an answer is sent once more.
     */
    private void ask(Supplier<Trial> trials) {
        List<Offer> offers = settled ? List.of(wanted) : List.of(wanted, wanted.plain(2), wanted.plain(1));
        Offer late = null;
        Reaction last = new Reaction(false, false, "");
        for (int i = 0; i < offers.size() && !last.taken(); i++) {
            last = ask(offers.get(i), trials);
            silence = last.late() ? last.came() : ""; // the device may not connect again
            late = late == null && last.late() ? offers.get(i) : late;
        }
        silence = last.came();
        if (late != null && ask(late, trials).taken()) {
            silence = "";
        }
    }

    /** Sends one Request on a connection of its own, because the device may take one connection at a time. */
    private Reaction ask(Offer next, Supplier<Trial> trials) {
        try (Trial trial = trials.get()) {
            Talk talk = trial.connect();
            looked = true;
            converse(trial, talk, next, trials);
            if (!talk.wire().said()) {
                return new Reaction(false, !talk.wire().ended(), talk.came());
            }
            if (rejects(trial.device())) {
                return new Reaction(false, false, "");
            }
            StartFrame said = talk.heard();
            // RFC 5044 §7.1.1: a device of revision 1 may answer a newer Request. Its Reply has revision 1.
            boolean old = !settled && said != null && said.revision() == 1;
            offer = trial.device() == Role.INITIATOR ? wanted : old ? wanted.plain(1) : next;
            return new Reaction(true, said == null, "");
        }
    }

    /** Start-up and the greeting of the program, as far as the device takes part. */
    private void converse(Trial trial, Talk talk, Offer next, Supplier<Trial> trials) {
        boolean open = opened(talk, next);
        StartFrame heard = talk.heard();
        frame = heard == null ? frame : heard;
        if (open) {
            greet(trial, talk, next, trials, false);
        }
        tookMillis = Math.max(tookMillis, talk.wire().answeredMillis());
        crcUsed |= talk.seen().stream().anyMatch(Fpdu::crcGood);
    }

    /**
     * @param again whether the device was silent before, in another conversation
     */
    private void greet(Trial trial, Talk talk, Offer next, Supplier<Trial> trials, boolean again) {
        int said = 0;
        try {
            trial.begin(talk);
            program = trial.app();
            said = talk.seen().size();
            trial.app().rehearse(talk);
        } catch (Deviation e) {
            List<Fpdu> came = talk.seen().subList(said, talk.seen().size());
            boolean silent =
                    e.requirement().isEmpty() && came.isEmpty() && !talk.wire().ended();
            talk.close();
            if (silent && !again && trial.device() == Role.RESPONDER) {
                greetAgain(next, trials);
            } else if (e.requirement().isEmpty() && OtherProgram.shown(trial, came, next, trials)) {
                otherProgram = "the program there does not do what --profile "
                        + trial.app().name() + " says: expected " + e.expected() + ", got " + e.actual();
            }
        } catch (Inconclusive e) {
            talk.close();
            if (!again && trial.device() == Role.RESPONDER) {
                greetAgain(next, trials);
            }
        } catch (Skip e) {
            // The cases report that, too.
        }
    }

    private void greetAgain(Offer next, Supplier<Trial> trials) {
        try (Trial trial = trials.get()) {
            Talk talk = trial.connect();
            if (opened(talk, next)) {
                greet(trial, talk, next, trials, true);
            }
        } catch (Inconclusive e) {
            // No connection; each case reports that, too.
        }
    }

    private static boolean opened(Talk talk, Offer next) {
        return succeeds(() -> talk.open(next, f -> f));
    }

    private static boolean succeeds(Runnable steps) {
        try {
            steps.run();
            return true;
        } catch (Deviation | Inconclusive | Skip e) {
            return false;
        }
    }

    /** Finds out facts that no case depends on; called after {@link #look}. */
    synchronized void lookCloser(Supplier<Trial> trials) {
        StartFrame first = frame;
        if (closer || first == null) {
            return;
        }
        closer = true;
        boolean greeted = program != null;
        crcAgreed = greeted;
        crcAsked = first.has(StartFrame.CRC);
        boolean initiator;
        try (Trial trial = trials.get()) {
            initiator = trial.device() == Role.INITIATOR;
            // A responder's own wish for CRCs shows only if the tester does not ask for CRCs.
            if (wanted.crc() && (!initiator || first.has(StartFrame.CRC))) {
                Offer none = offer.withCrc(false);
                // Only a program that takes these bytes for nothing else gets them
                // (docs/conformance/target.md).
                boolean own = offer.privateData().length == 0 && !initiator;
                Talk talk = trial.connect();
                boolean good =
                        opened(talk, own ? none.withPrivateData(WORDS) : none) && succeeds(() -> trial.begin(talk));
                StartFrame said = talk.heard();
                if (said != null) {
                    crcAsked = said.has(StartFrame.CRC);
                    crcAgreed = crcAsked ? good : greeted;
                    givesBack = own ? Arrays.equals(said.ulpData(), WORDS) : null;
                }
            }
        } catch (Inconclusive e) {
            return;
        }
        if (initiator) {
            rtr = kinds(first.depths());
        } else if (offer.enhanced()) {
            succeeds(() -> {
                try (Trial trial = trials.get()) {
                    rtr = kinds(readyToReceive(trial.connect()));
                }
            });
        }
    }

    /**
     * How the device answers a peer that offers each Ready-to-Receive message. The tester sends the agreed message and
     * nothing else.
     */
    private @Nullable Depths readyToReceive(Talk talk) {
        Depths mine = new Depths(
                true,
                Depths.SEND | Depths.WRITE | Depths.READ,
                wanted.depths().ird(),
                wanted.depths().ord());
        StartFrame request = wanted.plainRequest().enhanced(mine);
        Depths agreed = talk.open(request).depths();
        if (agreed != null && agreed.rtr() != 0 && talk.sendReady(agreed.rtr()).is(Opcode.READ_REQUEST)) {
            talk.expect(Opcode.READ_RESPONSE);
        }

        talk.wire().finish();
        return agreed;
    }

    private static String kinds(@Nullable Depths depths) {
        if (depths == null || !depths.peerToPeer() || depths.rtr() == 0) {
            return "none";
        }
        List<String> kinds = new ArrayList<>();
        int[] bits = {Depths.SEND, Depths.WRITE, Depths.READ};
        String[] names = {"Send", "RDMA Write", "RDMA Read"};
        for (int i = 0; i < bits.length; i++) {
            if ((depths.rtr() & bits[i]) != 0) {
                kinds.add(names[i]);
            }
        }
        return String.join(", ", kinds);
    }

    /** The same for abilities that the user denies. */
    String denial(Ability ability) {
        return denied.contains(ability) ? "needs " + ability.words() + ": excluded by an option of this run" : "";
    }

    /** Why a case that needs this is skipped; empty if the device has it, or if that is not known. */
    synchronized String lack(Ability ability, Role device) {
        String why = "";
        if (denied.contains(ability)) {
            return denial(ability);
        } else if (ability == Ability.ENHANCED && old(device)) {
            why = ": the device "
                    + (device == Role.RESPONDER ? "answers nothing newer than revision 1" : "does not ask for it");
        } else if (ability == Ability.CRC && !wanted.crc() && frame != null && !frame.has(StartFrame.CRC)) {
            why = ": neither the tester nor the device asks for them";
        } else if (!ability.ofProgram() || program == null || program.can(ability)) {
            return "";
        }
        return "needs " + ability.words() + why;
    }

    /** Whether the device or its program rejects what the tester offers. */
    public synchronized boolean rejects(Role device) {
        return device == Role.RESPONDER && frame != null && frame.has(StartFrame.REJECT);
    }

    /** Whether the device does not know or use RFC 6581. */
    synchronized boolean old(Role device) {
        return device == Role.RESPONDER
                ? !settled && offer.revision() == 1
                : frame != null && !frame.has(StartFrame.ENHANCED);
    }

    /** Milliseconds until the first bytes of the device. */
    synchronized long took() {
        return tookMillis;
    }

    /** Why there was no connection; empty if there was one, or if none was needed. */
    public synchronized String trouble() {
        return looked ? "" : trouble;
    }

    /** Evidence that the program above the device is another one than that of the profile; empty if there is none. */
    public synchronized String otherProgram() {
        return otherProgram;
    }

    /** What came in place of an answer, if the device sent nothing in all conversations; empty otherwise. */
    public synchronized String silence() {
        return silence;
    }

    /** The facts that are known so far, in the order of a table; empty if the device could not be reached. */
    public synchronized List<Fact> facts() {
        StartFrame known = frame;
        if (!looked) {
            return List.of();
        }
        if (known == null) {
            return List.of(new Fact("revision", "not known: no frame of it was understood"));
        }
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("revision", known.revision() + (known.has(StartFrame.ENHANCED) ? ", enhanced" : "")));
        if (crcAsked != null) {
            facts.add(new Fact("CRCs", crcs(crcAsked)));
        }
        facts.add(new Fact("Markers", known.has(StartFrame.MARKERS) ? "asks for them" : "asks for none"));
        Depths depths = known.depths();
        facts.add(new Fact("IRD", depth(depths == null ? Depths.UNSET : depths.ird())));
        facts.add(new Fact("ORD", depth(depths == null ? Depths.UNSET : depths.ord())));
        if (rtr != null) {
            facts.add(new Fact("Ready-to-Receive", rtr));
        }
        facts.add(new Fact("private data", privateData(known)));
        facts.add(new Fact("atomic operations", has(Ability.ATOMICS)));
        facts.add(new Fact("Immediate Data", has(Ability.IMMEDIATE)));
        facts.add(new Fact("its program", program()));
        return facts;
    }

    private String crcs(boolean asked) {
        boolean used = crcUsed && crcAgreed && wanted.crc();
        return asked
                ? "asks for them" + (used ? ", uses them when the tester does not ask" : "")
                : "asks for none" + (used ? ", uses them when the tester asks" : "");
    }

    private static String depth(int depth) {
        return depth == Depths.UNSET ? "not agreed" : String.valueOf(depth);
    }

    private String privateData(StartFrame known) {
        if (Boolean.TRUE.equals(givesBack)) {
            return "given back";
        }
        int length = known.ulpData().length;
        return length == 0 ? "none" : length + " bytes: " + Octets.hex(known.ulpData());
    }

    private String has(Ability ability) {
        return program == null || program.known() ? "not known" : program.can(ability) ? "yes" : "no";
    }

    private String program() {
        Application greeted = program;
        if (greeted == null) {
            return frame != null && frame.has(StartFrame.REJECT) ? "rejects the Request (R=1)" : "was not greeted";
        }
        String abilities = Arrays.stream(Ability.values())
                .filter(a -> a.ofProgram() && greeted.can(a))
                .map(a -> a.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
        return abilities.isEmpty() ? "can do nothing for the tester" : abilities;
    }

    /**
     * Tells who is at fault if a program does not do what its profile says: the user, who chose the profile of another
     * program, or the device. Only behaviour that a device without faults would show, too, is evidence against the
     * user.
     */
    static final class OtherProgram {
        /** Causes of Terminates that show a missing or too short receive for a Send. */
        private static final List<Integer> NO_ROOM = List.of(0x1202, 0x1205);

        private static final int INVALID_QUEUE = 0x1201;
        private static final int NO_QUEUE = 5;

        private OtherProgram() {}

        /**
         * Whether the program above the device is another one than that of the profile.
         *
         * @param trial the conversation in which the program behaved otherwise; its connection is closed
         * @param said what came in place of the expected answer
         * @param offer to open one more conversation with
         * @param trials for that conversation
         */
        static boolean shown(Trial trial, List<Fpdu> said, Offer offer, Supplier<Trial> trials) {
            return said.isEmpty()
                    ? trial.device() == Role.RESPONDER && works(trials, offer)
                    : says(said.get(said.size() - 1).segment(), trial.app().can(Ability.READS));
        }

        /** Whether the last segment of the device comes from a program with another protocol. */
        static boolean says(Segment last, boolean reads) {
            Opcode opcode = last.opcode();
            if (opcode == Opcode.TERMINATE) {
                TerminateFields terminated = TerminateFields.parse(last.payload());
                return terminated != null && NO_ROOM.contains(terminated.cause());
            }
            return opcode != null && !(reads && opcode == Opcode.READ_REQUEST);
        }

        /**
         * Whether the device reports what is wrong with a segment. Such a device handles FPDUs well, so it was the
         * program that was silent.
         */
        private static boolean works(Supplier<Trial> trials, Offer offer) {
            return succeeds(() -> {
                try (Trial trial = trials.get()) {
                    Talk talk = trial.connect();
                    talk.open(offer, f -> f);
                    talk.send(Segment.send(talk.nextSend()).queue(NO_QUEUE));
                    talk.expectTerminate(INVALID_QUEUE);
                }
            });
        }
    }
}
