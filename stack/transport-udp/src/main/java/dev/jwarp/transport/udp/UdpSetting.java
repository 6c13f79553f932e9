package dev.jwarp.transport.udp;

import dev.jwarp.base.Networks;
import dev.jwarp.base.SettingKey;
import dev.jwarp.base.Settings;
import dev.jwarp.ddp.llp.SettingText;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Every setting of the UDP transports: key, default, what is allowed, and a sentence. */
public enum UdpSetting implements Settings.HasKey {
    /** SO_RCVBUF; datagram-iWARP §6 (DG-6-3) says how much. */
    RECEIVE_BUFFER(
            "jwarp.udp.receive-buffer",
            "4194304",
            0,
            1 << 30,
            "bytes",
            "size of each socket's receive buffer to ask for; 0 leaves it to the system, which may also grant less"),
    /** SO_SNDBUF; datagram-iWARP §6 (DG-6-3) says how much. */
    SEND_BUFFER(
            "jwarp.udp.send-buffer",
            "4194304",
            0,
            1 << 30,
            "bytes",
            "size of each socket's send buffer to ask for; 0 leaves it to the system, which may also grant less"),
    /** SO_REUSEPORT of ports, not of groups. */
    SHARED_PORT(
            "jwarp.udp.shared-port",
            "off",
            "whether several contexts, such as one for each thread, may have one port: the system divides the sources among them;"
                    + " the kernel's segmentation is then left to threaded contexts"),
    /** Sources that need no proof. */
    TRUST(
            "jwarp.udp.trust",
            "127.0.0.0/8,::1",
            value -> Networks.parse(value) != null,
            "addresses and networks such as 192.0.2.0/24, with commas, or nothing",
            "sources that cannot be forged: they need not prove their address before they get Read data, answers at full rate"
                    + " or a reliable channel"),
    /** Whether handlers of services are asked for validated sources only. */
    RESOLVE_CHALLENGE(
            "jwarp.udp.resolve-challenge",
            "on",
            "whether a source has to prove its address before the handler of a service is asked; fixed services always"
                    + " answer at once"),
    /** Bound of the tables of sources. */
    SOURCES(
            "jwarp.udp.sources",
            "4096",
            64,
            65_536,
            "sources",
            "sources that each table of an event loop remembers: which have proved their address, which sent datagrams that"
                    + " were dropped; the one that was silent longest is forgotten"),
    /** NOTIFYs to one known source. */
    NOTIFY_PER_SOURCE(
            "jwarp.udp.notify-per-source",
            "10",
            0,
            1_000_000,
            "a second",
            "answers to violations for one source that has proved its address"),
    /** NOTIFYs of a queue pair to all known sources. */
    NOTIFY_PER_QUEUE_PAIR(
            "jwarp.udp.notify-per-queue-pair",
            "100",
            0,
            1_000_000,
            "a second",
            "answers to violations of a queue pair for all sources together that have proved their address"),
    /** NOTIFYs to one stranger. */
    NOTIFY_PER_STRANGER(
            "jwarp.udp.notify-per-stranger",
            "1",
            0,
            1_000_000,
            "a second",
            "answers to violations for one source that has not proved its address"),
    /** NOTIFYs of a queue pair to all strangers. */
    NOTIFY_TO_STRANGERS(
            "jwarp.udp.notify-to-strangers",
            "10",
            0,
            1_000_000,
            "a second",
            "answers to violations of a queue pair for all sources together that have not proved their address"),
    /** Single datagrams that wait to be sent. */
    ANSWERS(
            "jwarp.udp.answers",
            "64",
            16,
            4_096,
            "datagrams",
            "answers of a port that may wait to be sent; further ones are dropped"),
    /** CHALLENGEs of an event loop. */
    CHALLENGES(
            "jwarp.udp.challenges",
            "50000",
            1,
            10_000_000,
            "a second",
            "CHALLENGEs that the ports of an event loop give to all sources together"),
    /** CHALLENGEs to one address. */
    CHALLENGES_PER_ADDRESS(
            "jwarp.udp.challenges-per-address",
            "10000",
            1,
            10_000_000,
            "a second",
            "CHALLENGEs that one address gets; beyond that, each of its ports still gets 10"),
    /** RESOLVEs of one source. */
    RESOLVE_PER_SOURCE(
            "jwarp.udp.resolve-per-source",
            "10",
            1,
            1_000_000,
            "a second",
            "questions for services that are answered for one source, and for each address also while others ask more"),
    /** RESOLVEs at one port. */
    RESOLVE_PER_PORT(
            "jwarp.udp.resolve-per-port",
            "1000",
            1,
            1_000_000,
            "a second",
            "questions for services that a port answers for all sources together; at most half of them for sources without a"
                    + " proved address, which get a CHALLENGE beyond that"),
    /** Answers of a resolver that are kept. */
    RESOLVE_KEPT(
            "jwarp.udp.resolve-kept",
            "256",
            1,
            65_536,
            "answers",
            "answers of a port's resolver that are kept for 5 seconds, so that a handler is asked once"),
    /** IP_MULTICAST_TTL. */
    MULTICAST_TTL(
            "jwarp.udp.multicast-ttl",
            "1",
            0,
            255,
            "hops",
            "how far datagrams to a multicast group go: 1 is the local network"),
    /** IP_MULTICAST_LOOP. */
    MULTICAST_LOOP(
            "jwarp.udp.multicast-loop",
            "off",
            "whether datagrams to a multicast group also reach members on this host"),
    /** SO_BROADCAST. */
    BROADCAST(
            "jwarp.udp.broadcast",
            "off",
            "whether datagrams may be sent to broadcast addresses, and those of this host's networks are groups"),
    /** Pace of peers that have none of their own. */
    PACE(
            "jwarp.udp.pace",
            "0",
            0,
            1_000_000_000_000L,
            "bytes a second",
            "highest rate of UD to each peer for which the program sets none, in bytes of UDP payload; 0: as the next three"
                    + " settings say"),
    /** Networks without a default pace. */
    CONTROLLED(
            "jwarp.udp.controlled",
            "127.0.0.0/8,::1",
            value -> Networks.parse(value) != null,
            "addresses and networks such as 192.0.2.0/24, with commas, or nothing",
            "where UD may send as fast as the system takes it, as something else controls the load of that network"),
    /** Pace of peers from which nothing is heard. */
    UNHEARD_PACE(
            "jwarp.udp.unheard-pace",
            "125000",
            0,
            1_000_000_000_000L,
            "bytes a second",
            "highest rate of UD to each peer outside of jwarp.udp.controlled that does not tell what comes, or from which"
                    + " nothing has come for 10 s, after the first 10 datagrams; if nothing comes for 10 s and 100 datagrams,"
                    + " one datagram in 3 s until something does. 0 is no limit"),
    /** Pace of groups. */
    GROUP_PACE(
            "jwarp.udp.group-pace",
            "125000",
            0,
            1_000_000_000_000L,
            "bytes a second",
            "highest rate to each group, from which nothing can be heard, after the first 10 datagrams; 0 is no limit"),
    /** Faults of our own making. */
    INJECT(
            "jwarp.udp.inject",
            "",
            value -> InjectedFaults.parse(value) != null,
            "loss=1%,duplicate=0.5%,reorder=2%,delay=3ms,seed=7, any of them, or nothing",
            "drops, doubles and delays what is sent, for experiments; the seed, the number of the message and of the"
                    + " segment decide, so the same run has the same faults"),

    /** RD: window. */
    RD_WINDOW(
            "jwarp.rd.window",
            "16384",
            16,
            32_768,
            "datagrams",
            "most datagrams of a reliable channel that may be under way in each direction; a channel begins with 256, and"
                    + " more are allowed as it makes use of them"),
    /** RD: memory for what comes out of order. */
    RD_STASH(
            "jwarp.rd.stash",
            "16384",
            1,
            65_536,
            "datagrams",
            "most datagrams that a reliable queue pair keeps because they came ahead of others, for all peers together; then"
                    + " the peer that has most of them loses some"),
    /** RD: bytes of it. */
    RD_STASH_MEMORY(
            "jwarp.rd.stash-memory",
            "67108864",
            1 << 20,
            16L << 30,
            "bytes",
            "most bytes of the datagrams that jwarp.rd.stash counts; one longer than this divided by jwarp.rd.stash counts"
                    + " as several"),
    /** RD: channels. */
    RD_CHANNELS(
            "jwarp.rd.channels",
            "16384",
            1,
            16_384,
            "channels",
            "most reliable channels of a queue pair; one more replaces an idle one, or one of the address that has most"),
    /** RD: channels that have not been used yet. */
    RD_HALF_OPEN(
            "jwarp.rd.half-open",
            "64",
            0,
            16_384,
            "channels",
            "reliable channels of a queue pair that peers have opened but not yet used; beyond it a peer has to show a cookie"),
    /** RD: congestion control. */
    RD_CONGESTION(
            "jwarp.rd.congestion",
            "cubic",
            List.of("cubic", "newreno")::contains,
            "cubic or newreno",
            "how a reliable channel finds out how much its path takes: CUBIC (RFC 9438) or NewReno (RFC 9002)"),
    /** RD: loss that is not taken for congestion. Off unless a program says so (DG-11.4-8). */
    RD_LOSS_TOLERANCE(
            "jwarp.rd.loss-tolerance",
            "0",
            0,
            20,
            "percent",
            "for paths that lose at random and are not shared with others: how much of that loss, which a reliable channel"
                    + " measures, it does not treat as congestion; others who lose as much reduce. 0 is off"),
    /** RD: when a peer is given up. */
    RD_GIVE_UP(
            "jwarp.rd.give-up",
            "30000",
            1000,
            300_000,
            "milliseconds",
            "how long the oldest datagram of a reliable channel may stay unacknowledged before the channel fails"),
    /** RD: what an error stops. */
    RD_ERROR_SCOPE(
            "jwarp.rd.error-scope",
            "peer",
            List.of("peer", "queue-pair")::contains,
            "peer or queue-pair",
            "whether the failure of a reliable channel stops work for that peer, or the whole queue pair"),

    /** java.nio: how to wait. */
    WAIT(
            "jwarp.udp.wait",
            "select",
            List.of("select", "spin")::contains,
            "select or spin",
            "java.nio: how to wait. select sleeps until something comes; spin reads in a loop, for the shortest latency"),
    /** Netty: epoll. */
    EPOLL(
            "jwarp.udp.epoll",
            "on",
            "whether to use the native parts of Netty where the system has them: epoll for threaded progress (otherwise a"
                    + " thread uses java.nio), and UDP_SEGMENT and UDP_GRO"),
    /** IP fragments. */
    FRAGMENTS(
            "jwarp.udp.fragments",
            "off",
            "whether IP may cut datagrams into fragments; if off and the native parts of Netty are there, it may not, and what a"
                    + " path takes is found out by probes. Without them fragments cannot be forbidden"),
    /** PMTU_RAISE_TIMER. */
    PATH_RAISE(
            "jwarp.udp.path-raise",
            "600",
            1,
            86_400,
            "seconds",
            "after how long a path is tried for larger datagrams again (RFC 8899)"),
    /** UDP_SEGMENT. */
    GSO(
            "jwarp.udp.gso",
            "on",
            "Linux: whether equal datagrams to one peer are given to the kernel as one piece (UDP_SEGMENT)"),
    /** UDP_GRO. */
    GRO(
            "jwarp.udp.gro",
            "on",
            "Linux: whether the kernel may deliver equal datagrams of one peer as one piece (UDP_GRO)"),
    /** Keys of envelopes. */
    KEYS(SettingKey.anyText(
            "jwarp.udp.keys",
            "",
            "a file name, or nothing",
            "keys with which every datagram is authenticated (HMAC-SHA-256), and without which none is taken; only its owner may"
                    + " read the file. Each line: number, send or receive, hex:SECRET or base64:SECRET, peers or any")),
    /** Capture file. */
    PCAP(SettingKey.anyText(
            "jwarp.udp.pcap",
            "",
            "a file name, or nothing",
            "writes what is sent and received to this file, for Wireshark; slow"));

    @SuppressWarnings("ImmutableEnumChecker") // its test of a value has no state
    private final SettingKey setting;

    UdpSetting(String key, String defaultValue, String sentence) {
        setting = SettingKey.onOff(key, defaultValue, sentence);
    }

    UdpSetting(String key, String defaultValue, long least, long most, String unit, String sentence) {
        setting = SettingKey.number(key, defaultValue, least, most, unit, sentence);
    }

    UdpSetting(String key, String defaultValue, Predicate<String> fits, String allowed, String sentence) {
        setting = SettingKey.text(key, defaultValue, allowed, fits, sentence);
    }

    UdpSetting(SettingKey setting) {
        this.setting = setting;
    }

    @Override
    public SettingKey setting() {
        return setting;
    }

    /** {@return all of them, for {@code DatagramTransportProvider.settings()}} */
    public static List<SettingText> all() {
        return Arrays.stream(values())
                .map(UdpSetting::setting)
                .map(s -> new SettingText(s.key(), s.defaultValue(), s.allowed(), s.sentence()))
                .toList();
    }
}
