package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.repro.Script.Kind;
import dev.jwarp.conformance.repro.Script.Step;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.suite.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes a script of the conversations of a failed case. */
public final class ScriptMaker {
    /** A longer pause of the tester is deliberate and becomes a step. */
    private static final long PAUSE_MILLIS = 50;

    /** The same between two writes of the tester. */
    private static final long PIECES_MILLIS = 1;

    private final List<Transcript> conversations;
    private final Role device;
    private final Sources sources = new Sources();
    private final List<ScriptWords> sent = new ArrayList<>();
    private final List<List<List<String>>> heard = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();

    private record Moment(int conversation, int number, long nanos, Event event) {}

    private ScriptMaker(Role device, List<Transcript> conversations) {
        this.device = device;
        this.conversations = conversations;
    }

    /**
     * The script of a failed case; null if the case has no TCP conversations, or if not all of their bytes were kept.
     */
    public static @Nullable Script of(Result result) {
        List<Transcript> wires = result.wires();
        boolean whole = wires.stream()
                .allMatch(w -> !w.datagrams() && w.events().stream().allMatch(Event::kept));
        if (wires.isEmpty() || !whole) {
            return null;
        }
        return new ScriptMaker(result.test().device(), wires).make(result);
    }

    private Script make(Result result) {
        List<Moment> moments = new ArrayList<>();
        for (int c = 0; c < conversations.size(); c++) {
            Transcript conversation = conversations.get(c);
            heard.add(DeviceLines.lines(conversation));
            sent.add(new ScriptWords(conversation, sources));
            for (int i = 0; i < conversation.events().size(); i++) {
                Event event = conversation.events().get(i);
                moments.add(new Moment(c, i, conversation.began() + event.nanos(), event));
            }
        }
        // A stable sort keeps the order within a conversation.
        moments.sort(Comparator.comparingLong(Moment::nanos));
        moments.removeIf(m -> m.event().kind() == Event.Kind.NOTE);
        Moment before = null;
        for (Moment moment : moments) {
            if (before != null && byTester(moment)) {
                long millis = TimeUnit.NANOSECONDS.toMillis(moment.nanos() - before.nanos());
                if (millis >= (byTester(before) ? PIECES_MILLIS : PAUSE_MILLIS)) {
                    step(moment, Kind.WAIT, String.valueOf(millis));
                }
            }
            before = moment;
            take(moment);
        }
        Moment last = moments.get(moments.size() - 1);
        String rest = DeviceLines.rest(conversations.get(last.conversation()));
        if (!rest.isEmpty()) {
            step(last, Kind.HEAR, rest);
        }
        if (result.actual().endsWith(Deviation.NOTHING) || byTester(last)) {
            step(last, Kind.HEAR, DeviceLines.NOTHING);
        }
        String note = "expected " + result.expected() + ", got " + result.actual();
        steps.add(new Step(last.conversation() + 1, Kind.SHOULD, ScriptExpectation.text(result.expectation()), note));
        return new Script(device, steps);
    }

    private static boolean byTester(Moment moment) {
        return switch (moment.event().kind()) {
            case SENT, CLOSED, RESET -> true;
            default -> false;
        };
    }

    private void take(Moment moment) {
        int c = moment.conversation();
        Event event = moment.event();
        switch (event.kind()) {
            case CONNECTED -> connected(moment);
            case SENT -> steps.add(new Step(c + 1, Kind.SEND, sent.get(c).next(event.octets().length), event.note()));
            case CLOSED -> step(moment, Kind.FIN, "");
            case RESET -> step(moment, Kind.RST, "");
            case RECEIVED, PEER_CLOSED, PEER_RESET -> {
                sources.heard(c, event.octets());
                heard.get(c).get(moment.number()).forEach(line -> step(moment, Kind.HEAR, line));
            }
            case NOTE -> {}
        }
    }

    private void connected(Moment moment) {
        Transcript conversation = conversations.get(moment.conversation());
        boolean dialled = device == Role.RESPONDER;
        int port = conversation.peer().getPort();
        String where = "";
        if (dialled && port != conversations.get(0).peer().getPort()) {
            // The program above the device has sent the port of its other configuration.
            Sources.Source said = sources.number(port);
            where = said == null ? String.valueOf(port) : said.text();
        }
        sources.connected((dialled ? conversation.local() : conversation.peer()).getPort());
        step(moment, Kind.CONNECT, where);
    }

    private void step(Moment moment, Kind kind, String text) {
        steps.add(new Step(moment.conversation() + 1, kind, text, ""));
    }
}
