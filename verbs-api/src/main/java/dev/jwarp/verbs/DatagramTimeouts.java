package dev.jwarp.verbs;

import java.time.Duration;

/**
 * How long a datagram queue pair waits for data that may never come (datagram-iWARP §14). What goes on to come slowly, as its
 * sender is paced, is waited for longer than that: 8 times as long as from one datagram of it to the next, and twice as long as
 * the whole seems to take, but no more than 60 s in all.
 *
 * @param idle a message is given up when nothing new of it has come for this long: 1 ms to 60 s
 * @param message a message is given up at the latest after this much, plus its length at {@code rate}: 1 ms to 1 h
 * @param read an RDMA Read is given up after this much, plus its length at {@code rate}, unless its request says otherwise:
 *     1 ms to 1 h
 * @param rate bytes per second, at least 1
 */
public record DatagramTimeouts(Duration idle, Duration message, Duration read, long rate) {
    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(60);
    private static final Duration LONGEST = Duration.ofHours(1);

    /** 100 ms; 1 s and 1 s, at 1 MB/s. */
    public static final DatagramTimeouts DEFAULT =
            new DatagramTimeouts(Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofSeconds(1), 1_000_000);

    /**
     * Checks the ranges.
     *
     * @param idle a message is given up when nothing new of it has come for this long: 1 ms to 60 s
     * @param message a message is given up at the latest after this much, plus its length at {@code rate}: 1 ms to 1 h
     * @param read an RDMA Read is given up after this much, plus its length at {@code rate}, unless its request says otherwise: 1 ms to 1 h
     * @param rate bytes per second, at least 1
     */
    public DatagramTimeouts {
        check(idle, LONGEST_IDLE, "idle");
        check(message, LONGEST, "message");
        check(read, LONGEST, "read");
        if (rate < 1) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, "The rate is at least 1 byte per second, not " + rate + ".");
        }
    }

    private static void check(Duration value, Duration most, String name) {
        RdmaException.requireArgument(value, name);
        if (value.compareTo(LEAST) < 0 || value.compareTo(most) > 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The " + name + " time-out is 1 ms to " + most.toSeconds() + " s, not " + value + ".");
        }
    }

    /**
     * {@return these with another idle time-out}
     *
     * @param value the new value
     */
    public DatagramTimeouts withIdle(Duration value) {
        return new DatagramTimeouts(value, message, read, rate);
    }

    /**
     * {@return these with another time-out of messages}
     *
     * @param value the new value
     */
    public DatagramTimeouts withMessage(Duration value) {
        return new DatagramTimeouts(idle, value, read, rate);
    }

    /**
     * {@return these with another time-out of RDMA Reads}
     *
     * @param value the new value
     */
    public DatagramTimeouts withRead(Duration value) {
        return new DatagramTimeouts(idle, message, value, rate);
    }

    /**
     * {@return these with another rate}
     *
     * @param bytesPerSecond bytes a second
     */
    public DatagramTimeouts withRate(long bytesPerSecond) {
        return new DatagramTimeouts(idle, message, read, bytesPerSecond);
    }
}
