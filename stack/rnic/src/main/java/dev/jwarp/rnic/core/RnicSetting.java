package dev.jwarp.rnic.core;

import dev.jwarp.verbs.Setting;
import java.util.Arrays;
import java.util.List;

/** The settings of the RNIC itself; its transports have more. */
public enum RnicSetting {
    PROGRESS(
            "jwarp.progress",
            "inline",
            "inline | threaded",
            "Who moves the octets: the thread that polls or waits, or threads of the transport."),
    TRANSPORT(
            "jwarp.transport",
            "auto",
            "auto | the name of a transport, such as tcp-nio or tcp-netty",
            "What carries connections; auto takes tcp-nio for inline and tcp-netty for threaded progress."),
    DATAGRAM_TRANSPORT(
            "jwarp.datagram.transport",
            "auto",
            "auto | the name of a transport, such as udp-nio or udp-netty",
            "What carries datagrams; auto takes udp-nio for inline and udp-netty for threaded progress."),
    SEEN(
            "jwarp.datagram.seen",
            "32768",
            "messages, 1024 to 16777216",
            "Each UDP port: messages that have ended and are remembered as such for 2 s, so that copies do nothing; as many"
                    + " again of the time before."),
    ASYNC_EVENTS(
            "jwarp.device.async-events",
            "1024",
            "events, 16 to 65536",
            "Async events that may wait to be taken; equal ones are one, and the oldest gives way."),
    SPIN(
            "jwarp.progress.spin",
            "0",
            "microseconds, 0 to 1000000",
            "Threaded progress: how long a waiting thread looks again and again before it sleeps."),
    STAT(
            "jwarp.stat",
            "on",
            "on | off",
            "Whether `jwarp stat`, `link` and `resource` of the same user, or of root, may look at the device."),
    CONNECT_TIMEOUT(
            "jwarp.cm.connect-timeout",
            "15000",
            "milliseconds, 1 to 3600000",
            "How long a connection may take to be set up, unless the connecting program says otherwise."),
    BACKLOG(
            "jwarp.cm.backlog",
            "128",
            "requests, 1 to 65535",
            "Connection requests that may wait to be taken by a program that listens with backlog 0."),
    READ_DEPTH(
            "jwarp.device.read-depth",
            "128",
            "requests, 0 to 16382",
            "The most RDMA Reads and Atomics that may be outstanding on a connection, in each direction (IRD and ORD)."),
    EXTENSIONS(
            "jwarp.rdmap.extensions", "on", "on | off", "Whether peers may use Atomics and Immediate Data (RFC 7306)."),
    RESPONSES_IN_A_ROW(
            "jwarp.rdmap.responses-in-a-row",
            "4",
            "messages, 1 to 1000000",
            "Read and Atomic Responses that are sent before waiting local work gets its turn."),
    DISCONNECT_TIMEOUT(
            "jwarp.rdmap.disconnect-timeout",
            "10000",
            "milliseconds, 1 to 3600000",
            "How long an orderly disconnect may take to send what was posted before it is aborted."),
    NUDGE(
            "jwarp.rdmap.nudge",
            "200",
            "milliseconds, 0 (never) to 60000",
            "The connecting side sends one empty RDMA Write if the peer has said nothing for so long after start-up."),
    PROBE(
            "jwarp.rdmap.probe",
            "0",
            "milliseconds, 0 (never) to 86400000",
            "An empty RDMA Write is sent each time the peer has said nothing for so long, so that firewalls on the way do not"
                    + " forget an idle connection; some peers end the connection when one comes. Peers that are gone are found by"
                    + " jwarp.tcp.keep-alive.");

    private final String key;
    private final String defaultValue;
    private final String allowed;
    private final String sentence;

    RnicSetting(String key, String defaultValue, String allowed, String sentence) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.allowed = allowed;
        this.sentence = sentence;
    }

    Setting setting() {
        return new Setting(key, defaultValue, allowed, sentence);
    }

    public String key() {
        return key;
    }

    public static List<Setting> all() {
        return Arrays.stream(values()).map(RnicSetting::setting).toList();
    }
}
