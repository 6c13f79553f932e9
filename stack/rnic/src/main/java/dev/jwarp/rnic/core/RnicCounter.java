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
    CONNECTIONS_MAPPED("Connections begun to the port in the answer of the peer's port mapper."),
    CONNECTIONS_NOT_MAPPED(
            "Connections begun to the program's port, because the peer's port mapper was asked and named no other."),
    REQUESTS_RECEIVED("Connection requests of peers."),
    REQUESTS_TURNED_AWAY(
            "Connection requests refused due to a full backlog: the newest, or the oldest of the source with most."),
    REQUESTS_REJECTED("Connection requests that the program rejected, or closed without an answer."),
    REQUESTS_FAILED("Connections that peers began and that could not be set up."),
    ASYNC_EVENTS_MERGED("Async events merged into an equal event in the queue."),
    ASYNC_EVENTS_DROPPED("Async events dropped, the oldest first, because the program did not take them.");

    private final String sentence;

    RnicCounter(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }
}
