package dev.jwarp.conformance.report;

import dev.jwarp.conformance.report.Findings.Conversation;
import dev.jwarp.conformance.report.Findings.Frame;
import dev.jwarp.conformance.report.Findings.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Shows a conversation to people at a terminal: the sender, the time, the length, the first bytes, and the named fields
 * of each event.
 */
final class Story {
    /** Limit of the hex digits of one event. */
    private static final int SHOWN = 128;

    private static final String INDENT = " ".repeat(17);

    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1F\\x7F-\\x9F]");

    private Story() {}

    /**
     * Makes text from the device safe for a terminal: a backslash, an x and two hex digits replace each character that
     * moves the cursor, changes colours or begins a new line.
     */
    static String printable(String text) {
        return CONTROL.matcher(text)
                .replaceAll(m ->
                        String.format(Locale.ROOT, "\\\\x%02X", (int) m.group().charAt(0)));
    }

    /** The lines of a conversation; {@code >} marks the tester, {@code <} the device. */
    static List<String> of(Conversation conversation) {
        List<String> lines = new ArrayList<>();
        for (Moment moment : conversation.events()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %9.1f ms %s %s",
                    moment.milliseconds(),
                    arrow(moment.kind()),
                    text(conversation, moment)));
            if (!moment.octets().isEmpty()) {
                lines.add(INDENT + hex(moment));
            }
            for (Frame frame : moment.frames()) {
                lines.add(INDENT + "= " + frame.name());
                lines.add(INDENT + "  "
                        + frame.fields().stream()
                                .map(f -> f.name() + " " + f.value())
                                .collect(Collectors.joining(" | ")));
            }
        }
        return lines.stream().map(Story::printable).toList();
    }

    private static String arrow(String kind) {
        return switch (kind) {
            case "sent", "closed", "reset" -> ">";
            case "received", "peer_closed", "peer_reset" -> "<";
            default -> "*";
        };
    }

    private static String text(Conversation conversation, Moment moment) {
        String note = moment.note().isEmpty() ? "" : ": " + moment.note();
        return switch (moment.kind()) {
            case "connected" ->
                (conversation.transport().equals("udp") ? "datagrams between " : "connected: ") + moment.note();
            case "sent", "received" -> moment.length() + " bytes" + note;
            case "closed", "peer_closed" -> "FIN";
            case "reset" -> "RST";
            case "peer_reset" -> "RST" + note;
            default -> moment.note();
        };
    }

    private static String hex(Moment moment) {
        String octets = moment.octets();
        String some = octets.length() > SHOWN ? octets.substring(0, SHOWN) : octets;
        return some.replaceAll("(.{8})(?=.)", "$1 ") + (2 * moment.length() > some.length() ? " …" : "");
    }
}
