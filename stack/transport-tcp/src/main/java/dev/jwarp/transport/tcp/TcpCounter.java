package dev.jwarp.transport.tcp;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.TransportCounter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Counters of a TCP transport: everything that it refuses, drops or gives up, and the cost of sending and receiving. */
public enum TcpCounter {
    /** Connections that a listener accepted. */
    ACCEPTED("connections that a listener accepted"),
    /** Connections that reached full operation. */
    ESTABLISHED("connections whose start-up succeeded"),
    /** Refused because of {@link TcpSetting#MAX_CONNECTIONS}. */
    REFUSED_AT_LIMIT("connections refused because the limit of connections was reached"),
    /** Refused because of {@link TcpSetting#MAX_CONNECTIONS_PER_SOURCE}. */
    REFUSED_AT_SOURCE_LIMIT("connections refused because their source had reached the limit of one source"),
    /** Left by a closed listener, and no other listener of its port had room. */
    NOT_TAKEN_OVER(
            "connections reset because the listener that they waited for was closed, and no other one at its port had room"),
    /** Accept failed locally. */
    ACCEPT_FAILED("times the system gave no descriptor for a waiting connection"),
    /** No valid Request or Reply. */
    BAD_START_FRAME("connections closed because of an invalid Request or Reply, or of bytes after a Request"),
    /** A Request or Reply of an unsupported revision. */
    REVISION_REFUSED(
            "connections closed because of the MPA revision of a Request or Reply; listeners log whose it was"),
    /** Start-up took too long. */
    START_TIMED_OUT("connections given up because start-up took too long"),
    /** Start-up ended by the peer. */
    START_CLOSED_BY_PEER("connections that the peer closed or reset before start-up was over"),
    /** The peer accepted with parameters that this side does not support. */
    NO_AGREEMENT("connections ended with a Terminate because read depths or ready-to-receive messages do not fit"),
    /** Second attempts with revision 1. */
    FALLEN_BACK("connections tried again with MPA revision 1"),
    /** CRC wrong. */
    CRC_MISMATCH("FPDUs with a wrong CRC32C; each ends its connection"),
    /** Marker wrong. */
    MARKER_MISMATCH("FPDUs with a wrong Marker; each ends its connection"),
    /** FIN in the middle of an FPDU. */
    TRUNCATED("connections whose peer closed inside an FPDU"),
    /** No byte for too long in the middle of an FPDU. */
    FPDU_TIMED_OUT("connections aborted because the peer did not go on with an FPDU for too long"),
    /** RST or I/O error in full operation. */
    RESET("established connections that the peer or the network reset"),
    /** No answer to keep-alive probes, or to bytes sent again: {@link TcpSetting#KEEP_ALIVE}. */
    PEER_TIMED_OUT(
            "connections that the operating system ended because the peer did not answer, for example its keep-alive probes"),
    /** The peer did not close in time. */
    LINGER_EXPIRED("connections closed because the peer did not close in time"),
    /** The peer took no bytes for too long. */
    SEND_TIMED_OUT("connections aborted because the peer took no bytes for too long"),
    /** No memory for half FPDUs. */
    REASSEMBLY_EXHAUSTED(
            "connections aborted because they needed memory for an FPDU that came in part, and no connection that holds"
                    + " more, or is slower, could give it back"),
    /** Half FPDUs of peers that did not go on with them. */
    REASSEMBLY_TAKEN_BACK(
            "connections aborted because they held memory for an FPDU that came in part, did not go on with it,"
                    + " and another connection needed the memory"),
    /** No memory for a send buffer. */
    BATCHES_EXHAUSTED("connections aborted because no memory was left for a send buffer"),
    /** Send buffers taken from connections with slow peers. */
    BATCHES_TAKEN_BACK(
            "send buffers taken back from connections with slow peers, because another connection needed one; unsent bytes"
                    + " were kept in other memory"),
    /** No memory for octets that a peer does not read. */
    STALLED_ENDED(
            "connections aborted because their peers did not read, and another connection needed the memory that held"
                    + " what they had not read"),
    /** Times a connection had to wait for a send buffer. */
    WAITED_FOR_BATCH("times a connection waited for a free send buffer"),
    /** A call on this side threw an exception. */
    LAYER_ABOVE_FAILED(
            "connections aborted because this side failed in the middle: the layer above, or jwarp itself, threw an"
                    + " exception or an Error"),
    /** System calls that returned bytes. */
    READS("reads that brought bytes"),
    /** System calls that accepted bytes. */
    WRITES("writes that took bytes"),
    /** Bytes copied for sending, with headers and CRCs. */
    BUFFERED("bytes sent from send buffers: headers, CRCs, and payload that was copied"),
    /** Bytes sent without a copy. */
    GATHERED("bytes of payload sent directly from registered memory, without a copy"),
    /** Bytes copied to assemble FPDUs. */
    ASSEMBLED("bytes of FPDUs that came in pieces and were put together before they were checked");

    private final String sentence;

    TcpCounter(String sentence) {
        this.sentence = sentence;
    }

    /** {@return the current values of all counters} */
    public static List<TransportCounter> list(Tally<TcpCounter> counts) {
        return Arrays.stream(values())
                .map(counter -> new TransportCounter(counter.label(), counts.get(counter), counter.sentence()))
                .toList();
    }

    /** {@return the name in a report, such as {@code tcp_crc_mismatch}} */
    public String label() {
        return "tcp_" + name().toLowerCase(Locale.ROOT);
    }

    /** {@return what it counts} */
    public String sentence() {
        return sentence;
    }
}
