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
            "The threads that send and receive. inline: the thread that polls or waits. threaded: transport threads."),
    THREADS(
            "jwarp.threads",
            "multi",
            List.of("multi", "single"),
            "The threads that may use a context. multi: any. single: only the thread that opens it, whose posts and"
                    + " polls take no locks; needs inline progress."),
    TRANSPORT(
            "jwarp.transport",
            "auto",
            "auto, or the name of a transport such as nio or netty",
            "The transport of connections and datagrams. auto: nio for inline progress, netty for threaded."),
    SEEN(
            "jwarp.datagram.seen",
            "32768",
            1_024,
            1 << 24,
            "messages",
            "Ended messages that a UDP port remembers so that copies have no effect: this many of the current 2 s, and"
                    + " as many of the 2 s before."),
    SPIN(
            "jwarp.progress.spin",
            "0",
            0,
            1_000_000,
            "microseconds",
            "Threaded progress: the time that a waiting thread polls before it sleeps."),
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
            "The time that a connection may take to be set up, unless the connecting program sets its own."),
    PORT_MAPPER(
            "jwarp.cm.port-mapper",
            "off",
            List.of("off", "ask", "answer", "both"),
            "The iWARP port mapper (iwpmd, UDP port 3935). ask: a connect asks the port mapper of the peer's host for"
                    + " the port; without an answer after a fifth of the connect timeout, the connect uses the"
                    + " program's port. answer: requests of peers about listeners of this process are answered."),
    READ_DEPTH(
            "jwarp.device.read-depth",
            "128",
            0,
            DeviceLimits.MAX_READ_DEPTH,
            "requests",
            "The RDMA Reads and Atomics that may be outstanding on a connection, in each direction (IRD and ORD)."),
    EXTENSIONS(
            "jwarp.rdmap.extensions",
            "on",
            List.of("on", "off"),
            "Whether peers may use Atomics and Immediate Data (RFC 7306)."),
    DISCONNECT_TIMEOUT(
            "jwarp.rdmap.disconnect-timeout",
            "10000",
            1,
            3_600_000,
            "milliseconds",
            "The time that an orderly disconnect has to send what was posted. Then the connection is aborted."),
    NUDGE(
            "jwarp.rdmap.nudge",
            "auto",
            List.of("auto", "on", "off"),
            "Whether the connecting side sends one empty RDMA Write if the peer has sent nothing for 200 ms after start-up. auto:"
                    + " only if nothing was sent and the peer's Reply asks for it. on: always, for Linux's siw, which can overlook the"
                    + " first message. Some peers end the connection when one comes."),
    PROBE(
            "jwarp.rdmap.probe",
            "0",
            0,
            86_400_000,
            "milliseconds",
            "The silence of the peer after which an empty RDMA Write is sent, so that firewalls on the way do not forget an idle"
                    + " connection. Some peers end the connection when one comes. 0: never. jwarp.tcp.keep-alive finds peers that are"
                    + " gone.");

    @SuppressWarnings("ImmutableEnumChecker") // the check in SettingKey has no state
    private final SettingKey setting;

    RnicSetting(String key, String defaultValue, String allowed, String sentence) {
        setting = SettingKey.anyText(key, defaultValue, allowed, sentence);
    }

    RnicSetting(String key, String defaultValue, List<String> words, String sentence) {
        setting = SettingKey.oneOf(key, defaultValue, words, sentence);
    }

    RnicSetting(String key, String defaultValue, long least, long most, String unit, String sentence) {
        setting = SettingKey.number(key, defaultValue, least, most, unit, sentence);
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
