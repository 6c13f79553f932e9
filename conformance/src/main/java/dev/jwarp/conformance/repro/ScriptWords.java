package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.repro.Sources.Source;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.wire.Deframer;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.WireFields;
import java.util.Arrays;
import java.util.Locale;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that the tester sent in one conversation, as words of a script. Values from the device are references, not
 * literal bytes.
 */
final class ScriptWords {

    /** Longest payload in which ports are searched for: commands to a program. */
    private static final int COMMAND = 64;

    private final byte[] octets;
    private final @Nullable Named[] names;
    private final boolean[] begins;
    private final boolean crc;
    private final TreeMap<Integer, Fpdu> fpdus = new TreeMap<>();
    private final Sources sources;
    private int said;

    /** The meaning of one byte: the byte with this index of a value that has a word. */
    private record Named(String word, int part, int size) {}

    ScriptWords(Transcript conversation, Sources sources) {
        this.sources = sources;
        octets = stream(conversation, Event.Kind.SENT);
        names = new Named[octets.length];
        begins = new boolean[octets.length];
        StartFrame ours = startFrame(octets);
        byte[] heard = stream(conversation, Event.Kind.RECEIVED);
        StartFrame theirs = startFrame(heard);
        crc = ours != null && theirs != null && (ours.has(StartFrame.CRC) || theirs.has(StartFrame.CRC));
        if (ours != null && theirs != null) {
            int at = ours.bytes().length;
            Deframer deframer = new Deframer(theirs.has(StartFrame.MARKERS));
            deframer.add(Arrays.copyOfRange(octets, at, octets.length));
            for (Fpdu fpdu = deframer.next(); fpdu != null; fpdu = deframer.next()) {
                fpdus.put(at, fpdu);
                at += fpdu.octets().length;
            }
        }
    }

    /** All bytes of one direction. */
    static byte[] stream(Transcript conversation, Event.Kind kind) {
        Octets stream = new Octets();
        conversation.events().stream().filter(e -> e.kind() == kind).forEach(e -> stream.add(e.octets()));
        return stream.bytes();
    }

    /** The Request or Reply at the beginning of a stream; null if there is none. */
    private static @Nullable StartFrame startFrame(byte[] stream) {
        if (stream.length < StartFrame.HEADER) {
            return null;
        }
        int length = StartFrame.HEADER + StartFrame.declaredLength(stream);
        return length > StartFrame.HEADER + StartFrame.MOST_PRIVATE_DATA || length > stream.length
                ? null
                : StartFrame.parse(Arrays.copyOf(stream, length));
    }

    /** The words for the next sent bytes; the sources have the earlier bytes of the device. */
    String next(int count) {
        int from = said;
        said += count;
        fpdus.subMap(from, said).forEach(this::name);
        StringBuilder text = new StringBuilder();
        for (int i = from; i < said; ) {
            if (begins[i]) {
                text.append(text.length() == 0 ? "[" : " [");
            }
            int end = i + 1;
            while (end < said && !begins[end] && follows(end)) {
                end++;
            }
            text.append(text.length() == 0 ? "" : " ").append(word(i, end));
            i = end;
        }
        return text.toString();
    }

    /** Whether a byte belongs to the same word as the previous byte. */
    private boolean follows(int at) {
        Named before = names[at - 1];
        Named next = names[at];
        if (before == null || next == null) {
            return before == null && next == null;
        }
        return next.word().equals(before.word()) && next.part() == before.part() + 1;
    }

    private String word(int from, int to) {
        Named first = names[from];
        if (first == null) {
            return Octets.hex(Arrays.copyOfRange(octets, from, to)).toUpperCase(Locale.ROOT);
        }
        boolean whole = to - from == first.size();
        return first.word() + (whole ? "" : "/" + (first.part() + 1) + "-" + (first.part() + to - from));
    }

    /** Replaces values of an FPDU that come from the device by references, and then its CRC, which depends on them. */
    private void name(int at, Fpdu fpdu) {
        byte[] ulpdu = fpdu.ulpdu();
        if (!Segment.whole(ulpdu)) {
            return;
        }
        boolean named = false;
        Source stag = null;
        for (WireFields.Field field : WireFields.ulpdu(ulpdu)) {
            long value = field.length() <= 8 ? Octets.number(ulpdu, field.at(), field.length()) : 0;
            String word = "";
            switch (field.name()) {
                case "STag", "Invalidate STag", "Data Source STag", "Remote STag" -> {
                    stag = sources.stag(value);
                    word = stag == null ? "" : stag.text();
                }
                case "TO", "Data Source TO", "Remote TO" -> {
                    Source to = stag == null ? null : sources.offset(value, stag);
                    word = to == null ? "" : to.text();
                }
                case "payload" -> named |= ports(at, fpdu, field);
                default -> {}
            }
            named |= put(at, fpdu, field.at(), field.length(), word);
        }
        if (named) {
            begins[at] = true;
            if (crc) {
                crc(at, fpdu);
            }
        }
    }

    /** A command may name an earlier connection by its port (docs/conformance/target.md). */
    private boolean ports(int at, Fpdu fpdu, WireFields.Field payload) {
        boolean named = false;
        for (int i = 0; payload.length() <= COMMAND && i + 8 <= payload.length(); i += 8) {
            String word = sources.port(Octets.number(fpdu.ulpdu(), payload.at() + i, 8));
            named |= put(at, fpdu, payload.at() + i, 8, word);
        }
        return named;
    }

    private boolean put(int at, Fpdu fpdu, int field, int length, String word) {
        for (int i = 0; i < length && !word.isEmpty(); i++) {
            names[at + place(fpdu, field + i)] = new Named(word, i, length);
        }
        return !word.isEmpty();
    }

    /** The offset in its FPDU of a byte of the ULPDU: after the length and the Markers before it. */
    private static int place(Fpdu fpdu, int inUlpdu) {
        int at = 2 + inUlpdu;
        for (Fpdu.Marker marker : fpdu.markers()) {
            if (marker.position() - fpdu.position() <= at) {
                at += 4;
            }
        }
        return at;
    }

    private void crc(int at, Fpdu fpdu) {
        byte[] all = fpdu.octets();
        int end = all.length - 4;
        byte[] came = Arrays.copyOfRange(all, end, all.length);
        byte[] right = Framer.crcOnTheWire(all, 0, end);
        String word = Arrays.equals(came, right)
                ? "crc"
                : Arrays.equals(came, ScriptBytes.swapped(right))
                        ? "crc-swapped"
                        : "crc^" + Octets.hex(ScriptBytes.turned(came, right)).toUpperCase(Locale.ROOT);
        for (int i = 0; i < 4; i++) {
            names[at + end + i] = new Named(word, i, 4);
        }
    }
}
