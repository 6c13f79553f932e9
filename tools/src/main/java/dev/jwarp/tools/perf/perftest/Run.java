package dev.jwarp.tools.perf.perftest;

/** What one end does while messages of one size move. */
interface Run {
    /** Gets ready: what must be there before the peer may begin. */
    default void prepare(int size) {}

    /** Moves the messages, and tells what it finds out. */
    void run(int size);

    /** Sees that nothing of this size is on its way any more, where another size follows. */
    default void settle() {}

    /** {@return what the client tells the server of the last size} */
    default BandwidthReport report() {
        return BandwidthReport.NOTHING;
    }
}
