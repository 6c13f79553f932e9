package dev.jwarp.rnic.core;

/** The counters of the device; its streams have the counters of {@code RdmapCounters}. */
public enum RnicCounter {
    SENDS_POSTED("Send work requests posted."),
    RECEIVES_POSTED("Receive work requests posted, also to shared receive queues."),
    SENDS_COMPLETED("Send work requests completed with success, signalled or not."),
    RECEIVES_COMPLETED("Receive work requests completed with success."),
    BYTES_RECEIVED("Bytes received by completed receives."),
    COMPLETIONS_IN_ERROR("Work requests completed with an error, including flushes."),
    COMPLETIONS_LOST("Completions lost because their completion queue had overflowed."),
    CONNECTIONS_ESTABLISHED("Connections established, by either side."),
    CONNECTIONS_FAILED("Connections that this side began and that could not be set up."),
    CONNECTIONS_ENDED("Connections that ended in order."),
    CONNECTIONS_BROKEN("Connections that ended in error."),
    CONNECTIONS_MAPPED("Connections begun to the port that the port mapper of the peer's host named."),
    CONNECTIONS_NOT_MAPPED(
            "Connections begun to the port of the program, because the port mapper of the peer's host named no other port."),
    REQUESTS_RECEIVED("Connection requests of peers."),
    REQUESTS_TURNED_AWAY(
            "Connection requests refused because the listener's backlog was full: the newest, or the oldest of the source that had most."),
    REQUESTS_REJECTED("Connection requests that the program rejected, or closed without an answer."),
    REQUESTS_FAILED("Connections that peers began and that could not be set up."),
    ASYNC_EVENTS_MERGED("Async events that were joined to an equal one that was waiting already."),
    ASYNC_EVENTS_DROPPED("Async events dropped, the oldest first, because the program did not take them.");

    private final String sentence;

    RnicCounter(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }
}
