package dev.jwarp.tools.perf.perftest;

/**
 * Offsets of messages: small messages go to successive cache lines of a page, and start again at its end; a message
 * larger than half a page always goes to offset 0.
 *
 * @param page bytes, the larger of both ends' pages
 * @param cacheLine bytes, the larger of both ends' cache lines
 */
record Steps(int page, int cacheLine) {

    /** {@return bytes of memory that messages up to this size need} */
    int room(int largest) {
        return Math.max(page, largest);
    }

    /**
     * {@return the offset of a message in the memory}
     *
     * @param message number of the message, from 0
     */
    int offset(long message, int size) {
        if (size > page / 2) {
            return 0;
        }
        int step = (Math.max(size, 1) + cacheLine - 1) / cacheLine * cacheLine;
        return step > page ? 0 : (int) (message % (page / step)) * step;
    }
}
