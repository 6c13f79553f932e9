package dev.jwarp.tools.traffic;

import org.HdrHistogram.Histogram;

/** How the messages of an end move: {@link PingPong} or {@link Pipeline}. One thread. */
public interface Traffic {
    /** Makes all ready for messages of one size, at either end, before the other end begins. */
    void prepare(Rhythm rhythm);

    /**
     * Moves messages until there is enough, or the onlooker wants an end, and all are through.
     *
     * @param iterations messages of each queue pair; 0 if it goes by time
     * @param nanos how long, if it goes by time
     */
    Moved run(long iterations, long nanos);

    /** Does what the other end needs, until that is done. */
    void serve();

    /** Takes what is still on its way from an end that is done. */
    void settle();

    /** Does once what the other end may need. */
    void idle();

    /** {@return whether an end that only serves knows how many messages move} */
    boolean counts();

    /** {@return messages of the other end that came whole, in all runs} */
    long taken();

    /** {@return the times of the last run, in nanoseconds} */
    Histogram latencies();

    /**
     * How messages of one size go.
     *
     * @param size bytes of a message
     * @param depth messages of a queue pair in the send queue at most
     * @param window messages that the other end may not have told of at most; {@link Integer#MAX_VALUE} if it does not tell
     * @param every after how many messages this end tells the other how many it has taken
     * @param list messages posted at once, or fewer: as many as have room when all of those under way have completed that were asked for
     * @param moderation every how many messages a completion is asked for
     * @param gap nanoseconds between two messages that are to be spread evenly; 0 for as fast as it goes
     * @param fills whether as much is posted as there is room for, else one list between two looks at completions
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
        /** Shortens a list that could wait for ever for its room: completions that are not at ends of lists leave messages under way. */
        public Rhythm {
            list = list % moderation == 0 ? list : Math.min(list, depth - moderation + 1);
        }

        /** {@return one message at a time} */
        public static Rhythm oneByOne(int size, double gap) {
            return new Rhythm(size, 1, Integer.MAX_VALUE, 1, 1, 1, gap, false, true);
        }
    }

    /**
     * What a run came to.
     *
     * @param messages that came, or went in both directions
     * @param lost messages that did not come
     * @param nanos it took
     * @param fastest messages per second in the fastest moment; 0 if that was not looked at
     */
    record Moved(long messages, long lost, long nanos, double fastest) {}
}
