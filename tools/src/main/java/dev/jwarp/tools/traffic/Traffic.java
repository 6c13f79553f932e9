package dev.jwarp.tools.traffic;

import org.HdrHistogram.Histogram;

/** Moves the messages of an end: {@link PingPong} or {@link Pipeline}. One thread. */
public interface Traffic {
    /** Prepares for messages of one size, at either end, before the other end begins. */
    void prepare(Rhythm rhythm);

    /**
     * Moves messages until the limit is reached or the onlooker wants to stop, and all messages are complete.
     *
     * @param iterations messages of each queue pair; 0 if the run is limited by time
     * @param nanos duration, if the run is limited by time
     */
    Moved run(long iterations, long nanos);

    /** Serves the other end until it is done. */
    void serve();

    /** Takes messages that are still in flight from an end that is done. */
    void settle();

    /** Serves the other end once. */
    void idle();

    /** {@return whether a serving end knows how many messages move} */
    boolean counts();

    /** {@return messages of the other end that arrived whole, in all runs} */
    long taken();

    /** {@return the times of the last run, in nanoseconds} */
    Histogram latencies();

    /**
     * Parameters for messages of one size.
     *
     * @param size bytes of a message
     * @param depth most messages in the send queue of a queue pair
     * @param window most messages that the other end has not counted; {@link Integer#MAX_VALUE} if it sends no counts
     * @param every messages per count that this end sends to the other one
     * @param list messages posted at once; shortened if there would not be room for it after all signaled messages have
     *     completed
     * @param moderation messages per completion
     * @param gap nanoseconds between two messages that are spread evenly; 0 for no limit
     * @param fills whether to post as much as there is room for; otherwise one list between two polls
     * @param timed whether each completion is timed
     */
    record Rhythm(
            int size,
            int depth,
            int window,
            int every,
            int list,
            int moderation,
            double gap,
            boolean fills,
            boolean timed) {
        /**
         * Shortens a list that might never get enough room: completions that are not at the ends of lists leave
         * messages without a completion.
         */
        public Rhythm {
            list = list % moderation == 0 ? list : Math.min(list, depth - moderation + 1);
        }

        /** {@return one message at a time} */
        public static Rhythm oneByOne(int size, double gap) {
            return new Rhythm(size, 1, Integer.MAX_VALUE, 1, 1, 1, gap, false, true);
        }
    }

    /**
     * The result of a run.
     *
     * @param messages number of messages that arrived, or of round trips
     * @param lost number of lost messages
     * @param nanos duration
     * @param fastest peak rate in messages per second; 0 if it was not measured
     */
    record Moved(long messages, long lost, long nanos, double fastest) {}
}
