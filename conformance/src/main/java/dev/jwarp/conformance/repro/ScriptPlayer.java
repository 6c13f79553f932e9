package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.repro.Script.Kind;
import dev.jwarp.conformance.repro.Script.Step;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.conformance.suite.TestedDevice;
import dev.jwarp.conformance.wire.Octets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Repeats a script with a device, and reports whether the device does the same again. For one thread. */
public final class ScriptPlayer {
    private final TestedDevice device;
    private final Patience patience;
    private final List<Talk> talks = new ArrayList<>();
    /** Whether an answer did not come: then the script waits less for the others. */
    private boolean late;

    /**
     * One conversation.
     *
     * @param told the lines of the device in the recorded run, as far as the script has come
     */
    private record Talk(Wire wire, ScriptBytes said, List<String> told) {}

    /** The result of a repetition. */
    public enum Ending {
        /** The expected event did not come, as in the recorded run. */
        AGAIN,
        /** The expected event came. */
        RIGHT,
        /** The device did something else than in the recorded run; the script cannot judge it. */
        OTHER
    }

    /**
     * The result of a repetition in detail.
     *
     * @param sentence the result in a sentence, without differences
     * @param differences differences from the recorded run, one line each
     * @param wires the conversations
     */
    public record Outcome(Ending ending, String sentence, List<String> differences, List<Transcript> wires) {}

    /** @param patience how long the player waits for expected bytes */
    public ScriptPlayer(TestedDevice device, Patience patience) {
        this.device = device;
        this.patience = patience;
    }

    /** Repeats the script. Throws an exception if the device cannot be reached, or has the other role. */
    public Outcome play(Script script) throws IOException {
        if (script.device() != device.role()) {
            throw new IllegalArgumentException(
                    "the script is for a device that is the " + script.device() + ", not the " + device.role());
        }
        try {
            Expectation expected = Expectation.NONE;
            int about = 0;
            for (Step step : script.steps()) {
                play(step);
                if (step.kind() == Kind.SHOULD) {
                    expected = ScriptExpectation.of(step.text());
                    about = step.conversation();
                }
            }
            return outcome(expected, about);
        } finally {
            talks.forEach(t -> t.wire().close());
        }
    }

    private void play(Step step) throws IOException {
        if (step.kind() == Kind.CONNECT) {
            if (step.conversation() != talks.size() + 1) {
                throw new IllegalArgumentException("conversations are connected in the order of their numbers");
            }
            talks.add(new Talk(connect(step.text()), new ScriptBytes(this), new ArrayList<>()));
            return;
        }
        Talk talk = talk(step.conversation());
        switch (step.kind()) {
            case SEND -> talk.wire().send(talk.said().octets(step.text()), step.note());
            case WAIT -> talk.wire().pass(Long.parseLong(step.text()));
            case FIN -> talk.wire().finish();
            case RST -> talk.wire().reset();
            case HEAR -> {
                talk.told().add(step.text());
                await(talk.wire(), talk.told().size());
            }
            default -> awaitRight(ScriptExpectation.of(step.text()), talk);
        }
    }

    /** Waits for the expected event: a right device may send more lines than the recorded one, or other lines first. */
    private void awaitRight(Expectation expected, Talk talk) {
        List<String> then = talk.told();
        boolean silent = !then.isEmpty() && then.get(then.size() - 1).equals(DeviceLines.NOTHING);
        int lines = silent ? then.size() : then.size() + 1;
        Wire wire = talk.wire();
        long until = wire.millis() + patience.answerMillis();
        while (!wire.ended() && wire.millis() < until) {
            Boolean right = ScriptExpectation.came(expected, wire, then);
            if (right == null ? DeviceLines.all(wire).size() >= lines : right) {
                return;
            }
            wire.awaitAnything(until - wire.millis());
        }
    }

    private Wire connect(String where) throws IOException {
        if (device.role() == Role.INITIATOR) {
            // The device connects anew when the previous connection has ended.
            talks.forEach(t -> t.wire().close());
        }
        if (where.isEmpty()) {
            return device.connect();
        }
        byte[] port = where.startsWith("{")
                ? new ScriptBytes(this).octets(where)
                : new Octets().u64(Long.parseLong(where)).bytes();
        return device.connect((int) Octets.number(port, 0, port.length));
    }

    private Talk talk(int conversation) {
        if (conversation < 1 || conversation > talks.size()) {
            throw new IllegalArgumentException("conversation " + conversation + " was not connected");
        }
        return talks.get(conversation - 1);
    }

    private Wire wire(int conversation) {
        return talk(conversation).wire();
    }

    /** Waits until the device has completed so many lines or ended, or until the time is over. */
    private void await(Wire wire, int lines) {
        long until = wire.millis() + (late ? patience.quietMillis() : patience.answerMillis());
        while (DeviceLines.all(wire).size() < lines && !wire.ended() && wire.millis() < until) {
            wire.awaitAnything(until - wire.millis());
        }
        late |= DeviceLines.all(wire).size() < lines;
    }

    private Outcome outcome(Expectation expected, int about) {
        List<String> differences = new ArrayList<>();
        for (int c = 1; c <= talks.size(); c++) {
            compare(c, talk(c).told(), DeviceLines.all(wire(c)), differences);
        }
        Boolean right = about == 0
                ? null
                : ScriptExpectation.came(expected, wire(about), talk(about).told());
        Ending ending = right == null
                ? differences.isEmpty() ? Ending.AGAIN : Ending.OTHER
                : right ? Ending.RIGHT : Ending.AGAIN;
        String should = "expected: " + expected.words();
        String sentence =
                switch (ending) {
                    case RIGHT -> should + "; it came";
                    case AGAIN ->
                        should
                                + (differences.isEmpty()
                                        ? "; the device did the same as before, except for values that differ each run"
                                        : "; it did not come");
                    case OTHER ->
                        should + "; the device did something else than before, and the script cannot judge that:"
                                + " run the case";
                };
        return new Outcome(
                ending,
                sentence,
                differences,
                talks.stream().<Transcript>map(Talk::wire).toList());
    }

    /** Compares the recorded lines with the new ones; further lines do not count, unless nothing should have come. */
    private static void compare(int c, List<String> then, List<String> now, List<String> differences) {
        for (int i = 0; i < then.size(); i++) {
            String line = i < now.size() ? now.get(i) : DeviceLines.NOTHING;
            if (!DeviceLines.same(then.get(i), line)) {
                differences.add("conversation " + c + ": before " + then.get(i) + "; now " + line);
            }
        }
    }

    /**
     * The same script, with {@link DeviceLines#ANY} for values that differed in the repetition and may differ: STags,
     * offsets, payloads.
     */
    public static Script masked(Script script, Outcome again) {
        Map<Integer, Integer> heard = new HashMap<>();
        List<Step> steps = new ArrayList<>();
        for (Step step : script.steps()) {
            int c = step.conversation();
            if (step.kind() == Kind.HEAR && c <= again.wires().size()) {
                int at = heard.merge(c, 1, Integer::sum) - 1;
                List<String> now = DeviceLines.all(again.wires().get(c - 1));
                String line = at < now.size() ? DeviceLines.mask(step.text(), now.get(at)) : step.text();
                steps.add(new Step(c, step.kind(), line, step.note()));
            } else {
                steps.add(step);
            }
        }
        return new Script(script.device(), steps);
    }

    /** {@return these bytes of the device's stream} Waits until they have come. */
    byte[] heard(int conversation, int at, int count) {
        Wire wire = wire(conversation);
        long until = wire.millis() + patience.answerMillis();
        byte[] stream = ScriptWords.stream(wire, Event.Kind.RECEIVED);
        while (stream.length < at + count) {
            if (wire.ended() || wire.millis() >= until) {
                throw new IllegalStateException("the device has sent only " + stream.length + " bytes in conversation "
                        + conversation + ": the script needs those from " + at + " on");
            }
            wire.awaitAnything(until - wire.millis());
            stream = ScriptWords.stream(wire, Event.Kind.RECEIVED);
        }
        return Arrays.copyOfRange(stream, at, at + count);
    }

    /** The port of the end that connected. */
    int port(int conversation) {
        Wire wire = wire(conversation);
        return (device.role() == Role.RESPONDER ? wire.local() : wire.peer()).getPort();
    }
}
