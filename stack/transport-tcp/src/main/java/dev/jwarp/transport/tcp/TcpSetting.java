package dev.jwarp.transport.tcp;

import dev.jwarp.base.SettingKey;
import dev.jwarp.base.Settings;
import dev.jwarp.io.LoopTransport;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.SettingText;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.mpa.RtrType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** The settings of the TCP transports: key, default, permitted values, and a description. */
public enum TcpSetting implements Settings.HasKey {
    /** Highest MPA revision. */
    REVISION("jwarp.mpa.revision", "2", 1, 2, "", "The MPA revision to ask for, and the highest to accept."),
    /** Whether CRCs are wanted. */
    // MPA-4.4-1
    CRC("jwarp.mpa.crc", "on", "Whether to ask for a CRC32C in every FPDU. It is in use as soon as one side asks."),
    /** Whether Markers are wanted. */
    MARKERS("jwarp.mpa.markers", "off", "Whether to ask the peer for Markers in what it sends."),
    /** Whether an initiator asks for the peer-to-peer set-up. */
    PEER_TO_PEER(
            "jwarp.mpa.peer-to-peer",
            "off",
            "Whether a connecting side asks for the peer-to-peer set-up, after which the listening side may send first."),
    /** Ready-to-receive messages. */
    RTR(
            "jwarp.mpa.rtr",
            "write,read",
            TcpSetting::areRtrTypes,
            "one or more of write, read, send, with commas",
            "The ready-to-receive messages that the peer-to-peer set-up may use. A send takes a receive buffer of the peer."),
    /** EMSS instead of the one derived from the interface. */
    EMSS(
            "jwarp.mpa.emss",
            "0",
            0,
            65_535,
            "bytes",
            "The largest TCP segment that an FPDU is made for. 0: derived from the interface's MTU."),
    /** Whether to try revision 1 after revision 2 failed. */
    FALLBACK(
            "jwarp.mpa.fallback",
            "off",
            "Whether to connect again with revision 1, once, if the peer shows that it supports no other. The"
                    + " fallback is logged."),

    /** Revision 0 of a peer. */
    REVISION_ZERO(
            "jwarp.mpa.accept-revision-zero",
            "off",
            "Whether to accept revision 0 as 1, for peers that send 0 and mean 1. Peers of the RDMA Consortium then"
                    + " connect, but fail at their first message."),
    /** Which side's FPDUs have the CRC field if CRCs are not in use. */
    CRC_FIELD(SettingKey.oneOf(
            "jwarp.mpa.crc-field",
            "both",
            List.of("both", "ours", "none"),
            "Which side's FPDUs have the CRC field if CRCs are not in use, for peers that omit it. A wrong value is"
                    + " not detected, but makes the peer's messages unintelligible.")),

    /** SO_SNDBUF. */
    SEND_BUFFER(
            "jwarp.tcp.send-buffer",
            "0",
            0,
            64 << 20,
            "bytes",
            "The size of a socket's send buffer. 0: the system's choice."),
    /** SO_RCVBUF. */
    RECEIVE_BUFFER(
            "jwarp.tcp.receive-buffer",
            "0",
            0,
            64 << 20,
            "bytes",
            "The size of a socket's receive buffer. 0: the system's choice."),
    /** The longest payload that is copied instead of gathered. */
    COPY_LIMIT(
            "jwarp.tcp.copy-limit",
            String.valueOf(FpduBatch.DEFAULT_COPY_LIMIT),
            512,
            1 << 20,
            "bytes",
            "The longest payload that is copied into a send buffer. Longer payload is written directly from its"
                    + " memory."),
    /** Memory of a thread. */
    MEMORY(
            "jwarp.tcp.memory",
            "0",
            0,
            1L << 40,
            "bytes",
            "The most memory of each thread: two fifths for send buffers, two for half received FPDUs, one for"
                    + " bytes that peers have not read; one source address has at most three quarters of each. Each"
                    + " has a least size: 1 send buffer, 128 KiB, 1 MiB. 0: two, two and one eighths of the thread's"
                    + " part of the largest heap, but at most 1,024 send buffers, 256 MiB and 256 MiB."),
    /** Limit of connections. */
    MAX_CONNECTIONS(
            "jwarp.tcp.max-connections",
            "16384",
            1,
            1 << 20,
            "connections",
            "The most connections at a time. Further ones are refused and counted."),
    /** Limit of connections from one source. */
    MAX_CONNECTIONS_PER_SOURCE(
            "jwarp.tcp.max-connections-per-source",
            "0",
            0,
            1 << 20,
            "connections",
            "The most connections at a time that listeners take from one source: an IPv4 address, or 64 bits of an IPv6"
                    + " address. 0: three quarters of jwarp.tcp.max-connections."),
    /** Responder: time for the Request. */
    REQUEST_TIMEOUT(
            "jwarp.tcp.request-timeout",
            "5000",
            1,
            3_600_000,
            "milliseconds",
            "The time that a peer has from its TCP connection to its whole Request."),
    /** Responder: time for the layer above, then for the ready-to-receive message. */
    ACCEPT_TIMEOUT(
            "jwarp.tcp.accept-timeout",
            "10000",
            1,
            3_600_000,
            "milliseconds",
            "The time that the program has to accept or reject, and then the peer to send its ready-to-receive message."),
    /** Time for the peer to follow our close. */
    LINGER(
            "jwarp.tcp.linger",
            "5000",
            0,
            3_600_000,
            "milliseconds",
            "The time that the peer has to take the last bytes and to close too, after this side closed."),
    /** SO_KEEPALIVE and its times. */
    KEEP_ALIVE(
            "jwarp.tcp.keep-alive",
            "on",
            value -> KeepAliveTimes.parse(value) != null,
            "off, on, or IDLE,INTERVAL,PROBES: 1 to 32767 seconds, 1 to 32767 seconds, 1 to 127",
            "The system's probes on an idle connection: the first after IDLE seconds, another each INTERVAL; after"
                    + " PROBES without an answer the connection ends. on is 60,10,6. A program can set other values"
                    + " for one connection."),
    /** How long a peer may make no progress. */
    STALL_TIMEOUT(
            "jwarp.tcp.stall-timeout",
            "60000",
            2,
            86_400_000,
            "milliseconds",
            "The time for which a peer may accept no byte while this side has output. In the middle of an FPDU, the"
                    + " peer may send none for half of that time. Then the connection is aborted."),

    /**
     * java.nio: how to wait. {@code block} waits in a blocking read of the only connection, if nothing is unsent, no
     * timer runs, there is no listener, and the wait has no time limit. A wait with a time limit uses the selector,
     * because a blocking read has no timeout. Only one thread may use the context then, to post as well as to poll: a
     * post or a close by another thread does not end the read, and an interrupt closes the connection.
     */
    WAIT(LoopTransport.WAIT),
    /** The native parts of Netty. */
    NATIVE(LoopTransport.NATIVE),
    /** SO_REUSEPORT of listeners. */
    SHARED_PORT(LoopTransport.SHARED_PORT),
    /** Threaded progress: number of threads. */
    EVENT_LOOPS(
            "jwarp.tcp.event-loops",
            "0",
            0,
            1024,
            "threads",
            "Threaded progress: the number of loops, each with a thread. 0: one for each processor."),
    /** Capture file. */
    PCAP(SettingKey.anyText(
            "jwarp.tcp.pcap",
            "",
            "a file name, or nothing",
            "The file to which all bytes of all connections are written, for Wireshark. That is slow."));

    @SuppressWarnings("ImmutableEnumChecker") // its test of a value has no state
    private final SettingKey setting;

    TcpSetting(String key, String defaultValue, String sentence) {
        setting = SettingKey.onOff(key, defaultValue, sentence);
    }

    TcpSetting(String key, String defaultValue, long least, long most, String unit, String sentence) {
        setting = SettingKey.number(key, defaultValue, least, most, unit, sentence);
    }

    TcpSetting(String key, String defaultValue, Predicate<String> fits, String allowed, String sentence) {
        setting = SettingKey.text(key, defaultValue, allowed, fits, sentence);
    }

    TcpSetting(SettingKey setting) {
        this.setting = setting;
    }

    @Override
    public SettingKey setting() {
        return setting;
    }

    /** {@return all settings, for {@code TransportProvider.settings()}} */
    public static List<SettingText> all() {
        return Arrays.stream(values())
                .map(TcpSetting::setting)
                .map(s -> new SettingText(s.key(), s.defaultValue(), s.allowed(), s.sentence()))
                .toList();
    }

    private static boolean areRtrTypes(String names) {
        return Arrays.stream(names.split(",", -1)).allMatch(TcpSetting::isRtrType);
    }

    private static boolean isRtrType(String name) {
        return Arrays.stream(RtrType.values())
                .anyMatch(type -> type.name().toLowerCase(Locale.ROOT).equals(name.strip()));
    }
}
