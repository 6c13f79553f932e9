package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.CONFIGURE;
import static dev.jwarp.conformance.app.Ability.CRC;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.SENDS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.app.Ability.WRITES;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.SendKind;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framer.Flaw;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.Arrays;
import java.util.List;

/**
 * Markers: RFC 5044 §4.2 and §4.3. {@link Talk} checks every received Marker; the cases make the device send all
 * shapes. The device sends Markers if the frame of the tester asks for them, and receives Markers if its own frame
 * does, so those cases configure it.
 */
final class MarkerCases {

    @Case(
            value = "MPA-4.3-1 MPA-7.1.1-6: "
                    + "sends Markers to a peer that asked for them, and expects none in return",
            needs = WRITES)
    void sendsThemWhenAsked(Trial trial) {
        List<Fpdu.Marker> markers =
                markers(FramingCases.written(trial, trial.open(f -> f.with(StartFrame.MARKERS)), 3_000));
        unless(markers.size() >= 6, "a Marker every 512 bytes, so at least 6", markers.size());
    }

    @Case(value = "MPA-4.2-1: sends the reserved half of a Marker as zero", needs = WRITES)
    void reservedIsZero(Trial trial) {
        for (Fpdu.Marker marker : markersOfAWrite(trial)) {
            unless(marker.reserved() == 0, "a reserved half of 0", Integer.toHexString(marker.reserved()));
        }
    }

    @Case(value = "MPA-4.2-2: sends the low two bits of FPDUPTR as zero", needs = WRITES)
    void lowBitsAreZero(Trial trial) {
        for (Fpdu.Marker marker : markersOfAWrite(trial)) {
            unless((marker.pointer() & 3) == 0, "an FPDUPTR that is a multiple of 4", marker.pointer());
        }
    }

    @Case(value = "MPA-4.3-2: begins full operation with a Marker that points at itself", needs = PROBE)
    void firstIsAMarker(Trial trial) {
        Talk talk = asked(trial);
        trial.probed(talk);
        Fpdu first = talk.seen().get(0);
        Fpdu.Marker marker = first.markers().isEmpty() ? null : first.markers().get(0);
        if (marker != null && marker.reserved() != 0) {
            throw Deviation.from("MPA-4.2-1", "a reserved half of 0", Integer.toHexString(marker.reserved()));
        }
        if (marker != null && (marker.pointer() & 3) != 0) {
            throw Deviation.from("MPA-4.2-2", "an FPDUPTR that is a multiple of 4", String.valueOf(marker.pointer()));
        }
        same(Arrays.copyOf(first.octets(), 4), new byte[4], "00 00 00 00 as the first bytes");
    }

    @Case(
            value = "MPA-4.3-3: keeps 512 bytes from Marker to Marker over 100 kB of mixed sizes",
            needs = {WRITES, SENDS})
    void every512(Trial trial) {
        Talk talk = asked(trial);
        int[] sizes = {1, 30, 489, 490, 491, 508, 512, 1_000, 1_400, 5_000, 20_000, 70_000};
        for (int size : sizes) {
            trial.app().askSends(SendKind.SEND, size, 1, 0);
            talk.expectMessage(Opcode.SEND);
        }
        long due = 0;
        for (Fpdu.Marker marker : markers(talk)) {
            unless(marker.position() == due, "a Marker at " + due, marker.position());
            due += Framer.INTERVAL;
        }
        unless(due > 95_000, "Markers over 100 kB", due + " bytes");
    }

    @Case(value = "MPA-4.3-4 MPA-4.3-5: counts earlier Markers of the same FPDU in FPDUPTR", needs = WRITES)
    void pointersGrow(Trial trial) {
        Talk talk = FramingCases.written(trial, asked(trial), 20_000);
        boolean two = false;
        for (Fpdu fpdu : talk.seen()) {
            List<Fpdu.Marker> own = fpdu.markers();
            for (int i = 1; i < own.size(); i++) {
                boolean first = own.get(i - 1).pointer() == 0;
                int step = own.get(i).pointer() - own.get(i - 1).pointer();
                unless(step == (first ? 508 : 512), "a pointer that grows with the distance", step);
                two = true;
            }
        }
        if (!two) {
            throw new Skip("needs a device that sends FPDUs of more than 512 bytes");
        }
    }

    @Case(value = "MPA-4.3-6: points at the small FPDU that holds the Marker", needs = SENDS)
    void smallFpdus(Trial trial) {
        Talk talk = asked(trial);
        trial.app().askSends(SendKind.SEND, 1, 80, 0);
        FramingCases.messages(talk, Opcode.SEND, 80);
        for (Fpdu.Marker marker : markers(talk)) {
            unless(marker.pointer() <= 24, "an FPDUPTR of at most 24", marker.pointer());
        }
    }

    @Case(
            value = "MPA-4.3-7 MPA-4.4-4: counts a Marker between two FPDUs as part of the later one, also in its CRC",
            needs = {SENDS, CRC})
    void betweenFpdus(Trial trial) {
        Talk talk = asked(trial);
        // FPDUs of 32 bytes: at some point one ends where a Marker is due. Their CRCs are checked on arrival.
        trial.app().askSends(SendKind.SEND, 8, 200, 0);
        FramingCases.messages(talk, Opcode.SEND, 200);
        boolean between = talk.seen().stream()
                .filter(fpdu -> fpdu.position() > 0)
                .anyMatch(fpdu ->
                        fpdu.markers().stream().anyMatch(m -> m.position() == fpdu.position() && m.pointer() == 0));
        unless(between, "a Marker before the length of an FPDU", "none in 200 FPDUs");
    }

    @Case(
            value = "MPA-4.4-5: covers a Marker after the pad with the CRC of that FPDU",
            needs = {SENDS, CRC})
    void behindThePad(Trial trial) {
        Talk talk = asked(trial);
        Fpdu before = FramingCases.sent(trial, talk, 40);
        long start = before.position() + before.octets().length;
        long due = (start / Framer.INTERVAL + 1) * Framer.INTERVAL;
        if (due - start < 32) {
            due += Framer.INTERVAL;
        }
        // Length, headers and payload, with Markers in between, end where the next Marker is due.
        long onTheWay = 4 * ((due - 1) / Framer.INTERVAL - (start - 1) / Framer.INTERVAL);

        int size = (int) (due - start - onTheWay) - 2 - Segment.UNTAGGED;
        Fpdu last = FramingCases.sent(trial, talk, size);
        long pad = last.position() + last.octets().length - 8;
        boolean behind = last.markers().stream().anyMatch(m -> m.position() == pad);

        unless(behind, "an FPDU with a Marker between pad and CRC", "none");
    }

    @Case(
            value = "MPA-4.3-9: removes Markers before it passes the bytes to DDP",
            needs = {CONFIGURE, TARGET})
    void takesThemOut(Trial trial) {
        Talk talk = wanting(trial);
        Region target = trial.app().target();
        byte[] payload = Octets.pattern(1_400, 9);
        talk.send(Segment.write(target.stag(), target.to(), payload));
        int made = talk.framer().markersMade();
        unless(made >= 3, "Markers asked for by the device", made);
        same(trial.app().peek(0, 1_400), payload, "the payload as it was sent");
    }

    @Case(value = "MPA-4.2-3: ignores the reserved half of a Marker and the low bits of FPDUPTR", needs = CONFIGURE)
    void reservedIgnored(Trial trial) {
        Talk talk = wanting(trial);
        int before = talk.framer().markersMade();
        while (talk.framer().markersMade() == before) {
            talk.send(trial.app().probe(), Flaw.MARKER_RESERVED);
            trial.app().expectAnswer();
        }
    }

    @Case(value = "MPA-8-1: reports a Marker that disagrees with the lengths, or ignores it", needs = CONFIGURE)
    void wrongPointer(Trial trial) {
        Talk talk = wanting(trial);
        int before = talk.framer().markersMade();
        while (true) {
            talk.send(trial.app().probe(), Flaw.MARKER_POINTER);
            if (talk.framer().markersMade() > before) {
                break;
            }
            trial.app().expectAnswer();
        }
        Segment answer = talk.expectSegment("Terminate 2/0/03, or the answer");
        if (answer.is(Opcode.TERMINATE)) {
            talk.terminatedBy(answer, 0x2003);
            talk.expectEnd();
        }
    }

    @Case(
            value = "MPA-7.1-1: counts Markers from the end of its own start-up frame, whatever its length",
            needs = {CONFIGURE, PROBE})
    void countedFromTheFrame(Trial trial) {
        Talk talk = trial.connect(DeviceConfiguration.USUAL.withMarkers());
        // 5 bytes of private data: full operation begins at an offset of the TCP stream that is no multiple of 4.
        talk.open(trial.offer(), f -> f.ulpData(Octets.pattern(5, 3)).with(StartFrame.MARKERS));
        trial.begin(configured(talk));
        for (int i = 0; i < 20; i++) {
            trial.probed(talk);
        }
        unless(markers(talk).size() >= 2, "at least two Markers", markers(talk).size());
    }

    @Case(value = "MPA-7.1.1-5: sends no Markers to a peer that did not ask for them", needs = WRITES)
    void noneUnasked(Trial trial) {
        FramingCases.written(trial, trial.open(f -> f.without(StartFrame.MARKERS)), 5_000);
    }

    private static List<Fpdu.Marker> markersOfAWrite(Trial trial) {
        return markers(FramingCases.written(trial, asked(trial), 3_000));
    }

    /**
     * A connection on which the tester asked for Markers. A device that refuses has failed
     * {@link #sendsThemWhenAsked}; its Markers cannot be judged.
     */
    static Talk asked(Trial trial) {
        Offer offer = trial.offer().withMarkers();
        Talk talk = trial.connect();
        boolean refused;
        if (trial.device() == Role.RESPONDER) {
            StartFrame request = offer.request();
            StartFrame reply = talk.exchange(request);
            refused = reply.has(StartFrame.REJECT);
            talk.begin(request, reply);
        } else {
            talk.open(offer, f -> f);
            if (talk.seen().isEmpty()) {
                talk.wire().awaitAnything(talk.patience().answerMillis());
            }
            refused = talk.wire().ended() && talk.wire().held().length == 0;
        }
        if (refused) {
            throw new Skip("needs a device that sends Markers when asked");
        }
        return trial.begin(talk);
    }

    /** A connection on which the device asks for Markers, as it was configured. */
    private static Talk wanting(Trial trial) {
        return configured(trial.open(DeviceConfiguration.USUAL.withMarkers()));
    }

    /** Skips the case if the device has M=0 in its frame although it was configured to ask for Markers. */
    private static Talk configured(Talk talk) {
        // RFC 5044 §7.1.1: no receiver has to ask for Markers.
        if (!talk.theirs().has(StartFrame.MARKERS)) {
            throw new Skip("needs a device that asks for Markers when it is configured so");
        }
        return talk;
    }

    private static List<Fpdu.Marker> markers(Talk talk) {
        return talk.seen().stream().flatMap(f -> f.markers().stream()).toList();
    }
}
