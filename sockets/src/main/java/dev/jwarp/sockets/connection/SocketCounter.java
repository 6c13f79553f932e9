package dev.jwarp.sockets.connection;

/** What streams count beside the counters of their context. */
enum SocketCounter {
    /** Found. */
    BUFFERS_KNOWN(
            "Parts of writes whose direct buffer, or one that it is a slice or a duplicate of, was registered already."),
    /** Registered. */
    BUFFERS_REGISTERED("Direct buffers that were registered, as writes came with them again."),
    /** Neither. */
    BUFFERS_UNKNOWN(
            "Parts of writes whose direct buffer came for the first time, is too large, or could not be registered: they were copied.");

    private final String sentence;

    SocketCounter(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }
}
