package dev.jwarp.conformance.report;

import dev.jwarp.conformance.report.Findings.Conversation;
import dev.jwarp.conformance.report.Findings.Field;
import dev.jwarp.conformance.report.Findings.Frame;
import dev.jwarp.conformance.report.Findings.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Shows a conversation to people at a terminal: which side said something, when, how much, the first bytes, and the fields by name. */
final class Story {
    /** Hex digits of one event that are shown. */
    private static final int SHOWN = 128;

    private static final String INDENT = " ".repeat(17);

    private Story() {}

    /** The lines of a conversation; {@code >} is the tester, {@code <} the device. */
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
                        + frame.fields().stream().map(Story::field).collect(Collectors.joining(" | ")));
            }
        }
        return lines.stream().map(Printable::line).toList();
    }

    private static String field(Field field) {
        return field.name() + " " + field.value();
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
