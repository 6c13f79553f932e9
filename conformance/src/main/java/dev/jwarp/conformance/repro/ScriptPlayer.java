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

/** Repeats a script with a device, and says whether it does the same again. One thread. */
public final class ScriptPlayer implements ScriptBytes.World {
    private final TestedDevice device;
    private final Patience patience;
    private final List<Talk> talks = new ArrayList<>();
    /** The script waits for no answer that has not come once. */
    private boolean late;

    /**
     * One conversation.
     *
     * @param told the lines that the device had said then, as far as the script has come
     */
    private record Talk(Wire wire, ScriptBytes said, List<String> told) {}

    /** How a repetition ended. */
    public enum Ending {
        /** What should come did not. */
        AGAIN,
        /** What should come came. */
        RIGHT,
        /** Something else came than then; whether it is right the script cannot tell. */
        OTHER
    }

    /**
     * What came.
     *
     * @param sentence in a sentence, without differences
     * @param differences what came otherwise than then, a line each
     * @param wires the conversations
     */
    public record Outcome(Ending ending, String sentence, List<String> differences, List<Transcript> wires) {}

    /** @param patience how long it waits for what must come */
    public ScriptPlayer(TestedDevice device, Patience patience) {
        this.device = device;
        this.patience = patience;
    }

    /** Repeats it. Throws if the device cannot be reached, or is the other end. */
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

    /** A right device may say more than the other one did, or something else first. */
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
            // It connects anew when the connection before has ended.
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

    /** Waits until the device has said so many lines, has ended, or had time enough. */
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
        String should = "what should come: " + expected.words();
        String sentence =
                switch (ending) {
                    case RIGHT -> should + "; it came";
                    case AGAIN ->
                        should
                                + (differences.isEmpty()
                                        ? "; the same came as then, but for values that differ from run to run"
                                        : "; it did not come");
                    case OTHER ->
                        should + "; something else came than then, and the script cannot tell whether that is right:"
                                + " the case can";
                };
        return new Outcome(
                ending,
                sentence,
                differences,
                talks.stream().<Transcript>map(Talk::wire).toList());
    }

    /** What the script has told, line by line; what came behind it does not count, unless nothing should have. */
    private static void compare(int c, List<String> then, List<String> now, List<String> differences) {
        for (int i = 0; i < then.size(); i++) {
            String line = i < now.size() ? now.get(i) : DeviceLines.NOTHING;
            if (!DeviceLines.same(then.get(i), line)) {
                differences.add("conversation " + c + ": then " + then.get(i) + "; now " + line);
            }
        }
    }

    /** The same script, with {@link DeviceLines#ANY} for values that were others when it was repeated, and may be: STags, offsets, payloads. */
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

    @Override
    public byte[] heard(int conversation, int at, int count) {
        Wire wire = wire(conversation);
        long until = wire.millis() + patience.answerMillis();
        byte[] stream = stream(wire);
        while (stream.length < at + count) {
            if (wire.ended() || wire.millis() >= until) {
                throw new IllegalStateException("the device has said " + stream.length + " bytes in conversation "
                        + conversation + ": the script needs those from " + at + " on");
            }
            wire.awaitAnything(until - wire.millis());
            stream = stream(wire);
        }
        return Arrays.copyOfRange(stream, at, at + count);
    }

    private static byte[] stream(Wire wire) {
        Octets stream = new Octets();
        wire.events().stream().filter(e -> e.kind() == Event.Kind.RECEIVED).forEach(e -> stream.add(e.octets()));
        return stream.bytes();
    }

    @Override
    public int port(int conversation) {
        Wire wire = wire(conversation);
        return (device.role() == Role.RESPONDER ? wire.local() : wire.peer()).getPort();
    }
}
