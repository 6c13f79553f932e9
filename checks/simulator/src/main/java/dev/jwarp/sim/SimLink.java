package dev.jwarp.sim;

import java.util.random.RandomGenerator;

/**
 * The properties of a simulated path, in both directions.
 *
 * @param smallestSegment minimum number of bytes that arrive together, if there are as many
 * @param largestSegment maximum number of bytes that arrive together; each time a number in between is drawn
 * @param shortestDelayNanos minimum time between two arrivals, and delay of a single one
 * @param longestDelayNanos maximum of that time; each time a number in between is drawn
 * @param sendBuffer maximum number of bytes in flight per direction
 * @param effectiveMaximumSegmentSize EMSS of the path that engines get
 */
public record SimLink(
        int smallestSegment,
        int largestSegment,
        long shortestDelayNanos,
        long longestDelayNanos,
        int sendBuffer,
        int effectiveMaximumSegmentSize) {
    /** A smooth path: each write arrives as a whole, 10 µs later. */
    public static final SimLink SMOOTH = new SimLink(1 << 20, 1 << 20, 10_000, 10_000, 1 << 20, 1460);

    /** A path on which every byte arrives separately. */
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

    /** {@return a random path: segments of one byte or many, fast or slow, small or large buffers} */
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
