package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.COMPLETIONS;
import static dev.jwarp.conformance.app.Ability.CONFIGURE;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.SENDS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.app.Ability.WRITES;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.script.Role.RESPONDER;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.SendKind;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framer.Flaw;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** FPDUs: lengths, pads, sizes, boundaries. RFC 5044 §3 to §6 without Markers and CRCs. */
final class FramingCases {
    /** RFC 5044 §3: size of the longest ULPDU. */
    private static final int LARGEST = 64_768;

    /** A queue that does not exist: RFC 5040 §5.1 names 0 to 2, RFC 7306 adds 3. */
    private static final int NO_QUEUE = 5;

    /** The layer of a Terminate for an FPDU that is wrong (RFC 5044 §8). */
    private static final int LLP = 2;

    /** Size of the TCP segments for which the device makes FPDUs. */
    private static final int SEGMENT = 1460;

    /**
     * The STag that the tester gives to the device for RDMA Writes. It has no memory: the tester checks the received
     * segments.
     */
    static final long SINK = 0x5200_0001L;

    @Case(
            value = "MPA-3-1: puts one DDP segment into each FPDU",
            needs = {SENDS, WRITES})
    void oneSegmentEach(Trial trial) {
        Talk talk = trial.open();
        trial.app().askSends(SendKind.SEND, 24, 20, 0);
        for (int i = 0; i < 20; i++) {
            Segment segment = talk.expect(Opcode.SEND);
            unless(segment.payload().length == 24, "a Send of 24 bytes alone in its FPDU", segment.payload().length);
        }
        written(trial, talk, 20_000);
    }

    /** Makes the program write so many bytes, and checks them. */
    static Talk written(Trial trial, Talk talk, int length) {
        trial.app().askWrites(SINK, 0, length, 1);
        same(
                talk.expectMessage(Opcode.WRITE),
                Octets.pattern(length, 0),
                "the " + length + " bytes of the RDMA Write, without Markers");
        trial.app().expectWritten();
        return talk;
    }

    static int largest(Talk talk) {
        return talk.seen().stream().mapToInt(f -> f.ulpdu().length).max().orElse(0);
    }

    @Case(
            value = "MPA-3-2: sends no ULPDU above 64,768 bytes",
            needs = {SENDS, WRITES})
    void largestUlpdu(Trial trial) {
        Talk talk = trial.open();
        trial.app().askWrites(SINK, 0, 600_000, 1);
        talk.expectMessage(Opcode.WRITE);
        trial.app().expectWritten();

        trial.app().askSends(SendKind.SEND, 300_000, 1, 0);
        talk.expectMessage(Opcode.SEND);
        unless(largest(talk) <= LARGEST, "no ULPDU above 64,768 bytes", largest(talk));
    }

    @Case(value = "MPA-3-3: takes a ULPDU of 65,474 bytes", needs = TARGET)
    void largeUlpduTaken(Trial trial) {
        Talk talk = trial.open();
        byte[] payload = Octets.pattern(65_474 - Segment.TAGGED, 5);
        Region target = trial.app().target();
        talk.send(Segment.write(target.stag(), target.to(), payload));
        int at = payload.length - 100;
        same(trial.app().peek(at, 100), Arrays.copyOfRange(payload, at, payload.length), "its last 100 bytes placed");
    }

    @Case(value = "MPA-4.1-1: orders an FPDU as length, ULPDU, pad, CRC", needs = SENDS)
    void layout(Trial trial) {
        Talk talk = trial.open();
        // No Send is empty: an empty one may fail for another reason (DDP-5.2-3).
        for (int length = 1; length <= 4; length++) {
            Fpdu fpdu = sent(trial, talk, length);
            int ulpdu = Segment.UNTAGGED + length;
            if (fpdu.ulpdu().length != ulpdu) {
                throw Deviation.from("MPA-4.1-2", "a ULPDU of " + ulpdu + " bytes", Octets.hex(fpdu.octets()));
            }
            unless(
                    fpdu.octets().length == 2 + ulpdu + (-(2 + ulpdu) & 3) + 4,
                    "an FPDU of length, " + ulpdu + " bytes, pad and CRC",
                    Octets.hex(fpdu.octets()));
            same(
                    fpdu.segment().payload(),
                    Octets.pattern(length, 0),
                    "the payload " + Octets.hex(Octets.pattern(length, 0)));
        }
    }

    @Case(value = "MPA-4.1-1: ends a received FPDU after its pad and its CRC", device = RESPONDER, needs = PROBE)
    void readsPads(Trial trial) {
        try {
            trial.probed();
        } catch (Deviation | Inconclusive e) {
            if (trial.recorded().isEmpty() || trial.current().heard() == null || saidMore(trial.current())) {
                throw e;
            }
            for (ReadAs rule : ReadAs.values()) {
                // A device that also answers the same Send with the right pad has the right rule.
                if (answers(trial, rule, rule.fault) && !answers(trial, rule, FramingFault.NONE)) {
                    throw Deviation.from(
                            "MPA-4.1-1",
                            "an answer to an FPDU that is padded to a multiple of 4 bytes",
                            "none, but an answer where " + rule.fault.words());
                }
            }
            throw e;
        }
    }

    /** Other rules for pads. A device with one of these rules waits for the rest of a complete FPDU. */
    private enum ReadAs {
        TO_8(FramingFault.PAD_TO_8, 31),
        TO_8_WITH_CRC(FramingFault.PAD_TO_8_WITH_CRC, 27),
        WITHOUT_LENGTH(FramingFault.PAD_WITHOUT_LENGTH, 30),
        NEVER_EMPTY(FramingFault.PAD_NEVER_EMPTY, 30);

        private final FramingFault fault;
        /** Sizes of a ULPDU whose pad differs between all rules, or from one of the rules above. */
        private final int ulpdu;

        ReadAs(FramingFault fault, int ulpdu) {
            this.fault = fault;
            this.ulpdu = ulpdu;
        }
    }

    /**
     * Whether the device accepts a Send for a queue that does not exist, in an FPDU with this pad: then the device
     * answers, but does not report a framing error.
     */
    private static boolean answers(Trial trial, ReadAs rule, FramingFault fault) {
        Talk talk;
        try {
            talk = trial.connect();
            talk.open(trial.offer(), f -> f);
        } catch (Deviation | Inconclusive | Skip e) {
            return false; // the device accepts no other connection now, which shows nothing about pads
        }
        int pad = new Framing(false, fault, 0).padLength(rule.ulpdu);
        byte[] ulpdu = Segment.send(talk.nextSend(), new byte[rule.ulpdu - Segment.UNTAGGED])
                .queue(NO_QUEUE)
                .bytes();
        byte[] body = new Octets().u16(ulpdu.length).add(ulpdu).zeros(pad).bytes();
        byte[] crc = talk.crc() ? Framer.crcOnTheWire(body, 0, body.length) : new byte[4];
        talk.sendOctets(new Octets().add(body).add(crc).bytes(), "an FPDU with a pad of " + pad + " bytes");
        try {
            Fpdu answer = talk.nextFpdu(talk.patience().answerMillis());
            return answer == null ? saidMore(talk) : !isOfMpa(answer.segment());
        } catch (Deviation e) {
            return true; // the device answers with other framing
        }
    }

    /** A Terminate of a layer below DDP, as after a wrong CRC (RFC 5044 §8). */
    private static boolean isOfMpa(Segment segment) {
        TerminateFields terminated = segment.is(Opcode.TERMINATE) ? TerminateFields.parse(segment.payload()) : null;
        return terminated != null && terminated.layer() == LLP;
    }

    /** Whether any bytes have come after the device's Reply. */
    private static boolean saidMore(Talk talk) {
        long came = talk.wire().events().stream()
                .filter(event -> event.kind() == Event.Kind.RECEIVED)
                .mapToLong(Event::length)
                .sum();
        return came > talk.theirs().bytes().length;
    }

    @Case(value = "MPA-4.1-2: counts only the ULPDU in ULPDU_Length", needs = SENDS)
    void lengthCountsUlpduOnly(Trial trial) {
        lengths(trial.open(), trial);
    }

    @Case(
            value = "MPA-4.1-2: does not count Markers in ULPDU_Length",
            after = "MPA-4.3-2 MPA-4.3-3 MPA-4.3-1",
            needs = SENDS)
    void lengthCountsNoMarkers(Trial trial) {
        lengths(MarkerCases.asked(trial), trial);
    }

    private static void lengths(Talk talk, Trial trial) {
        // So many Sends that some contain a Marker, if the device sends Markers.
        trial.app().askSends(SendKind.SEND, 3, 20, 0);
        for (int i = 0; i < 20; i++) {
            Fpdu fpdu = message(talk);
            unless(fpdu.ulpdu().length == 21, "ULPDU_Length 21", fpdu.ulpdu().length);
        }
    }

    @Case(value = "MPA-4.1-3: fills the pad with zeros", needs = SENDS)
    void padOfZeros(Trial trial) {
        Talk talk = trial.open();
        for (int length = 1; length <= 3; length++) {
            // Longer Sends of several sizes come first: their bytes in a buffer must not show.
            for (int before : new int[] {64, 40, 24, 12, 8, 5}) {
                sent(trial, talk, before);
                byte[] pad = sent(trial, talk, length).pad();
                same(pad, new byte[pad.length], "a pad of zeros");
            }
        }
    }

    @Case(value = "MPA-4.1-4: takes a pad that is not zero", needs = PROBE)
    void padOfOnes(Trial trial) {
        Talk talk = trial.open();
        talk.send(oddLength(trial.app().probe()), Flaw.PAD_ONES);
        trial.app().expectAnswer();
    }

    /** Programs accept their probe only unchanged. */
    static Segment oddLength(Segment probe) {
        if ((2 + probe.bytes().length) % 4 == 0) {
            throw new Skip("needs a program that answers a Send whose FPDU has a pad");
        }
        return probe;
    }

    @Case(value = "MPA-4.1-5: keeps the CRC field while no CRCs are in use", needs = SENDS)
    void crcFieldWithoutCrc(Trial trial) {
        Talk talk = withoutCrc(trial);
        trial.app().askSends(SendKind.SEND, 5, 3, 0);
        for (int i = 0; i < 3; i++) {
            unless(message(talk).segment().payload().length == 5, "FPDUs that stay aligned", "another length");
        }
    }

    @Case(value = "MPA-4.1-6 MPA-4.4-9: ignores the CRC field while no CRCs are in use", needs = PROBE)
    void crcIgnoredWithoutCrc(Trial trial) {
        Talk talk = withoutCrc(trial);
        talk.send(trial.app().probe(), Flaw.CRC_GARBAGE);
        trial.app().expectAnswer();
    }

    /**
     * A connection without CRCs: with the usual configuration if the device does not ask for CRCs, otherwise with
     * another one.
     */
    static Talk withoutCrc(Trial trial) {
        Talk talk = trial.open(f -> f.without(StartFrame.CRC));
        return talk.crc() ? trial.open(DeviceConfiguration.USUAL.withoutCrc(), f -> f.without(StartFrame.CRC)) : talk;
    }

    @Case(
            value = "MPA-4.5-2: makes only ULPDUs that fit a TCP segment of 1,460 bytes",
            needs = {CONFIGURE, WRITES})
    void mulpduWithoutMarkers(Trial trial) {
        largestOf(trial.open(DeviceConfiguration.USUAL.withMss(1460)), trial.app(), 1454);
    }

    @Case(
            value = "MPA-4.5-1: leaves room for Markers in a TCP segment of 1,460 bytes",
            needs = {CONFIGURE, WRITES},
            after = "MPA-4.5-2")
    void mulpduWithMarkers(Trial trial) {
        largestOf(
                trial.open(DeviceConfiguration.USUAL.withMss(1460), f -> f.with(StartFrame.MARKERS)),
                trial.app(),
                1442);
    }

    private static void largestOf(Talk talk, Application app, int most) {
        app.askWrites(SINK, 0, 20_000, 1);
        talk.expectMessage(Opcode.WRITE);
        int largest = largest(talk);
        unless(largest <= most, "no ULPDU above " + most + " bytes", largest);
        unless(largest > most - 64, "ULPDUs of nearly " + most + " bytes", largest);
    }

    @Case(
            value = "MPA-4.5-3: never limits ULPDUs to less than 128 bytes",
            needs = {CONFIGURE, WRITES})
    void mulpduNeverBelow128(Trial trial) {
        Talk talk = trial.open(DeviceConfiguration.USUAL.withMss(64));
        trial.app().askWrites(SINK, 0, 2_000, 1);
        talk.expectMessage(Opcode.WRITE);
        unless(largest(talk) >= 128, "ULPDUs of 128 bytes", largest(talk));
    }

    @Case(value = "MPA-5.1-1: starts each write to TCP with an FPDU", needs = SENDS)
    void aligned(Trial trial) {
        Talk talk = trial.open();
        // The longest Send fits into the smallest MULPDU (RFC 5044 §4.5).
        for (int length : new int[] {40, 1, 110}) {
            int before = talk.wire().events().size();
            byte[] octets = sent(trial, talk, length).octets();
            // An FPDU that was written alone must arrive in one read: its bytes were together on the wire.
            boolean together = talk.wire().events().stream()
                    .skip(before)
                    .filter(e -> e.kind() == Event.Kind.RECEIVED && e.length() >= octets.length)
                    .anyMatch(e -> Arrays.equals(Arrays.copyOf(e.octets(), octets.length), octets));
            unless(together, "an FPDU of " + octets.length + " bytes at the start of a TCP read", "pieces");
        }
    }

    @Case(
            value = "MPA-5.1-1: sizes FPDUs so that TCP segments of 1,460 bytes begin with an FPDU",
            needs = {CONFIGURE, WRITES},
            after = "MPA-4.5-2")
    void alignedStream(Trial trial) {
        Talk talk = trial.open(DeviceConfiguration.USUAL.withMss(SEGMENT));
        int aligned = 0;
        for (int attempt = 0; attempt < 5 && aligned < 95; attempt++) {
            aligned = aligned(trial, talk);
        }
        unless(aligned >= 95, "an FPDU at the beginning of 95 of 100 TCP segments", aligned);
    }

    /** {@return the percentage of TCP segments that begin with an FPDU} Several writes of the device may arrive at once, so the figure may be too low. */
    private static int aligned(Trial trial, Talk talk) {
        int before = talk.seen().size();
        int events = talk.wire().events().size();
        trial.app().askWrites(SINK, 0, 7_001, 20);
        messages(talk, Opcode.WRITE, 20);
        trial.app().expectWritten();
        List<Fpdu> stream = talk.seen().subList(before, talk.seen().size());
        List<Event> came = talk.wire().events();
        return Math.max(
                aligned(stream, Set.of()), aligned(stream, arrivals(came.subList(events, came.size()), stream)));
    }

    /** {@return where each read from TCP begins} A write of the device may begin there. */
    private static Set<Long> arrivals(List<Event> events, List<Fpdu> stream) {
        Set<Long> arrivals = new HashSet<>();
        long at = stream.get(0).position();
        for (Event event : events) {
            if (event.kind() == Event.Kind.RECEIVED) {
                arrivals.add(at);
                at += event.length();
            }
        }
        return arrivals;
    }

    /**
     * {@return the percentage of segments that begin with an FPDU} Each segment is full, except one before an FPDU that
     * begins a read.
     */
    private static int aligned(List<Fpdu> stream, Set<Long> arrivals) {
        long segment = stream.get(0).position();
        int segments = 1;
        int aligned = 0;
        for (Fpdu fpdu : stream) {
            long at = fpdu.position();
            for (; segment + SEGMENT <= at; segment += SEGMENT) {
                segments++;
            }
            if (segment < at && arrivals.contains(at)) {
                segment = at;
                segments++;
            }
            aligned += segment == at ? 1 : 0;
        }
        return aligned * 100 / segments;
    }

    @Case(
            value = "MPA-5.2-1: takes FPDUs that come one byte in each TCP segment",
            needs = PROBE,
            after = "MPA-4.1-1 MPA-4.1-2")
    void octetByOctet(Trial trial) {
        Talk talk = trial.probed();
        for (int i = 0; i < 2; i++) {
            for (byte octet : talk.framed(trial.app().probe())) {
                talk.sendOctets(new byte[] {octet}, "a byte of an FPDU");
            }
            trial.app().expectAnswer();
        }
    }

    @Case(
            value = "MPA-5.2-1: takes a long FPDU that comes one byte in each TCP segment",
            needs = TARGET,
            after = "MPA-4.1-1 MPA-4.1-2")
    void longOctetByOctet(Trial trial) {
        Talk talk = trial.open();
        Region target = trial.app().target();
        trial.probed(talk);
        byte[] payload = Octets.pattern(700, 6);
        byte[] frame = talk.framed(Segment.write(target.stag(), target.to(), payload));
        for (int i = 0; i < frame.length; i++) {
            talk.sendOctets(new byte[] {frame[i]}, "a byte of an FPDU");
            if (i < 4) {
                // The device gets the first bytes alone: half a length, then a length without an FPDU.
                talk.expectSilence(talk.patience().quietMillis() / 8);
            }
        }
        same(trial.app().peek(0, 700), payload, "the 700 bytes placed");
    }

    @Case(
            value = "MPA-5.2-2: takes many FPDUs in one TCP segment, in order",
            needs = TARGET,
            after = "MPA-4.1-1 MPA-4.1-2")
    void manyAtOnce(Trial trial) {
        Talk talk = trial.open();
        Region target = trial.app().target();
        Segment[] segments = new Segment[50];
        for (int i = 0; i < 49; i++) {
            segments[i] = Segment.write(target.stag(), target.to() + i, Octets.pattern(4, i));
        }
        segments[49] = trial.app().probe();
        talk.sendTogether(segments);
        trial.app().expectAnswer();
        byte[] placed = trial.app().peek(0, 52);
        for (int i = 0; i < 49; i++) {
            // Each Write overlaps three bytes of the previous one, so the order shows.
            unless(placed[i] == Octets.patternAt(0, i), "the bytes of the later Write at " + i, placed[i]);
        }
    }

    @Case(
            value = "MPA-6-1: places no byte of an FPDU before the FPDU is complete and its CRC is right",
            needs = {TARGET, COMPLETIONS})
    void nothingBeforeTheCrc(Trial trial) {
        Talk watched = trial.open();
        Region target = trial.app().target();
        byte[] before = trial.app().peek(0, 32);
        byte[] frame = watched.framed(Segment.write(target.stag(), target.to(), Octets.pattern(32, 77)));
        byte[] wrong = frame.clone();
        wrong[wrong.length - 1] ^= 1;
        watched.sendOctets(Arrays.copyOf(frame, frame.length - 4), "a Write without its CRC");
        watched.expectSilence();
        watched.sendOctets(Arrays.copyOfRange(wrong, frame.length - 4, frame.length), "a wrong CRC");
        if (!watched.crc()) {
            throw new Skip("needs a device that wants CRCs");
        }
        watched.expectRefusal(0x2002);
        same(trial.after(watched).peek(watched, 0, 32), before, "memory as it was before the Write");
    }

    @Case(value = "MPA-8-4: survives a connection that is reset in the middle of an FPDU", needs = TARGET)
    void reset(Trial trial) {
        halfAnFpdu(trial).wire().reset();
        trial.stillServes();
    }

    @Case(
            value = "MPA-8-4: reports an end in the middle of an FPDU to its program as a failure",
            needs = {TARGET, COMPLETIONS})
    void cutByFin(Trial trial) {
        Talk talk = halfAnFpdu(trial);
        talk.wire().finish();
        talk.expectEnd();
        unless(!trial.after(talk).end(talk).clean(), "an end that is reported as a failure", "a clean end");
    }

    private static Talk halfAnFpdu(Trial trial) {
        Talk talk = trial.open();
        Region target = trial.app().target();
        byte[] frame = talk.framed(Segment.write(target.stag(), target.to(), Octets.pattern(1_000, 1)));
        talk.sendOctets(Arrays.copyOf(frame, 500), "half an FPDU");
        return talk;
    }

    static void messages(Talk talk, Opcode opcode, int count) {
        for (int i = 0; i < count; i++) {
            talk.expectMessage(opcode);
        }
    }

    /** The FPDU of a Send of so many bytes, which the program sends now. */
    static Fpdu sent(Trial trial, Talk talk, int length) {
        trial.app().askSends(SendKind.SEND, length, 1, 0);
        return message(talk);
    }

    /** The next FPDU, which must hold a whole Send. */
    private static Fpdu message(Talk talk) {
        Fpdu fpdu = talk.nextFpdu(talk.patience().answerMillis());
        if (fpdu == null) {
            throw new Deviation("a Send", talk.came());
        }
        Segment segment = fpdu.segment();
        unless(segment.is(Opcode.SEND), "a Send", Octets.hex(segment.bytes()));
        if (!segment.last()) {
            throw Deviation.from("DDP-4.1-1", "a Send in one segment, with L", Octets.hex(segment.bytes()));
        }
        return fpdu;
    }
}
