package dev.jwarp.tools.perf;

import org.HdrHistogram.Histogram;

/** How the messages of a test are moved. One thread. */
interface Mover {
    /** Makes all ready for a step, at either end, before the client begins. */
    void prepare(Note.Step step);

    /** Does this end's part of a step and measures it, until there is enough or it is to end early. */
    PerfResult run(Note.Step step, long warmUpNanos);

    /** Does what the other end needs, until that is done. */
    void serve();

    /** Does once what the other end may need, while this one waits for a note. */
    void idle();

    /** {@return whether an end that only serves knows how many messages move} */
    boolean counts();

    /** {@return messages of the other end that came whole, in all steps} */
    long taken();

    /** {@return the latencies of the last step} */
    Histogram latencies();

    /** {@return the share of each of them that counts} */
    double share();
}
