package dev.jwarp.transport.udp;

import dev.jwarp.base.Networks;
import dev.jwarp.base.SettingKey;
import dev.jwarp.base.Settings;
import dev.jwarp.io.LoopTransport;
import dev.jwarp.llp.SettingText;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** The settings of the UDP transports: key, default, allowed values, and a description. */
public enum UdpSetting implements Settings.HasKey {
    /** SO_RCVBUF; datagram-iWARP §6 says how much. */
    RECEIVE_BUFFER(
            "jwarp.udp.receive-buffer",
            "4194304",
            0,
            1 << 30,
            "bytes",
            "The size of each socket's receive buffer to ask for; the system may grant less. 0: the system's choice."),
    /** SO_SNDBUF; datagram-iWARP §6 says how much. */
    SEND_BUFFER(
            "jwarp.udp.send-buffer",
            "4194304",
            0,
            1 << 30,
            "bytes",
            "The size of each socket's send buffer to ask for; the system may grant less. 0: the system's choice."),
    /** SO_REUSEPORT of ports, not of groups. */
    SHARED_PORT(LoopTransport.SHARED_PORT),
    /** Sources that need no proof. */
    TRUST(
            "jwarp.udp.trust",
            "127.0.0.0/8,::1",
            value -> Networks.parse(value) != null,
            "addresses and networks such as 192.0.2.0/24, with commas, or nothing",
            "The sources that cannot be forged: they get Read data, answers at full rate and reliable channels without a proof"
                    + " of their address."),
    /** Whether only validated sources reach the handlers of services. */
    RESOLVE_CHALLENGE(
            "jwarp.udp.resolve-challenge",
            "on",
            "Whether a source has to prove its address before the handler of a service is asked. Fixed services always answer"
                    + " at once."),
    /** Bound of the tables of sources. */
    SOURCES(
            "jwarp.udp.sources",
            "4096",
            64,
            65_536,
            "sources",
            "The sources that each table of an event loop remembers: those that have proved their address, and those whose"
                    + " datagrams were dropped. The one that was silent longest is forgotten."),
    /** NOTIFYs to one known source. */
    NOTIFY_PER_SOURCE(
            "jwarp.udp.notify-per-source",
            "10",
            0,
            1_000_000,
            "a second",
            "The answers to violations for one source that has proved its address. A queue pair answers ten times as many of"
                    + " all such sources; one other source gets a tenth, at least 1 unless this is 0, and all other sources together as"
                    + " many as this says."),
    /** RESOLVEs at one port. */
    RESOLVE_PER_PORT(
            "jwarp.udp.resolve-per-port",
            "1000",
            1,
            1_000_000,
            "a second",
            "The questions for services that a port answers. Sources without a proved address get half at most, and a"
                    + " CHALLENGE beyond that. One source gets a hundredth, at least 1."),
    /** IP_MULTICAST_TTL. */
    MULTICAST_TTL(
            "jwarp.udp.multicast-ttl",
            "1",
            0,
            255,
            "hops",
            "The hops that datagrams to a multicast group go. 1: they stay on the local network."),
    /** IP_MULTICAST_LOOP. */
    MULTICAST_LOOP(
            "jwarp.udp.multicast-loop",
            "off",
            "Whether datagrams to a multicast group also reach members on this host."),
    /** SO_BROADCAST. */
    BROADCAST(
            "jwarp.udp.broadcast",
            "off",
            "Whether the broadcast addresses of this host's networks are groups, to which datagrams may be sent."),
    /** Default pace of peers and groups. */
    PACE(
            "jwarp.udp.pace",
            "0",
            0,
            1_000_000_000_000L,
            "bytes a second",
            "The highest rate of UD to each peer or group for which the program sets none, in bytes of UDP payload. 0:"
                    + " jwarp.udp.controlled and jwarp.udp.unheard-pace decide."),
    /** Networks without a default pace. */
    CONTROLLED(
            "jwarp.udp.controlled",
            "127.0.0.0/8,::1",
            value -> Networks.parse(value) != null,
            "addresses and networks such as 192.0.2.0/24, with commas, or nothing",
            "The networks whose load something else controls: UD to a peer there is as fast as the system accepts it."),
    /** Pace of groups, and of silent peers. */
    UNHEARD_PACE(
            "jwarp.udp.unheard-pace",
            "125000",
            0,
            1_000_000_000_000L,
            "bytes a second",
            "The highest rate of UD, after the first 10 datagrams, to each group, and to each peer outside of"
                    + " jwarp.udp.controlled that sends no feedback, or from which nothing has come for 10 s. After 10 s"
                    + " and 100 datagrams without a sign of the peer, one datagram in 3 s is sent. 0: no limit."),
    /** Faults injected into sent datagrams. */
    INJECT(
            "jwarp.udp.inject",
            "",
            value -> InjectedFaults.parse(value) != null,
            "loss=1%,duplicate=0.5%,reorder=2%,delay=3ms,seed=7, any of them, or nothing",
            "The faults of sent datagrams, for experiments. The seed, the number of the message and of the segment"
                    + " select the faulty datagrams, so that the same run has the same faults."),

    /** RD: memory for datagrams that come out of order. */
    RD_STASH(
            "jwarp.rd.stash",
            "16384",
            1,
            65_536,
            "datagrams",
            "The datagrams that a reliable queue pair keeps because they came ahead of others, for all peers together."
                    + " When they are full, the peer that has most of them loses some. Their memory is 4 KiB for each, at least 1"
                    + " MiB; a longer datagram counts as several. As many datagrams, 16 to 32768, may be under way in each"
                    + " direction of a channel."),
    /** RD: channels. */
    RD_CHANNELS(
            "jwarp.rd.channels",
            "16384",
            1,
            16_384,
            "channels",
            "The reliable channels of a queue pair. One more replaces an idle one, or one of the address that has most. If a"
                    + " 256th of them, at least 1, was opened by peers and not used yet, a further peer has to show a cookie."),
    /** RD: congestion control. */
    RD_CONGESTION(SettingKey.oneOf(
            "jwarp.rd.congestion",
            "cubic",
            List.of("cubic", "newreno"),
            "The congestion control of reliable channels: CUBIC (RFC 9438) or NewReno (RFC 9002).")),
    /** RD: loss that does not count as congestion. Off unless a program sets it (DG-11.4-8). */
    RD_LOSS_TOLERANCE(
            "jwarp.rd.loss-tolerance",
            "0",
            0,
            20,
            "percent",
            "The measured loss that a reliable channel does not treat as congestion, for paths that lose at random and are"
                    + " not shared with other senders: these reduce their rate at the same loss. 0: off."),
    /** RD: time without acknowledgement after which a channel fails. */
    RD_GIVE_UP(
            "jwarp.rd.give-up",
            "30000",
            1000,
            300_000,
            "milliseconds",
            "The time that the oldest datagram of a reliable channel may stay unacknowledged. Then the channel fails."),
    /** RD: the scope of a channel's failure. */
    RD_ERROR_SCOPE(SettingKey.oneOf(
            "jwarp.rd.error-scope",
            "peer",
            List.of("peer", "queue-pair"),
            "The work that the failure of a reliable channel stops: that for its peer, or the whole queue pair.")),

    /** java.nio: how to wait. */
    WAIT(LoopTransport.WAIT),
    /** The native parts of Netty. */
    NATIVE(LoopTransport.NATIVE),
    /** IP fragments. */
    FRAGMENTS(
            "jwarp.udp.fragments",
            "off",
            "Whether IP may cut datagrams into fragments. off: probes find out what a path takes. Only the native parts of"
                    + " Netty can forbid fragments."),
    /** PMTU_RAISE_TIMER. */
    PATH_RAISE(
            "jwarp.udp.path-raise",
            "600",
            1,
            86_400,
            "seconds",
            "The time after which a path is tried for larger datagrams again (RFC 8899)."),
    /** UDP_SEGMENT and UDP_GRO. */
    SEGMENTATION(SettingKey.oneOf(
            "jwarp.udp.segmentation",
            "on",
            List.of("on", "off", "send", "receive"),
            "Whether several datagrams of equal length to one peer are sent in one system call (UDP_SEGMENT), and those"
                    + " from one peer are received in one (UDP_GRO): both, none, or one of the two. Linux only.")),
    /** Keys of envelopes. */
    KEYS(SettingKey.anyText(
            "jwarp.udp.keys",
            "",
            "a file name, or nothing",
            "The file with the keys that protect every datagram; datagrams without a valid tag are dropped. Only the"
                    + " file's owner may read it. Each line: number, send or receive, hex:SECRET or base64:SECRET, peers"
                    + " or any, aes-128-gcm (the default, which encrypts) or hmac-sha-256, and perhaps until=TIME and"
                    + " bytes=NUMBER. The file is read again when it changes.")),
    /** Capture file. */
    PCAP(SettingKey.anyText(
            "jwarp.udp.pcap",
            "",
            "a file name, or nothing",
            "The file to which all datagrams are written, for Wireshark. That is slow."));

    @SuppressWarnings("ImmutableEnumChecker") // the predicate that checks a value has no state
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

    /** {@return all settings, for {@code DatagramTransportProvider.settings()}} */
    public static List<SettingText> all() {
        return Arrays.stream(values())
                .map(UdpSetting::setting)
                .map(s -> new SettingText(s.key(), s.defaultValue(), s.allowed(), s.sentence()))
                .toList();
    }
}
