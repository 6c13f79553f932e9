package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.script.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The actions of the tester in the conversations of one case, and the answers of the device: one step a line, in the
 * order of time. Each line begins with the number of the conversation, from 1 on; lines that begin with {@code #} are
 * comments. docs/conformance/methodology.md describes the form.
 *
 * @param device the device's role
 * @param steps in order
 */
public record Script(Role device, List<Step> steps) {
    /** The first word of a file. */
    public static final String FIRST = "device";

    public Script {
        steps = List.copyOf(steps);
    }

    private static final int MOST_WAIT_MILLIS = 3_600_000;

    /** Kinds of steps. */
    public enum Kind {
        /**
         * A new TCP connection: the tester connects, or waits for the device; followed by the port if it differs from
         * the first one.
         */
        CONNECT,
        /** The tester sends these bytes, in one write. */
        SEND,
        /** The tester waits so many milliseconds. */
        WAIT,
        /** The tester ends its direction with FIN. */
        FIN,
        /** The tester resets the connection. */
        RST,
        /** The device sent this in the run from which the script was made. */
        HEAR,
        /** The device should have sent this. */
        SHOULD
    }

    /**
     * One step.
     *
     * @param conversation from 1 on
     * @param text the argument of the step; may be empty
     * @param note a comment; may be empty
     */
    public record Step(int conversation, Kind kind, String text, String note) {
        String line() {
            String words = conversation + " " + kind.name().toLowerCase(Locale.ROOT);
            return text.isEmpty() ? words : words + " " + text;
        }
    }

    /** The text of the file, with these comment lines at its head. */
    public String text(List<String> head) {
        StringBuilder text = new StringBuilder();
        head.forEach(line -> text.append("# ").append(line.replace('\n', ' ')).append('\n'));
        text.append(FIRST).append(' ').append(device).append('\n');
        for (Step step : steps) {
            if (!step.note().isEmpty()) {
                text.append("# ").append(step.note().replace('\n', ' ')).append('\n');
            }
            text.append(step.line()).append('\n');
        }
        return text.toString();
    }

    /** Whether these lines are a script; otherwise they may be mutated conversations. */
    public static boolean is(List<String> lines) {
        return lines.stream()
                .map(String::strip)
                .filter(l -> !l.isEmpty() && !l.startsWith("#"))
                .findFirst()
                .map(l -> l.startsWith(FIRST + " "))
                .orElse(false);
    }

    /** Parses {@link #text}; throws an exception with the line number if the text is no script. */
    public static Script parse(List<String> lines) {
        Role device = null;
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                String[] words = line.split("\\s+", 3);
                if (device == null) {
                    device = device(words);
                } else {
                    steps.add(step(words));
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        if (device == null) {
            throw new IllegalArgumentException("there is no line '" + FIRST + " " + Role.RESPONDER + "'");
        }
        boolean connected = steps.stream().anyMatch(s -> s.kind() == Kind.CONNECT);
        if (!connected || steps.get(steps.size() - 1).kind() != Kind.SHOULD) {
            throw new IllegalArgumentException(
                    "no whole script: the first step is '1 connect', the last one is '1 should …'");
        }
        return new Script(device, steps);
    }

    private static Role device(String[] words) {
        for (Role role : new Role[] {Role.INITIATOR, Role.RESPONDER}) {
            if (words.length == 2 && words[0].equals(FIRST) && words[1].equals(role.toString())) {
                return role;
            }
        }
        throw new IllegalArgumentException(
                "not '" + FIRST + " " + Role.INITIATOR + "' or '" + FIRST + " " + Role.RESPONDER + "'");
    }

    private static Step step(String[] words) {
        if (words.length < 2) {
            throw new IllegalArgumentException("a step needs the number of a conversation and an action");
        }
        Step step = new Step(number(words[0], 9_999), kind(words[1]), words.length > 2 ? words[2] : "", "");
        switch (step.kind()) {
            case CONNECT -> {
                if (!step.text().isEmpty() && !step.text().startsWith("{")) {
                    number(step.text(), 65_535);
                }
            }
            case SEND -> ScriptBytes.check(step.text());
            case WAIT -> number(step.text(), MOST_WAIT_MILLIS);
            default -> {}
        }
        return step;
    }

    private static Kind kind(String word) {
        for (Kind kind : Kind.values()) {
            if (kind.name().toLowerCase(Locale.ROOT).equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("'" + word + "' is no action of a script");
    }

    private static int number(String word, int most) {
        if (!word.matches("[0-9]{1,9}") || Integer.parseInt(word) > most) {
            throw new IllegalArgumentException("'" + word + "' is no number from 0 to " + most);
        }
        return Integer.parseInt(word);
    }
}
