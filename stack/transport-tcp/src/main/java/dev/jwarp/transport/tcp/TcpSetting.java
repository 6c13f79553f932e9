package dev.jwarp.transport.tcp;

import dev.jwarp.base.SettingKey;
import dev.jwarp.base.Settings;
import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.SettingText;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.mpa.RtrType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** Every setting of the TCP transports: key, default, what is allowed, and a sentence. */
public enum TcpSetting implements Settings.HasKey {
    /** Highest MPA revision. */
    REVISION("jwarp.mpa.revision", "2", 1, 2, "", "MPA revision to ask for, and the highest to accept"),
    /** Whether CRCs are wanted. */
    // MPA-4.4-1
    CRC("jwarp.mpa.crc", "on", "whether to ask for CRC32C in every FPDU; it is in use as soon as one side asks"),
    /** Whether Markers are wanted. */
    MARKERS("jwarp.mpa.markers", "off", "whether to ask the peer for Markers in what it sends"),
    /** Whether an initiator asks for the peer-to-peer set-up. */
    PEER_TO_PEER(
            "jwarp.mpa.peer-to-peer",
            "off",
            "whether a connecting side asks for the peer-to-peer set-up, so that the listening side may send first"),
    /** Ready-to-receive messages. */
    RTR(
            "jwarp.mpa.rtr",
            "write,read",
            TcpSetting::areRtrTypes,
            "one or more of write, read, send, with commas",
            "ready-to-receive messages that the peer-to-peer set-up may use; send takes a receive buffer of the peer"),
    /** EMSS instead of the one derived from the interface. */
    EMSS(
            "jwarp.mpa.emss",
            "0",
            0,
            65_535,
            "bytes",
            "largest TCP segment to make FPDUs for; 0 derives it from the interface's MTU"),
    /** Whether to try revision 1 after revision 2 failed. */
    FALLBACK(
            "jwarp.mpa.fallback",
            "off",
            "whether to connect again with revision 1, once, when the peer shows that it knows no other; this is logged"),

    /** Revision 0 of a peer. */
    REVISION_ZERO(
            "jwarp.mpa.accept-revision-zero",
            "off",
            "for peers that say MPA revision 0 and mean 1: whether to take it for 1; peers of the RDMA Consortium connect then, but"
                    + " fail at their first message"),
    /** Whose FPDUs have a CRC field that is not in use. */
    CRC_FIELD(
            "jwarp.mpa.crc-field",
            "both",
            List.of("both", "ours", "none")::contains,
            "both, ours or none",
            "for peers that leave the CRC field out where CRCs are not in use: whose messages have it then; a peer that does"
                    + " otherwise cannot be understood, and no check finds that out"),

    /** TCP_NODELAY. */
    NODELAY("jwarp.tcp.nodelay", "on", "whether TCP sends small segments at once"),
    /** SO_REUSEPORT of listeners. */
    SHARED_PORT(
            "jwarp.tcp.shared-port",
            "off",
            "whether several listeners, such as those of a context for each thread, may have one port: the system divides the"
                    + " connections among them"),
    /** SO_SNDBUF. */
    SEND_BUFFER(
            "jwarp.tcp.send-buffer",
            "0",
            0,
            64 << 20,
            "bytes",
            "size of the socket's send buffer; 0 leaves it to the system"),
    /** SO_RCVBUF. */
    RECEIVE_BUFFER(
            "jwarp.tcp.receive-buffer",
            "0",
            0,
            64 << 20,
            "bytes",
            "size of the socket's receive buffer; 0 leaves it to the system"),
    /** The buffer that a thread reads into. */
    RING(
            "jwarp.tcp.ring",
            "262144",
            4096,
            1 << 20,
            "bytes",
            "most bytes to read at a time; one buffer for each thread"),
    /** Capacity of a batch. */
    BATCH(
            "jwarp.tcp.batch",
            String.valueOf(FpduBatch.DEFAULT_CAPACITY),
            FpduBatch.MIN_CAPACITY,
            1 << 20,
            "bytes",
            "most bytes to write at a time, of which at most 278528 are copied into a send buffer (with Markers, all are);"
                    + " a connection holds such a buffer only while it has unsent bytes"),
    /** How many batches a thread may hand out. */
    BATCHES(
            "jwarp.tcp.batches",
            "0",
            0,
            1 << 20,
            "buffers",
            "most send buffers in use at a time in each thread, three quarters of them for one source address; if a further"
                    + " connection needs one, the slowest gives its own back; 0 is 1024, or fewer if those of all threads would"
                    + " take more than a quarter of the largest heap"),
    /** Memory for what peers do not read. */
    STALLED(
            "jwarp.tcp.stalled",
            "0",
            0,
            Integer.MAX_VALUE,
            "bytes",
            "most memory of each thread for unsent bytes of send buffers that were given back, at least 1048576; three"
                    + " quarters of it for one source address; if it is used up, the connection that holds most and does not"
                    + " move is ended; 0 is 268435456, or this thread's part of an eighth of the largest heap if that is less"),
    /** Up to where payload is copied instead of gathered. */
    COPY_LIMIT(
            "jwarp.tcp.copy-limit",
            String.valueOf(FpduBatch.DEFAULT_COPY_LIMIT),
            512,
            1 << 20,
            "bytes",
            "payload up to this size is copied into the send buffer, longer payload is gathered; gathering smaller pieces"
                    + " makes more of them than one system call takes"),
    /** Memory for FPDUs that have come in part. */
    REASSEMBLY(
            "jwarp.tcp.reassembly",
            "0",
            0,
            Integer.MAX_VALUE,
            "bytes",
            "most memory of each thread for FPDUs that have come in part, at least 131072; three quarters of it for one source"
                    + " address; if a connection needs more, the one that holds most and does not move is ended; 0 is"
                    + " 268435456, or this thread's part of a quarter of the largest heap if that is less"),
    /** Limit of connections. */
    MAX_CONNECTIONS(
            "jwarp.tcp.max-connections",
            "16384",
            1,
            1 << 20,
            "connections",
            "most connections at a time; further ones are refused and counted"),
    /** Limit of connections from one source. */
    MAX_CONNECTIONS_PER_SOURCE(
            "jwarp.tcp.max-connections-per-source",
            "0",
            0,
            1 << 20,
            "connections",
            "most connections at a time that listeners take from one source, an IPv4 address or 64 bits of an IPv6 address;"
                    + " further ones are refused and counted; 0 is three quarters of jwarp.tcp.max-connections"),
    /** Responder: time for the Request. */
    REQUEST_TIMEOUT(
            "jwarp.tcp.request-timeout",
            "5000",
            1,
            3_600_000,
            "milliseconds",
            "how long a peer may take from its TCP connection to its whole Request"),
    /** Responder: time for the layer above, then for the ready-to-receive message. */
    ACCEPT_TIMEOUT(
            "jwarp.tcp.accept-timeout",
            "10000",
            1,
            3_600_000,
            "milliseconds",
            "how long the application may take to accept or reject, and the peer to send its ready-to-receive message"),
    /** Time for the peer to follow our close. */
    LINGER(
            "jwarp.tcp.linger",
            "5000",
            0,
            3_600_000,
            "milliseconds",
            "how long to wait for the peer to take the last bytes and to close too, after this side closed"),
    /** SO_KEEPALIVE. */
    KEEP_ALIVE(
            "jwarp.tcp.keep-alive",
            "on",
            "whether the operating system sends keep-alive probes on an idle connection, and ends it if no answer comes; a"
                    + " program can say otherwise for one connection"),
    /** TCP_KEEPIDLE. */
    KEEP_ALIVE_IDLE(
            "jwarp.tcp.keep-alive-idle",
            "60",
            1,
            KeepAliveTimes.MOST_SECONDS,
            "seconds",
            "how long a connection is idle before the first keep-alive probe; where the operating system has no such time"
                    + " for one connection, its own time holds"),
    /** TCP_KEEPINTVL. */
    KEEP_ALIVE_INTERVAL(
            "jwarp.tcp.keep-alive-interval",
            "10",
            1,
            KeepAliveTimes.MOST_SECONDS,
            "seconds",
            "how long to wait for the answer to a keep-alive probe before the next one"),
    /** TCP_KEEPCNT. */
    KEEP_ALIVE_PROBES(
            "jwarp.tcp.keep-alive-probes",
            "6",
            1,
            KeepAliveTimes.MOST_PROBES,
            "probes",
            "how many keep-alive probes may stay without an answer before the connection ends"),
    /** How long an FPDU may stay half. */
    FPDU_TIMEOUT(
            "jwarp.tcp.fpdu-timeout",
            "30000",
            2,
            86_400_000,
            "milliseconds",
            "how long a peer may send no byte in the middle of an FPDU; then the connection is aborted"),
    /** How long output may stall. */
    SEND_TIMEOUT(
            "jwarp.tcp.send-timeout",
            "60000",
            1,
            86_400_000,
            "milliseconds",
            "how long a peer may take no byte while there are some to send; then the connection is aborted"),

    /**
     * java.nio: how to wait. {@code block} waits in a blocking read of the only connection, if nothing is unsent, no timer
     * runs, there is no listener and the wait has no time limit: a wait with one uses the selector, because a blocking read
     * has none. Only one thread may use the context then, to post as well as to poll: a post or a close by another thread
     * does not end the read, and an interrupt closes the connection.
     */
    WAIT(
            "jwarp.tcp.wait",
            "select",
            List.of("select", "spin", "block")::contains,
            "select, spin or block",
            "java.nio: how to wait. select serves many connections; spin reads in a loop, for the shortest"
                    + " latency; block reads the only connection with a blocking call while a program waits without a time"
                    + " limit: only one thread may post and poll then, and an interrupt ends the connection"),
    /** Threaded progress: number of threads. */
    EVENT_LOOPS(
            "jwarp.tcp.event-loops",
            "0",
            0,
            1024,
            "threads",
            "threaded progress: how many loops, each with a thread; 0 is one for each processor"),
    /** The native parts of Netty. */
    EPOLL(
            "jwarp.tcp.epoll",
            "on",
            "whether to use the native parts of Netty where the system has them: epoll with threaded progress, and what TCP holds unsent"),
    /** Capture file. */
    PCAP(SettingKey.anyText(
            "jwarp.tcp.pcap",
            "",
            "a file name, or nothing",
            "writes what goes over the wire to this file, for Wireshark; slow"));

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

    /** {@return all of them, for {@code TransportProvider.settings()}} */
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
