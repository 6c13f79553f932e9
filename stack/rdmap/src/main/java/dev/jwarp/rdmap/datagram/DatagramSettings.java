package dev.jwarp.rdmap.datagram;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** A value for each {@link DatagramLimit}. Immutable; any thread. */
public final class DatagramSettings {
    /** Every limit at its {@link DatagramLimit#defaultValue}. */
    public static final DatagramSettings DEFAULT = new DatagramSettings(defaults());

    private static final long SECOND = 1_000_000_000L;

    private final Map<DatagramLimit, Long> values;

    private DatagramSettings(Map<DatagramLimit, Long> values) {
        this.values = values;
    }

    private static Map<DatagramLimit, Long> defaults() {
        Map<DatagramLimit, Long> values = new EnumMap<>(DatagramLimit.class);
        for (DatagramLimit limit : DatagramLimit.values()) {
            values.put(limit, limit.defaultValue());
        }
        return values;
    }

    /** {@return the value of a limit} */
    public long get(DatagramLimit limit) {
        return Objects.requireNonNull(values.get(limit));
    }

    /** {@return the value of a limit that fits in an int} */
    int count(DatagramLimit limit) {
        return (int) get(limit);
    }

    /**
     * {@return the same settings with another value for one limit}
     *
     * @throws IllegalArgumentException if the value is out of range
     */
    public DatagramSettings with(DatagramLimit limit, long value) {
        if (value < limit.least() || value > limit.most()) {
            throw new IllegalArgumentException(limit.key() + " (" + limit.sentence() + ") is " + limit.least() + " to "
                    + limit.most() + ", not " + value);
        }
        Map<DatagramLimit, Long> changed = new EnumMap<>(values);
        changed.put(limit, value);
        return new DatagramSettings(changed);
    }

    /** {@return bytes of the longest message, for a group or for a single peer} */
    long longestMessage(boolean group) {
        long limit = get(DatagramLimit.MAX_MESSAGE);
        return group ? Math.min(limit, get(DatagramLimit.MAX_GROUP_MESSAGE)) : limit;
    }

    /** {@return the time limit for a message to arrive, T_max of datagram-iWARP §14, in nanoseconds} */
    long messageNanos(long octets) {
        return paced(octets, DatagramLimit.MESSAGE_NANOS, DatagramLimit.MESSAGE_PACE);
    }

    /** {@return the time limit for a Read Response, in nanoseconds} */
    long readNanos(long octets) {
        return paced(octets, DatagramLimit.READ_NANOS, DatagramLimit.READ_PACE);
    }

    private long paced(long octets, DatagramLimit base, DatagramLimit pace) {
        // At most 2^32 bytes and 10^9 a second: no overflow.
        return get(base) + octets * SECOND / get(pace);
    }
}
