package dev.jwarp.rdmap;

import java.util.Locale;

/** What the streams of a device refuse, discard or give up: one counter each. */
public enum RdmapCounter {
    /** Errors that this side found, of peers, of connections and its own; {@link RdmapCounters#found} says which ones. */
    ERRORS_FOUND("Errors for which this side ended a stream: of peers, of connections, and its own."),
    TERMINATES_SENT("Terminate messages given to the lower layer."),
    ERRORS_NOT_ANSWERED("Errors without a Terminate, because the rules of start-up did not allow to send anything."),
    TERMINATES_RECEIVED("Terminate messages of peers; broken ones have a counter of their own."),
    MIRRORED_TERMINATES_RECEIVED("Terminate messages in siw's mirrored bit order, among those received."),
    BROKEN_TERMINATES_RECEIVED(
            "Terminate messages with a wrong queue, sequence number, offset or length; not answered."),
    ULPDUS_DISCARDED("ULPDUs that came after an error, a Terminate or our own close, and were discarded unread."),
    LOCAL_FAULTS("Operations that failed on this side, such as a buffer that was deregistered while posted."),
    SENDS_FLUSHED("Operations of send queues that came back because their stream ended first."),
    RECEIVES_FLUSHED("Posted receives that came back because their stream ended first."),
    REQUESTS_UNANSWERED("Reads and Atomics that failed because the peer ended its direction before it answered."),
    CONNECTIONS_LOST("Connections that were reset, cut off in the middle of a frame or not closed in time."),
    DISCONNECTS_TIMED_OUT("Orderly ends that were aborted because what was posted could not be sent in time."),
    NUDGES_SENT("Empty RDMA Writes sent because the peer had sent nothing since start-up."),
    PROBES_SENT("Empty RDMA Writes sent because the peer had sent nothing for as long as jwarp.rdmap.probe says."),
    TRANSITIONS_REFUSED("Requests to change the state of a stream that its state did not allow.");

    private final String sentence;

    RdmapCounter(String sentence) {
        this.sentence = sentence;
    }

    /** {@return the name in lower case with underscores, for people and monitoring} */
    public String counterName() {
        return "rdmap_" + name().toLowerCase(Locale.ROOT);
    }

    /** {@return what it counts} */
    public String sentence() {
        return sentence;
    }
}
