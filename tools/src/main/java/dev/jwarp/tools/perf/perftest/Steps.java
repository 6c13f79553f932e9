package dev.jwarp.tools.perf.perftest;

/**
 * Where messages go: small ones walk through a page, each to a cache line of its own, and start anew at its end; what is
 * larger than half a page goes to the same place each time.
 *
 * @param page bytes, the larger of both ends' pages
 * @param cacheLine bytes, the larger of both ends' cache lines
 */
record Steps(int page, int cacheLine) {

    /** {@return bytes of memory that messages up to this size need} */
    int room(int largest) {
        return Math.max(page, largest);
    }

    /** {@return bytes from the start of the memory to where the message with this number goes, counted from 0} */
    int offset(long message, int size) {
        if (size > page / 2) {
            return 0;
        }
        int step = (Math.max(size, 1) + cacheLine - 1) / cacheLine * cacheLine;
        return step > page ? 0 : (int) (message % (page / step)) * step;
    }
}
