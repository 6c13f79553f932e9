package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.report.Dissection;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The expected event: its text in a script, and whether it has come, if a script alone can judge that. */
final class ScriptExpectation {
    private static final String TERMINATE = "terminate";
    private static final String MESSAGE = "message ";
    private static final String END = "end";
    private static final String WITHIN = "end within ";

    private ScriptExpectation() {}

    /** {@return the text of a script's last step} */
    static String text(Expectation expected) {
        if (expected instanceof Expectation.Terminate terminate) {
            return terminate.causes().stream()
                    .map(c -> " %X/%X/%02X".formatted(c >> 12, (c >> 8) & 0xF, c & 0xFF))
                    .collect(Collectors.joining("", TERMINATE, ""));
        }
        if (expected instanceof Expectation.Message message) {
            return MESSAGE + message.opcode().words();
        }
        if (expected instanceof Expectation.End end) {
            return end.timed() ? WITHIN + end.withinMillis() : END;
        }
        return expected.words();
    }

    /** Parses {@link #text}. */
    static Expectation of(String text) {
        if (text.matches(TERMINATE + "( [0-9A-F]/[0-9A-F]/[0-9A-F]{2})+")) {
            return new Expectation.Terminate(
                    Arrays.stream(text.substring(TERMINATE.length() + 1).split(" "))
                            .map(cause -> Integer.parseInt(cause.replace("/", ""), 16))
                            .toList());
        }
        if (text.matches(WITHIN + "[0-9]{1,9}")) {
            return new Expectation.End(Long.parseLong(text.substring(WITHIN.length())));
        }
        if (text.equals(END)) {
            return Expectation.END;
        }
        return Arrays.stream(Opcode.values())
                .filter(opcode -> text.equals(MESSAGE + opcode.words()))
                .<Expectation>map(Expectation.Message::new)
                .findFirst()
                .orElseGet(() -> new Expectation.Other(text));
    }

    /**
     * Whether the expected event came after the tester's last bytes.
     *
     * @param then the lines of the device when the case failed
     * @return null if only the case can tell
     */
    static @Nullable Boolean came(Expectation expected, Transcript conversation, List<String> then) {
        if (expected instanceof Expectation.Terminate terminate) {
            return new Dissection(conversation).answers().stream().anyMatch(s -> terminated(s, terminate.causes()));
        }
        if (expected instanceof Expectation.Message message) {
            return new Dissection(conversation).answers().stream().anyMatch(s -> s.is(message.opcode()));
        }
        if (expected instanceof Expectation.End end) {
            List<String> now = DeviceLines.all(conversation);
            // Unless the case waited in vain, the device's last line was the fault.
            boolean inVain = !then.isEmpty() && then.get(then.size() - 1).equals(DeviceLines.NOTHING);
            boolean within = !end.timed() || millisToEnd(conversation) < end.withinMillis();
            return DeviceLines.ended(now) && within && frames(now) <= frames(then) - (end.timed() || inVain ? 0 : 1);
        }
        return null;
    }

    private static boolean terminated(Segment segment, List<Integer> causes) {
        TerminateFields terminated = segment.is(Opcode.TERMINATE) ? TerminateFields.parse(segment.payload()) : null;
        return terminated != null && !terminated.swapped() && causes.contains(terminated.cause());
    }

    private static long frames(List<String> lines) {
        return lines.stream()
                .filter(l -> !l.equals(DeviceLines.NOTHING) && !l.equals(DeviceLines.FIN) && !l.equals(DeviceLines.RST))
                .count();
    }

    /** Time from the tester's last bytes to the end. */
    private static long millisToEnd(Transcript conversation) {
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
}
