package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.report.Dissection;
import dev.jwarp.conformance.report.Findings.Frame;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Recorded;
import dev.jwarp.conformance.wire.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What should have come, where a script alone can tell: a Terminate with one of some causes, a message of a kind, the end of the connection. */
final class Should {
    private static final String TERMINATE = "Terminate ";
    private static final Pattern CAUSE = Pattern.compile("Terminate \\d/\\d/[0-9A-F]{2}|(?<= or )\\d/\\d/[0-9A-F]{2}");
    private static final Pattern END =
            Pattern.compile("the end of the connection(?:, and no more bytes before| within (\\d{1,9}) ms)");

    private Should() {}

    /**
     * Whether it came behind what the tester sent last.
     *
     * @param expected in the words of a report
     * @param then the lines that the device had said when the case failed
     * @return null if these words are for people only
     */
    static @Nullable Boolean came(String expected, Recorded conversation, List<String> then) {
        if (expected.startsWith(TERMINATE)) {
            List<String> causes = CAUSE.matcher(expected)
                    .results()
                    .map(MatchResult::group)
                    .map(c -> c.startsWith(TERMINATE) ? c : TERMINATE + c)
                    .toList();
            return behind(conversation).stream()
                    .anyMatch(f -> causes.stream()
                            .anyMatch(c -> f.name().startsWith(c) && !f.name().contains("siw's order")));
        }
        Matcher end = END.matcher(expected);
        if (end.matches()) {
            List<String> now = Heard.all(conversation);
            // Unless it waited in vain, what came last should not have.
            boolean inVain = !then.isEmpty() && then.get(then.size() - 1).equals(Heard.NOTHING);
            boolean within = end.group(1) == null || millisToEnd(conversation) < Long.parseLong(end.group(1));
            int more = end.group(1) != null || inVain ? 0 : 1;
            return Heard.ended(now) && within && frames(now) <= frames(then) - more;
        }
        return Arrays.stream(Opcode.values()).anyMatch(o -> o.words().equals(expected))
                ? behind(conversation).stream()
                        .anyMatch(f -> f.fields().stream()
                                .anyMatch(v -> v.value().endsWith(" " + expected)
                                        && v.name().endsWith("Opcode")))
                : null;
    }

    private static long frames(List<String> lines) {
        return lines.stream()
                .filter(l -> !l.equals(Heard.NOTHING) && !l.equals(Heard.FIN) && !l.equals(Heard.RST))
                .count();
    }

    /** From what was sent last to the end. */
    private static long millisToEnd(Recorded conversation) {
        long sent = 0;
        long ended = 0;
        for (Event event : conversation.events()) {
            switch (event.kind()) {
                case SENT -> sent = event.nanos();
                case PEER_CLOSED, PEER_RESET -> ended = event.nanos();
                default -> {}
            }
        }
        return TimeUnit.NANOSECONDS.toMillis(ended - sent);
    }

    /** The frames that came behind what was sent last. */
    private static List<Frame> behind(Recorded conversation) {
        List<Frame> frames = new ArrayList<>();
        List<List<Frame>> all = Dissection.of(conversation);
        for (int i = 0; i < all.size(); i++) {
            Event.Kind kind = conversation.events().get(i).kind();
            if (kind == Event.Kind.SENT) {
                frames.clear();
            } else if (kind == Event.Kind.RECEIVED) {
                frames.addAll(all.get(i));
            }
        }
        return frames;
    }
}
