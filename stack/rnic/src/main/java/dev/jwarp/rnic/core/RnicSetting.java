package dev.jwarp.rnic.core;

import dev.jwarp.base.SettingKey;
import dev.jwarp.base.Settings;
import dev.jwarp.verbs.Setting;
import java.util.Arrays;
import java.util.List;

/** The settings of the RNIC itself; its transports have more. */
public enum RnicSetting implements Settings.HasKey {
    PROGRESS(
            "jwarp.progress",
            "inline",
            List.of("inline", "threaded"),
            "Which threads send and receive: the thread that polls or waits, or threads of the transport."),
    TRANSPORT(
            "jwarp.transport",
            "auto",
            "auto | the name of a transport, such as nio or netty",
            "What carries connections and datagrams; auto takes nio for inline and netty for threaded progress."),
    SEEN(
            "jwarp.datagram.seen",
            "32768",
            1_024,
            1 << 24,
            "messages",
            "Each UDP port: messages that have ended and are remembered for 2 s, so that copies have no effect; as many again"
                    + " of the 2 s before."),
    ASYNC_EVENTS(
            "jwarp.device.async-events",
            "1024",
            16,
            65_536,
            "events",
            "Async events that may wait to be taken; equal ones become one, and the oldest is dropped for a new one."),
    SPIN(
            "jwarp.progress.spin",
            "0",
            0,
            1_000_000,
            "microseconds",
            "Threaded progress: how long a waiting thread polls before it sleeps."),
    STAT(
            "jwarp.stat",
            "on",
            List.of("on", "off"),
            "Whether `jwarp stat`, `link` and `resource` of the same user, or of root, may look at the device."),
    CONNECT_TIMEOUT(
            "jwarp.cm.connect-timeout",
            "15000",
            1,
            3_600_000,
            "milliseconds",
            "How long a connection may take to be set up, unless the connecting program says otherwise."),
    BACKLOG(
            "jwarp.cm.backlog",
            "128",
            1,
            65_535,
            "requests",
            "Connection requests that may wait to be taken by a program that listens with backlog 0."),
    PORT_MAPPER(
            "jwarp.cm.port-mapper",
            "off",
            List.of("off", "ask", "answer", "both"),
            "Whether the iWARP port mapper of a peer's host (iwpmd, UDP port 3935) is asked where to connect to, whether such"
                    + " questions of peers about listeners of this process are answered, or both."),
    PORT_MAPPER_WAIT(
            "jwarp.cm.port-mapper-wait",
            "3000",
            1,
            60_000,
            "milliseconds",
            "How long to wait for the answer of a peer's port mapper, which is asked each second; then the connection is made as if"
                    + " it had not been asked."),
    READ_DEPTH(
            "jwarp.device.read-depth",
            "128",
            0,
            DeviceLimits.MAX_READ_DEPTH,
            "requests",
            "The most RDMA Reads and Atomics that may be outstanding on a connection, in each direction (IRD and ORD)."),
    EXTENSIONS(
            "jwarp.rdmap.extensions",
            "on",
            List.of("on", "off"),
            "Whether peers may use Atomics and Immediate Data (RFC 7306)."),
    RESPONSES_IN_A_ROW(
            "jwarp.rdmap.responses-in-a-row",
            "4",
            1,
            1_000_000,
            "messages",
            "Read and Atomic Responses that are sent before waiting local work gets its turn."),
    DISCONNECT_TIMEOUT(
            "jwarp.rdmap.disconnect-timeout",
            "10000",
            1,
            3_600_000,
            "milliseconds",
            "How long an orderly disconnect may take to send what was posted before it is aborted."),
    NUDGE(
            "jwarp.rdmap.nudge",
            "auto",
            List.of("auto", "on", "off"),
            "Whether the connecting side sends one empty RDMA Write if the peer has sent nothing for 200 ms after start-up: auto"
                    + " only if nothing was sent and the peer's Reply asks for it, on in any case, as Linux's siw needs it, which can"
                    + " overlook the first message. Some peers end the connection when one comes."),
    PROBE(SettingKey.numberAs(
            "jwarp.rdmap.probe",
            "0",
            0,
            86_400_000,
            "milliseconds, 0 (never) to 86400000",
            "An empty RDMA Write is sent each time the peer has sent nothing for this time, so that firewalls on the way do not"
                    + " forget an idle connection; some peers end the connection when one comes. To find peers that are gone, use"
                    + " jwarp.tcp.keep-alive."));

    @SuppressWarnings("ImmutableEnumChecker") // its test of a value has no state
    private final SettingKey setting;

    RnicSetting(String key, String defaultValue, String allowed, String sentence) {
        setting = SettingKey.anyText(key, defaultValue, allowed, sentence);
    }

    RnicSetting(String key, String defaultValue, List<String> words, String sentence) {
        setting = SettingKey.oneOf(key, defaultValue, words, String.join(" | ", words), sentence);
    }

    RnicSetting(String key, String defaultValue, long least, long most, String unit, String sentence) {
        this(SettingKey.numberAs(key, defaultValue, least, most, unit + ", " + least + " to " + most, sentence));
    }

    RnicSetting(SettingKey setting) {
        this.setting = setting;
    }

    @Override
    public SettingKey setting() {
        return setting;
    }

    public static List<Setting> all() {
        return Arrays.stream(values())
                .map(RnicSetting::setting)
                .map(Configuration::shown)
                .toList();
    }
}
