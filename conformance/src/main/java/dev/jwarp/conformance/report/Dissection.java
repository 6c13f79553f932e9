package dev.jwarp.conformance.report;

import dev.jwarp.conformance.report.Findings.Field;
import dev.jwarp.conformance.report.Findings.Frame;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.wire.Deframer;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.WireFields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the frames in a recorded TCP conversation and names their fields: the start-up frame of each direction, then
 * its FPDUs, as far as the stream can be followed. It reads the recorded bytes and does not know what the tester
 * meant to send: a frame with a deliberate fault is shown as the device saw it.
 */
public final class Dissection {

    private final Direction fromTester = new Direction();
    private final Direction fromDevice = new Direction();

    private final List<List<Frame>> frames = new ArrayList<>();

    /** Dissects what has happened in a conversation so far. */
    public Dissection(Transcript conversation) {
        for (Event event : conversation.events()) {
            frames.add(
                    switch (event.kind()) {
                        case SENT -> {
                            fromDevice.segments.clear();
                            yield fromTester.add(event.octets(), fromDevice);
                        }
                        case RECEIVED -> fromDevice.add(event.octets(), fromTester);
                        default -> List.of();
                    });
        }
    }

    /** For each event of the conversation, in order, the frames that the event completed. */
    public List<List<Frame>> frames() {
        return frames;
    }

    /** The latest bytes of the device that are no whole frame. */
    public byte[] rest() {
        return fromDevice.fpdus == null ? fromDevice.held : fromDevice.fpdus.rest();
    }

    /** The segments that the device sent after the tester's last bytes. */
    public List<Segment> answers() {
        return fromDevice.segments;
    }

    /** One direction of the stream. */
    private static final class Direction {
        private byte[] held = new byte[0];
        private @Nullable StartFrame start;
        private @Nullable Deframer fpdus;
        private boolean lost;
        private final List<Segment> segments = new ArrayList<>();

        List<Frame> add(byte[] octets, Direction other) {
            held = new Octets().add(held).add(octets).bytes();
            List<Frame> frames = new ArrayList<>();
            if (start == null && !lost && held.length >= StartFrame.HEADER) {
                startFrame(frames);
            }
            StartFrame theirs = other.start;
            if (start != null && theirs != null) {
                Deframer deframer = fpdus == null ? new Deframer(theirs.has(StartFrame.MARKERS)) : fpdus;
                fpdus = deframer;
                deframer.add(held);
                held = new byte[0];
                boolean crc = start.has(StartFrame.CRC) || theirs.has(StartFrame.CRC);
                for (Fpdu fpdu = deframer.next(); fpdu != null; fpdu = deframer.next()) {
                    frames.add(frame(fpdu, crc));
                    if (Segment.whole(fpdu.ulpdu())) {
                        segments.add(fpdu.segment());
                    }
                }
            }
            return frames;
        }

        private void startFrame(List<Frame> frames) {
            String key = new String(held, 0, 16, StandardCharsets.ISO_8859_1);
            int length = StartFrame.HEADER + StartFrame.declaredLength(held);
            if (!key.startsWith("MPA ID Re") || length > StartFrame.HEADER + StartFrame.MOST_PRIVATE_DATA) {
                lost = true;
                return;
            }
            if (held.length >= length) {
                byte[] octets = Arrays.copyOf(held, length);
                held = Arrays.copyOfRange(held, length, held.length);
                start = StartFrame.parse(octets);
                String name = key.equals(StartFrame.REPLY_KEY) ? "MPA Reply" : "MPA Request";
                frames.add(new Frame(name, fields(octets, WireFields.startFrame(octets))));
            }
        }
    }

    private static Frame frame(Fpdu fpdu, boolean crc) {
        byte[] ulpdu = fpdu.ulpdu();
        List<Field> fields = new ArrayList<>();
        for (Fpdu.Marker marker : fpdu.markers()) {
            String should = marker.pointer() == marker.expected() ? "" : ", should be " + marker.expected();
            String reserved = marker.reserved() == 0 ? "" : ", reserved half 0x%04X".formatted(marker.reserved());
            fields.add(new Field(
                    "Marker",
                    "%04x%04x".formatted(marker.reserved(), marker.pointer()),
                    "at " + marker.position() + ", FPDUPTR " + marker.pointer() + should + reserved));
        }
        fields.add(new Field("ULPDU_Length", "%04x".formatted(ulpdu.length), String.valueOf(ulpdu.length)));
        fields.addAll(fields(ulpdu, WireFields.ulpdu(ulpdu)));
        if (fpdu.pad().length > 0) {
            fields.add(new Field("PAD", Octets.hex(fpdu.pad()), fpdu.pad().length + " bytes"));
        }
        byte[] all = fpdu.octets();
        String judged = fpdu.crcGood() ? "good" : crc ? "BAD" : "not in use";
        fields.add(new Field("CRC", Octets.hex(Arrays.copyOfRange(all, all.length - 4, all.length)), judged));
        String line = Segment.whole(ulpdu) || ulpdu.length > 0 ? WireFields.line(ulpdu) : "FPDU without a ULPDU";
        return new Frame(line + (crc && !fpdu.crcGood() ? " [CRC bad]" : ""), fields);
    }

    private static List<Field> fields(byte[] octets, List<WireFields.Field> described) {
        List<Field> fields = new ArrayList<>();
        for (WireFields.Field field : described) {
            int end = Math.min(field.at() + field.length(), octets.length);
            String hex = Octets.hex(Arrays.copyOfRange(octets, Math.min(field.at(), end), end));
            fields.add(new Field(field.name(), hex, field.value()));
        }
        return fields;
    }
}
