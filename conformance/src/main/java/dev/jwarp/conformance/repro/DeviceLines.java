package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.report.Dissection;
import dev.jwarp.conformance.report.Findings;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The frames that the device sent in a conversation, one line each, with named fields that can be compared between
 * runs.
 */
final class DeviceLines {
    /** Replaces values that differ from run to run. */
    static final String ANY = "*";

    static final String FIN = "the end of the stream (FIN)";
    static final String RST = "a reset (RST)";
    static final String NOTHING = "nothing more";
    private static final String BETWEEN = " | ";

    /** Fields that are shown as bytes. */
    private static final Set<String> BYTES = Set.of("payload", "PAD", "Private Data", "Terminate Control");

    /** Name of bytes that are no whole frame. */
    private static final String REST = "rest";

    /**
     * Fields whose values a device may choose anew in each run; the tester chooses STags and offsets of tagged
     * segments.
     */
    private static final List<String> VARY = List.of(
            "payload",
            REST,
            "Private Data",
            "Data Sink STag",
            "Data Sink TO",
            "Terminated DDP Header",
            "Terminated RDMA Header");

    /** Limit of the shown bytes; longer values end with their CRC32C. */
    private static final int SHOWN = 64;

    private DeviceLines() {}

    /** The lines that each event completed. */
    static List<List<String>> lines(Transcript conversation) {
        List<List<Findings.Frame>> frames = new Dissection(conversation).frames();
        List<List<String>> lines = new ArrayList<>();
        for (int i = 0; i < frames.size(); i++) {
            Event event = conversation.events().get(i);
            lines.add(
                    switch (event.kind()) {
                        case RECEIVED ->
                            frames.get(i).stream().map(DeviceLines::line).toList();
                        case PEER_CLOSED -> List.of(FIN);
                        case PEER_RESET -> List.of(RST);
                        default -> List.of();
                    });
        }
        return lines;
    }

    /** All lines, then the bytes that are no whole frame. */
    static List<String> all(Transcript conversation) {
        List<String> all = new ArrayList<>(
                lines(conversation).stream().flatMap(List::stream).toList());
        String rest = rest(conversation);
        if (!rest.isEmpty()) {
            all.add(all.size() - (ended(all) ? 1 : 0), rest);
        }
        return all;
    }

    /**
     * The bytes that are no whole frame, as a line; empty if there are none, or if they are the beginning of a frame.
     */
    static String rest(Transcript conversation) {
        byte[] rest = new Dissection(conversation).rest();
        // The received part of a frame differs from run to run; a frame that lacks only its CRC may be the device's
        // whole answer.
        boolean framed =
                lines(conversation).stream().flatMap(List::stream).anyMatch(l -> !l.equals(FIN) && !l.equals(RST));
        boolean begun = rest.length < 2 || (framed && rest.length < 2 + Octets.number(rest, 0, 2));
        return begun ? "" : REST + " " + bytes(rest);
    }

    /** Whether the last line is the end of the stream. */
    static boolean ended(List<String> lines) {
        String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
        return last.equals(FIN) || last.equals(RST);
    }

    private static String line(Findings.Frame frame) {
        return frame.fields().stream()
                .map(f -> f.name() + " "
                        + (BYTES.contains(f.name()) && !f.octets().isEmpty()
                                ? bytes(Octets.hex(f.octets()))
                                : f.value()))
                .collect(Collectors.joining(BETWEEN));
    }

    private static String bytes(byte[] octets) {
        String hex = Octets.hex(octets);
        return octets.length + " bytes "
                + (octets.length <= SHOWN
                        ? hex
                        : hex.substring(0, 2 * SHOWN) + "… CRC32C "
                                + Octets.hex(Framer.crcOnTheWire(octets, 0, octets.length)));
    }

    /** Whether a line is the same as before, except for values that differ from run to run. */
    static boolean same(String then, String now) {
        String[] old = fields(then);
        String[] come = fields(now);
        boolean same = old.length == come.length;
        for (int i = 0; same && i < old.length; i++) {
            same = old[i].endsWith(" " + ANY)
                    ? come[i].startsWith(old[i].substring(0, old[i].length() - ANY.length()))
                    : old[i].equals(come[i]);
        }
        return same;
    }

    /** The first line, with {@link #ANY} for values that differ in the second line and may differ from run to run. */
    static String mask(String then, String now) {
        String[] old = fields(then);
        String[] come = fields(now);
        if (old.length != come.length) {
            return then;
        }
        for (int i = 0; i < old.length; i++) {
            for (String name : VARY) {
                if (old[i].startsWith(name + " ") && come[i].startsWith(name + " ") && !same(old[i], come[i])) {
                    old[i] = common(old[i], come[i]) + " " + ANY;
                }
            }
        }
        return String.join(BETWEEN, old);
    }

    private static String[] fields(String line) {
        return line.split(Pattern.quote(BETWEEN), -1);
    }

    /** The common first words of two fields: a name, and perhaps a length. */
    private static String common(String one, String other) {
        String[] words = one.split(" ", -1);
        String[] others = other.split(" ", -1);
        int same = 0;
        while (same < Math.min(words.length, others.length) && words[same].equals(others[same])) {
            same++;
        }
        return String.join(" ", List.of(words).subList(0, same));
    }
}
