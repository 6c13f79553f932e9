package dev.jwarp.ddp.llp.sim;

import java.util.random.RandomGenerator;

/**
 * What a simulated path is like, in both directions.
 *
 * @param smallestSegment the fewest bytes that arrive together, where there are as many
 * @param largestSegment the most bytes that arrive together; each time a number between the two is drawn
 * @param shortestDelayNanos from one arrival to the next, and of what travels alone
 * @param longestDelayNanos likewise; each time a number between the two is drawn
 * @param sendBuffer bytes that a sender may have under way in a direction
 * @param effectiveMaximumSegmentSize what engines are told of the path's EMSS
 */
public record SimLink(
        int smallestSegment,
        int largestSegment,
        long shortestDelayNanos,
        long longestDelayNanos,
        int sendBuffer,
        int effectiveMaximumSegmentSize) {
    /** A path without surprises: whole writes arrive together, 10 µs later. */
    public static final SimLink SMOOTH = new SimLink(1 << 20, 1 << 20, 10_000, 10_000, 1 << 20, 1460);

    /** Every byte arrives alone. */
    public static final SimLink OCTETS = new SimLink(1, 1, 100, 1_000, 4_096, 1460);

    /** Checks the ranges. */
    public SimLink {
        if (smallestSegment < 1 || largestSegment < smallestSegment || sendBuffer < 1) {
            throw new IllegalArgumentException("Segments and the send buffer of a link have 1 byte or more");
        }
        if (shortestDelayNanos < 0 || longestDelayNanos < shortestDelayNanos) {
            throw new IllegalArgumentException("The delays of a link are 0 or more, the longest last");
        }
    }

    /** {@return a path drawn from all kinds: segments of one byte or of many, quick or slow, small or large buffers} */
    public static SimLink any(RandomGenerator random) {
        int largest = 1 << random.nextInt(18);
        int smallest = random.nextBoolean() ? largest : 1;
        long longest = 1L << random.nextInt(22);
        long shortest = random.nextLong(longest) / 2;
        int sendBuffer = 1 << random.nextInt(8, 19);
        int emss = random.nextBoolean() ? 1460 : random.nextInt(256, 66_000);
        return new SimLink(smallest, largest, shortest, longest, sendBuffer, emss);
    }

    int segment(RandomGenerator random) {
        return random.nextInt(smallestSegment, largestSegment + 1);
    }

    long delay(RandomGenerator random) {
        return random.nextLong(shortestDelayNanos, longestDelayNanos + 1);
    }
}
