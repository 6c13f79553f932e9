package dev.jwarp.rdmap.datagram;

import java.util.Locale;

/**
 * The counters of a datagram endpoint. Each refused segment counts once, by the first check that it failed
 * (datagram-iWARP §5).
 */
public enum DatagramCounter {
    // Accepted
    RX_OK("Segments placed or otherwise used."),
    // Check 11
    DDP_VERSION("Segments of another version of DDP."),
    RDMAP_VERSION("Segments of another version of RDMAP."),
    // Check 12
    RDMAP_OPCODE("Segments whose opcode is not for datagrams, or not for its place in the message."),
    // Check 13
    DDP_QN("Untagged segments with another queue number than their opcode has."),
    DDP_MO("Untagged segments whose sequence number or message offset is not what shim and index say."),
    // Check 14
    SEG_SHAPE("Segments whose size, index, length or last bit break the rules of segments."),
    // Check 15
    MSG_TOO_LONG("Segments of messages longer than the longest message that is accepted."),
    // Check 16
    SEG_CONFLICT("Segments that contradict earlier segments of their message."),
    DUP_SEGMENT("Segments that had been placed already."),
    LATE("Segments of messages that had ended already."),
    // Check 17
    NO_RECV_WR("Segments of Sends that found no posted receive."),
    NO_CQ_PLACE("Segments of Sends for which no place was left in the completion queue, with a shared receive queue."),
    RECV_TOO_SMALL("Segments of Sends longer than the receive posted next."),
    // Checks 17 and 18
    RECORD_FULL("Segments for which there was no place for the record of their message."),
    // Check 18
    STAG_INVALID("Segments of Writes to an STag that is not registered."),
    STAG_PEER("Segments of Writes to memory of another domain or bound to other peers."),
    STAG_RIGHTS("Segments of Writes to memory that does not grant this kind of Write."),
    TO_WRAP("Segments of Writes whose range wraps around 2^64."),
    TO_BOUNDS("Segments of Writes outside the memory region."),
    // Check 19
    READ_MALFORMED("Read Requests of a wrong length or in several segments."),
    READ_CHALLENGED("Read Requests from addresses that had to be proved first."),
    READ_TOO_LONG("Read Requests for more than the longest Read that is served."),
    READ_STAG_INVALID("Read Requests for an STag that is not registered."),
    READ_STAG_PEER("Read Requests for memory of another domain or bound to other peers."),
    READ_RIGHTS("Read Requests for memory that does not grant reading."),
    READ_WRAP("Read Requests whose range wraps around 2^64."),
    READ_BOUNDS("Read Requests outside the memory region."),
    READ_BUSY("Read Requests beyond the limits of Reads served at a time."),
    // Check 9, and Read Responses
    RX_REPLY_UNMATCHED("Replies that match no request of this side."),
    // Segments that arrive while the queue pair is in error
    RX_STOPPED("Segments that came while the queue pair was in the error state."),
    // The Seen set
    SEEN_EARLY("Generations of ended messages that were full before their time."),
    // Records
    RECORDS_PARTIAL("Write-Records that ended incomplete at their time limit."),
    SENDS_LOST("Sends that ended incomplete at their time limit."),
    RECORDS_EVICTED("Half received messages that were displaced by newer ones."),
    RECORDS_ABORTED("Half received messages that ended with their memory, queue pair or channel."),
    // Reads
    READS_WAITED("RDMA Reads that had to wait because too many were unanswered."),
    READS_TIMED_OUT("RDMA Reads without any response in time."),
    READS_PARTIAL("RDMA Reads with only parts of the response in time."),
    READS_SERVED("RDMA Reads of peers that were answered."),
    READS_BROKEN_OFF("Answers to RDMA Reads that ended early because their memory was deregistered."),
    READS_DISPLACED("Answers to RDMA Reads that ended early for a Read of an address that had fewer, because all"
            + " places were taken."),
    READS_GIVEN_UP("Answers to RDMA Reads that ended early because the peer no longer waits for them."),
    // Replies
    CHALLENGES_ANSWERED("Requests sent again with the cookie that the peer asked for."),
    NOTIFIES_TAKEN("NOTIFYs of peers about messages of this side."),
    // Sending
    MESSAGES_SENT("Messages begun, including Read Requests and answers."),
    SEGMENTS_SENT("Segments given to the lower layer, without repeated ones."),
    SEGMENTS_REPEATED("Segments given to the lower layer again."),
    UNSENDABLE("Messages that the kernel would not send."),
    LOCAL_FAULTS("Operations that failed on this side, such as a buffer that was deregistered while posted.");

    private final String counterName;
    private final String sentence;

    DatagramCounter(String sentence) {
        counterName = name().toLowerCase(Locale.ROOT);
        this.sentence = sentence;
    }

    /** {@return the name in lower case with underscores, for people and monitoring} */
    public String counterName() {
        return counterName;
    }

    /** {@return what it counts} */
    public String sentence() {
        return sentence;
    }
}
