package dev.jwarp.rnic.core;

/** What the device counts beside its streams. */
public enum RnicCounter {
    SENDS_POSTED("Send work requests posted."),
    RECEIVES_POSTED("Receive work requests posted, those of shared receive queues included."),
    SENDS_COMPLETED("Send work requests completed with success, signalled or not."),
    RECEIVES_COMPLETED("Receive work requests completed with success."),
    OCTETS_RECEIVED("Octets that completed receives took in."),
    COMPLETIONS_IN_ERROR("Work requests completed with an error, flushes included."),
    COMPLETIONS_LOST("Completions lost because their completion queue had overflowed."),
    CONNECTIONS_ESTABLISHED("Connections established, by either side."),
    CONNECTIONS_FAILED("Connections that this side began and that did not come about."),
    CONNECTIONS_ENDED("Connections that ended in order."),
    CONNECTIONS_BROKEN("Connections that ended in error."),
    REQUESTS_RECEIVED("Connection requests of peers."),
    REQUESTS_TURNED_AWAY(
            "Connection requests turned away because the listener's backlog was full: the newest, or the oldest of the source that had most."),
    REQUESTS_REJECTED("Connection requests that the program rejected, or closed without an answer."),
    REQUESTS_FAILED("Connections that peers began and that did not come about."),
    ASYNC_EVENTS_MERGED("Async events told by one that was waiting already and said the same."),
    ASYNC_EVENTS_DROPPED("Async events dropped, the oldest first, because nobody took them.");

    private final String sentence;

    RnicCounter(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }
}
