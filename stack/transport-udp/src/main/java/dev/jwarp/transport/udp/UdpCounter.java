package dev.jwarp.transport.udp;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.TransportCounter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The counters of a UDP transport. A datagram that checks 1 to 10 of datagram-iWARP §5 drop is counted by the first
 * check that fails; every answer is counted as sent or as withheld. Checks 11 to 20 belong to the layer above, which
 * has counters of its own.
 */
public enum UdpCounter {
    RX_DATAGRAMS("datagrams received"),
    RX_READS("reads that brought datagrams, one or several"),
    RX_PLAIN("plain datagrams, which are not datagram-iWARP, delivered to a program that receives them"),
    // Check 1.
    RX_SHORT("datagrams too short for their Kind, or truncated by the socket"),
    // Check 2.
    RX_CRC("datagrams with a wrong CRC32C"),
    // Checks of the envelope, between 2 and 3.
    RX_UNSEALED("datagrams without an envelope at a port that has keys"),
    RX_SEAL_BAD("envelopes with a key that is not known, or not for their source, or with a wrong tag"),
    RX_SEAL_LATE(
            "envelopes that were made before the port opened, or more than 300 s from now: clocks differ, or a replay"),
    RX_SEAL_REPLAY(
            "envelopes that came a second time, or back to their sender, or far behind others, or of one sender too many"),
    RX_SEAL_OTHER("envelopes for another port, or for one that was here before: a replay, or a restart of this end"),
    // Check 3.
    RX_VERSION("datagrams of another version, and VERSION LISTs that answer no recent datagram"),
    // Check 4.
    RX_KIND("datagrams of a Kind that version 1 does not know"),
    RX_FLAGS("datagrams with flags or zero fields of the shim that their Kind does not allow"),
    // Check 5.
    RX_MALFORMED("datagrams with an impossible body, Source QPN or source address"),
    // Check 6.
    RX_GROUP("datagrams to a group on a socket that is not the group's, or others on a group's socket"),
    // Check 7.
    RX_QPN("datagrams for a queue pair that does not exist, or for a port without resolver"),
    // Check 8.
    RX_QP_TYPE("datagrams of a Kind that the queue pair's service does not accept"),
    // Check 9.
    RX_KEY("datagrams with a wrong Q_Key"),
    RX_REPLY_UNMATCHED("replies without a request, or from another address than the request went to"),
    RD_TAG("datagrams with a tag that no reliable channel with that peer has"),
    // Check 10.
    RD_DUP("datagrams of a reliable channel that came a second time"),
    RD_AHEAD("datagrams of a reliable channel beyond the window, or out of order without memory to keep them"),
    RD_ACK_BAD("acknowledgements of datagrams that were never sent"),
    RD_RESET_BAD("RD-RESETs with a tag that does not fit"),

    // Reliable channels.
    RD_OPENED("reliable channels opened, by this side or the other"),
    RD_BUSY("RD-OPENs refused because there are too many channels, or because that peer's channel has failed"),
    RD_TAKEN_BACK("reliable channels closed because all were in use and another peer needed one: one that failed or was"
            + " idle, or else one of the address that had most"),
    SEAL_TAKEN_BACK("senders with a key that were forgotten because another host needed the place"),
    RD_STASH_TAKEN_BACK("times a reliable channel lost datagrams that came ahead, because another peer had fewer"),
    RD_HALF_OPEN("RD-OPENs that had to show a cookie because too many channels were open but not yet used"),
    RD_FAILED("reliable channels that have failed, until their peer is reset"),
    RD_REPEATED("datagrams of reliable channels sent again because they counted as lost"),
    RD_PROBES("datagrams of reliable channels sent again because no acknowledgement came"),
    RD_TOO_LONG("reliable channels closed because the path takes shorter datagrams than those under way"),
    RD_NOT_READY("times a datagram of a reliable channel had to wait for a receive or another resource"),

    // Datagrams sent.
    TX_DATAGRAMS("datagrams that the system took"),
    TX_PLAIN("plain datagrams that the system took"),
    TX_WRITES("system calls that sent datagrams, one or several"),
    TX_UNSENDABLE("datagrams that the system will never take, such as those beyond the MTU"),
    TX_REFUSED("datagrams that the system did not send, because of a missing route or a packet filter: lost, and"
            + " counted as sent too"),
    TX_NO_KEY("datagrams not sent because no key is for their destination: lost, and counted as sent too"),
    TX_HELD("datagrams that waited for the answer of a port that this one did not know, and counted as sent"),
    TX_NO_RECEIVER("datagrams dropped because no answer came for a second, or too many waited"),
    TX_GREETING("greetings sent, to ask or tell which port is at an address"),
    RX_GREETING("greetings received"),
    UD_SILENT(
            "times that a peer of UD was silent for 10 s and 100 datagrams, and got one datagram in 3 s from then on"),
    TX_SPLIT("segmented sends that the system refused, repeated one datagram at a time"),
    NO_SEGMENTS("UDP ports that send datagrams one by one, because the descriptor of their socket was not found"),
    MAY_FRAGMENT("sockets of UDP ports whose datagrams IP may cut into fragments, because the system cannot forbid"
            + " fragments here: the sizes that their paths take are not probed"),
    TX_RESOLVE("RESOLVEs sent, including repeated ones"),
    TX_PATH_PROBE("PATH-PROBEs sent, to test whether a path works, or takes datagrams of a size"),
    RX_PATH_REPLY("PATH-REPLYs received that answered a PATH-PROBE of this side"),
    INJECTED_LOSS("datagrams that jwarp.udp.inject dropped"),
    INJECTED_DUPLICATE("datagrams that jwarp.udp.inject sent twice"),
    INJECTED_DELAY("datagrams that jwarp.udp.inject delayed"),

    FAILED("times that reading failed or a layer above threw an exception; the log says which"),

    // Answers.
    TX_VERSION_LIST("VERSION LISTs sent in answer to other versions"),
    TX_NOTIFY("NOTIFYs sent in answer to violations"),
    TX_CHALLENGE("CHALLENGEs sent to sources that had not proved their address"),
    TX_RESOLVED("RESOLVEDs sent in answer to RESOLVEs"),
    TX_RD_RESET("RD-RESETs sent"),
    RX_PATH_PROBE("PATH-PROBEs received"),
    TX_PATH_REPLY("PATH-REPLYs sent in answer to PATH-PROBEs"),
    TX_LIMITED("answers not given because of a limit on their rate"),
    TX_OVERFLOWED("answers not given because too many were waiting to be sent"),

    // Tables of peers.
    SOURCES_FORGOTTEN("sources with a proved address that were forgotten for newer ones"),
    DROPS_FORGOTTEN("sources of dropped datagrams that were forgotten for newer ones"),
    RESOLVED_FORGOTTEN("answers to RESOLVEs forgotten before their time because newer ones took their place");

    private final String label;
    private final String sentence;

    UdpCounter(String sentence) {
        label = name().toLowerCase(Locale.ROOT);
        this.sentence = sentence;
    }

    /** {@return whether this counter counts dropped datagrams: those of checks 1 to 10} */
    public boolean drops() {
        return compareTo(RX_SHORT) >= 0 && compareTo(RD_RESET_BAD) <= 0;
    }

    /** {@return all counters with their present values} */
    public static List<TransportCounter> list(Tally<UdpCounter> counts) {
        return Arrays.stream(values())
                .map(counter -> new TransportCounter(counter.label(), counts.get(counter), counter.sentence()))
                .toList();
    }

    /** {@return the counter's name in a report and in datagram-iWARP §5, such as {@code rx_crc}} */
    public String label() {
        return label;
    }

    /** {@return the description of the counter for reports and pages} */
    public String sentence() {
        return sentence;
    }
}
