package dev.jwarp.rnic;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.rnic.ScriptedPeer.Item;
import dev.jwarp.sim.SimLink;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.SimTransport;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A timeline of calls to a device A, and of the traffic between A and a peer that the script emulates. The syntax is in
 * {@code test-vectors/README.md}.
 */
final class PacketScript {
    private static final SimLink AT_ONCE = new SimLink(1 << 20, 1 << 20, 0, 0, 1 << 20, 1460);

    private final List<ScriptLine> lines = new ArrayList<>();
    private final SimNetwork network = new SimNetwork(1);
    private final ScriptedPeer peer = new ScriptedPeer();
    private final ScriptFrames frames = new ScriptFrames();
    private final SimTransport peerHost;
    private final SimTransport ownHost;
    private final long start;
    private final ScriptLine given;
    private final ScriptedDevice device;

    PacketScript(String file, String content) {
        ScriptLine first = null;
        int number = 0;
        for (String text : content.lines().toList()) {
            number++;
            String stripped = text.replaceFirst("(^|\\s)#.*", "").strip();
            if (!stripped.isEmpty()) {
                ScriptLine line = new ScriptLine(file, number, stripped);
                if (first == null) {
                    first = line;
                } else {
                    lines.add(line);
                }
            }
        }
        given = Objects.requireNonNull(first, file + " is empty");
        network.link(AT_ONCE);
        Map<String, String> settings = new HashMap<>(given.values());
        settings.keySet().removeIf(key -> !key.startsWith("jwarp."));
        Map<String, String> ofTcp = new HashMap<>(settings);
        ofTcp.keySet().removeIf(key -> !key.startsWith("jwarp.mpa.") && !key.startsWith("jwarp.tcp."));
        // Peers of scripts answer quickly or are silent on purpose, so there is no nudge unless a script tests it.
        settings.putIfAbsent("jwarp.rdmap.nudge", "off");
        peer.crcField = !settings.getOrDefault("jwarp.mpa.crc-field", "both").equals("none");
        ownHost = network.host(address(1), new MpaEngineFactory(TcpSettings.of(ofTcp), new Tally<>(TcpCounter.class)));
        peerHost = network.host(address(2), peer);
        device = new ScriptedDevice(new RnicProvider()
                .rnic()
                .open(ownHost, () -> network.clock().nowNanos(), new SplittableRandom(1), settings));
        start = network.clock().nowNanos();
    }

    private static InetAddress address(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    void run() {
        begin();
        for (ScriptLine line : lines) {
            network.runFor(line.afterNanos);
            try {
                play(line);
            } catch (RuntimeException e) {
                throw (AssertionError) line.failure("failed: " + e).initCause(e);
            }
            if (!line.has("more")) {
                network.runFor(0);
            }
        }
        nothingLeft(lines.get(lines.size() - 1));
        device.context().close();
    }

    // ---- beginning of a script

    private void begin() {
        switch (given.word(1)) {
            case "connecting" -> connect();
            case "initiator" -> {
                connect();
                expect(line("> request"));
                send(line("< reply " + startWords()));
                event(line("A.cm ESTABLISHED"));
            }
            case "listening" -> listen();
            case "responder" -> {
                listen();
                send(line("< request " + startWords()));
                event(line("A.cm CONNECT_REQUEST"));
                device.call("accept", line("accept"));
                expect(line("> reply"));
                event(line("A.cm ESTABLISHED"));
            }
            default -> throw given.failure("begins with: given connecting, initiator, listening or responder");
        }
    }

    private String startWords() {
        boolean crc = given.value("jwarp.mpa.crc", "on").equals("on");
        return (crc ? "C " : "") + "rev=2 ird=" + given.value("ird", "8") + " ord=" + given.value("ord", "8");
    }

    private ScriptLine line(String text) {
        return new ScriptLine(given.file, given.number, text);
    }

    private void connect() {
        peerHost.listen(peerHost.address(7), 1, new UnusedUpperLayer());
        CmId id = device.context().createId(device.events);
        device.use(id);
        id.resolveAddress(null, peerHost.address(7));
        event(line("A.cm ADDR_RESOLVED"));
        id.connect(ScriptedDevice.parameters(given));
        network.runFor(0);
    }

    private void listen() {
        CmId listener = device.context().createId(device.events);
        listener.bind(ownHost.address(7));
        listener.listen(0);
        peerHost.connect(
                ownHost.address(7),
                null,
                new StartParameters(0, 0, new byte[0]),
                Long.MAX_VALUE / 4,
                new UnusedUpperLayer(),
                new UnusedUpperLayer());
        network.runFor(0);
    }

    // ---- lines

    private void play(ScriptLine line) {
        switch (line.word(0)) {
            case "<" -> send(line);
            case ">" -> expect(line);
            case "A.wc" -> completion(line);
            case "A.cm" -> event(line);
            case "A.async" -> asyncEvent(line);
            case "A.qp" -> compare(line, "state", line.word(1) + " " + line.word(2), device.states(), null);
            case "A.mem" -> memory(line);
            case "A.counter" ->
                line.values()
                        .forEach((name, value) ->
                                compare(line, name, value, String.valueOf(device.counter(name)), null));
            default -> {
                if (!line.word(0).startsWith("A.")) {
                    throw line.failure("begins with <, > or A.");
                }
                device.call(line.word(0).substring(2), line);
            }
        }
    }

    private void send(ScriptLine line) {
        switch (line.word(1)) {
            case "request", "reply" ->
                peer.send(ScriptFrames.startFrame(line, line.word(1).equals("request"), device));
            case "tagged", "untagged" -> peer.send(frames.fpdu(line, device));
            case "octets" -> peer.send(ScriptLine.octets(line.value("data", "\"\"")));
            case "fin" -> peer.end(Ending.SHUT_DOWN_OUTPUT);
            case "rst" -> peer.end(Ending.ABORT);
            default -> throw line.failure("the peer cannot send " + line.word(1));
        }
        if (!line.has("more")) {
            peer.flush();
            network.runFor(0);
        }
    }

    private void expect(ScriptLine line) {
        network.runFor(0);
        if (line.word(1).equals("nothing")) {
            Item item = peer.items.peek();
            compare(line, "output", "none", item == null ? "none" : describe(item), item);
            return;
        }
        Item item = peer.items.poll();
        if (item == null) {
            throw line.failure("output", line.word(1), "none", time(), new byte[0]);
        }
        if (line.afterNanos > 0) {
            compare(line, "time", seconds(time()), seconds(item.nanos() - start), item);
        }
        Map<String, String> actual = fields(item);
        compare(line, "kind", kind(line), Objects.requireNonNull(actual.get("kind")), item);
        Map<String, String> expected = new HashMap<>(line.values());
        if (item.what().equals("fpdu")) {
            expected.put("ddp", line.word(1));
            expected.put("message", line.words() > 3 ? line.word(3) : line.word(2));
            expected.put("L", line.has("L") ? "yes" : "no");
            expected.put("crc", "good");
        } else if (item.what().equals("start")) {
            for (String flag : List.of("M", "C", "R")) {
                if (line.words() > 2) {
                    expected.put(flag, line.has(flag) ? "yes" : "no");
                }
            }
        }
        expected.forEach((key, value) -> compareField(line, key, value, actual, item));
    }

    private static String kind(ScriptLine line) {
        return line.word(1).equals("tagged") || line.word(1).equals("untagged") ? "fpdu" : line.word(1);
    }

    private Map<String, String> fields(Item item) {
        boolean crc = given.value("jwarp.mpa.crc", "on").equals("on");
        Map<String, String> fields =
                switch (item.what()) {
                    case "start" -> ScriptFrames.startFields(item.octets());
                    case "fpdu" -> ScriptFrames.fpduFields(item.octets(), crc);
                    default -> new HashMap<>();
                };
        fields.put("kind", item.what().equals("start") ? Objects.requireNonNull(fields.get("frame")) : item.what());
        return fields;
    }

    private String describe(Item item) {
        return fields(item).toString();
    }

    private void compareField(ScriptLine line, String key, String expected, Map<String, String> actual, Item item) {
        String found = actual.getOrDefault(key, "absent");
        boolean number = found.startsWith("0x") || found.matches("-?\\d+");
        if (number && !key.equals("code") && !key.equals("data")) {
            boolean stag = key.equals("stag") || key.equals("sink") || key.equals("source") || key.equals("inv");
            long wanted = line.number(key, device);
            long there =
                    found.startsWith("0x") ? Long.parseUnsignedLong(found.substring(2), 16) : Long.parseLong(found);
            if (stag ? (int) wanted != (int) there : wanted != there) {
                throw line.failure(key, expected + " (" + Long.toHexString(wanted) + ")", found, time(), item.octets());
            }
        } else {
            compare(line, key, expected, found, item);
        }
    }

    private void completion(ScriptLine line) {
        WorkCompletion completion = device.completion();
        String actual = completion == null ? "none" : completion.status().name();
        compare(line, "completion", line.word(1), actual, null);
        if (completion == null) {
            return;
        }
        for (Map.Entry<String, String> wanted : line.values().entrySet()) {
            String found =
                    switch (wanted.getKey()) {
                        case "wr" -> String.valueOf(completion.id());
                        case "op" -> completion.opcode().name();
                        case "len" -> String.valueOf(completion.byteLength());
                        case "data" -> ScriptLine.text(device.received(completion));
                        case "value" -> String.valueOf(completion.immediateData());
                        case "diagnosis" -> {
                            String text = String.valueOf(completion.diagnosis());
                            String part = wanted.getValue().replace("\"", "");
                            yield text.contains(part) ? wanted.getValue() : text;
                        }
                        default -> throw line.failure("a completion has no " + wanted.getKey());
                    };
            compare(line, wanted.getKey(), wanted.getValue(), found, null);
        }
    }

    private void event(ScriptLine line) {
        network.runFor(0);
        CmEvent event = device.event();
        compare(
                line,
                "event",
                line.word(1),
                event == null ? "none" : event.type().name(),
                null);
        if (event == null) {
            return;
        }
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            device.use(event.id());
        }
        if (line.words() > 2) {
            String actual = event.error() == null ? "clean" : event.error().name();
            compare(line, "error", line.word(2), actual, null);
        }
        ConnectionParameters parameters = event.parameters();
        line.values().forEach((key, value) -> {
            String actual =
                    switch (key) {
                        case "pd" -> ScriptLine.text(parameters.privateData());
                        case "ird" -> String.valueOf(parameters.responderResources());
                        case "ord" -> String.valueOf(parameters.initiatorDepth());
                        default -> throw line.failure("an event has no " + key);
                    };
            compare(line, key, value, actual, null);
        });
    }

    private void asyncEvent(ScriptLine line) {
        AsyncEvent event = device.asyncEvent();
        compare(
                line,
                "async event",
                line.word(1),
                event == null ? "none" : event.type().name(),
                null);
    }

    private void memory(ScriptLine line) {
        byte[] expected = ScriptLine.octets(line.value("data", "\"\""));
        byte[] actual = device.memory(line.word(1), (int) line.number("offset", 0, device), expected.length);
        compare(line, "memory", ScriptLine.text(expected), ScriptLine.text(actual), null);
    }

    private void nothingLeft(ScriptLine last) {
        Item item = peer.items.peek();
        if (item != null) {
            throw last.failure("output after the last line", "none", describe(item), time(), item.octets());
        }
        WorkCompletion completion = device.completion();
        if (completion != null) {
            throw last.failure("completion after the last line", "none", completion.toString(), time(), new byte[0]);
        }
    }

    private void compare(ScriptLine line, String field, String expected, String actual, @Nullable Item item) {
        if (!expected.equals(actual)) {
            throw line.failure(field, expected, actual, time(), item == null ? new byte[0] : item.octets());
        }
    }

    private long time() {
        return network.clock().nowNanos() - start;
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.6f s", nanos / 1e9);
    }
}
