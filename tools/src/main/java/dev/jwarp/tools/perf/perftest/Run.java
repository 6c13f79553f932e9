package dev.jwarp.tools.perf.perftest;

/** The work of one end while messages of one size move. */
interface Run {
    /** Prepares everything that the peer needs before it begins. */
    default void prepare(int size) {}

    /** Moves the messages, and reports the results. */
    void run(int size);

    /** Waits until nothing of this size is in flight, before another size follows. */
    default void settle() {}

    /** {@return the client's report of the last size, for the server} */
    default BandwidthReport report() {
        return BandwidthReport.NOTHING;
    }
}
