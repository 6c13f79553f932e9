package dev.jwarp.verbs;

import java.time.Duration;

/**
 * Timeouts of a datagram queue pair for messages and RDMA Reads that may stay incomplete (datagram-iWARP §14). If the
 * datagrams of a message arrive slowly, for instance from a paced sender, both timeouts of that message are extended:
 * to 8 times the interval between its datagrams and to twice its expected duration, at most 60 s in all.
 *
 * @param idle a message is abandoned after this time without new data: 1 ms to 60 s
 * @param message a message is abandoned after this time plus the time for its length at {@code rate}: 1 ms to 1 h
 * @param read an RDMA Read without a timeout of its own is abandoned after this time plus the time for its length at
 *     {@code rate}: 1 ms to 1 h
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
     * @param idle a message is abandoned after this time without new data: 1 ms to 60 s
     * @param message a message is abandoned after this time plus the time for its length at {@code rate}: 1 ms to 1 h
     * @param read an RDMA Read without a timeout of its own is abandoned after this time plus the time for its length
     *     at {@code rate}: 1 ms to 1 h
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
     * {@return a copy with another idle timeout}
     *
     * @param value the new value
     */
    public DatagramTimeouts withIdle(Duration value) {
        return new DatagramTimeouts(value, message, read, rate);
    }

    /**
     * {@return a copy with another timeout of messages}
     *
     * @param value the new value
     */
    public DatagramTimeouts withMessage(Duration value) {
        return new DatagramTimeouts(idle, value, read, rate);
    }

    /**
     * {@return a copy with another timeout of RDMA Reads}
     *
     * @param value the new value
     */
    public DatagramTimeouts withRead(Duration value) {
        return new DatagramTimeouts(idle, message, value, rate);
    }

    /**
     * {@return a copy with another rate}
     *
     * @param bytesPerSecond bytes per second
     */
    public DatagramTimeouts withRate(long bytesPerSecond) {
        return new DatagramTimeouts(idle, message, read, bytesPerSecond);
    }
}
