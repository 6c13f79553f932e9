package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.UpperLayer;
import java.util.Locale;

/** The limits of a datagram endpoint (datagram-iWARP §13, §14; DG-13-5): sizes, numbers, times; defaults and ranges. */
public enum DatagramLimit {
    MAX_MESSAGE(16L << 20, 256, (1L << 32) - 1, "bytes of the longest message sent or taken"),
    MAX_GROUP_MESSAGE(64L << 10, 256, (1L << 32) - 1, "bytes of the longest message to or from a group"),
    /**
     * Maximum number of half received messages of several datagrams; the same number of sent messages is remembered.
     */
    RECORDS(1_024, 16, 65_536, "messages that may be half received at a time"),
    RECORDS_PER_SOURCE(64, 1, 65_536, "messages of one source that may be half received at a time"),
    STRANGERS_PERCENT(
            25, 1, 100, "percent of what half received messages may hold for sources without a proved address"),
    RECEIVES_PERCENT(
            50,
            1,
            100,
            "percent of the receive queue, or of its share of a shared one, that half received Sends may hold, at"
                    + " least one receive"),
    RECEIVES_PER_SOURCE(8, 1, 65_536, "posted receives that half received Sends of one source may hold"),
    BITMAP_MEMORY(1L << 20, 64L << 10, 64L << 20, "bytes for the bits that say which parts of messages arrived"),
    WRITE_RECORD_LOG(1_024, 1, 1 << 20, "Write-Record completions that wait for a place in the completion queue"),
    OUTSTANDING_READS(256, 1, 65_536, "RDMA Reads that may be unanswered at a time"),
    READ_JOBS(1_024, 1, 65_536, "RDMA Reads of peers that may be unanswered at a time"),
    READ_JOBS_PER_SOURCE(128, 1, 65_536, "RDMA Reads of one source that may be unanswered at a time"),
    MAX_READ(1L << 20, 0, (1L << 32) - 1, "bytes of the longest RDMA Read of a peer that is answered"),
    RELIABLE_READS(64, 1, 65_536, "RDMA Reads to one reliable peer that may be unanswered at a time"),
    IDLE_NANOS(100_000_000L, 1_000_000L, 60_000_000_000L, "nanoseconds a message waits for its next datagram"),
    MESSAGE_NANOS(1_000_000_000L, 1_000_000L, 3_600_000_000_000L, "nanoseconds any message may take to arrive"),
    MESSAGE_PACE(1_000_000L, 1, Long.MAX_VALUE, "bytes a second at which longer messages may arrive"),
    READ_NANOS(1_000_000_000L, 1_000_000L, 3_600_000_000_000L, "nanoseconds any RDMA Read waits for its answer"),
    READ_PACE(1_000_000L, 1, Long.MAX_VALUE, "bytes a second at which longer answers may arrive"),
    SEGMENTS_PER_TURN(
            64, 1, 65_536, "datagrams of 1500 bytes, or bytes of as many, to one peer before another gets its turn"),
    WEIGHT(
            1,
            1,
            UpperLayer.HEAVIEST,
            "its share of what its port sends, in bytes, where that is not enough for all: so many times that of a"
                    + " queue pair with weight 1"),
    ANSWER_MTU(
            1_500, 0, 65_535, "bytes of the IP packets in which Reads are answered; 0 to find out what the path takes"),
    REPORT_INCOMPLETE(0, 0, 1, "1 to complete the receive of a Send that did not arrive in full, 0 to use it again"),
    PAD(
            1,
            0,
            1,
            "1 to pad the last datagram of a message if more is queued, by up to a quarter of it or an eighth of the"
                    + " message; 0 never to pad");

    private final long defaultValue;
    private final long least;
    private final long most;
    private final String sentence;

    DatagramLimit(long defaultValue, long least, long most, String sentence) {
        this.defaultValue = defaultValue;
        this.least = least;
        this.most = most;
        this.sentence = sentence;
    }

    /** {@return whether the limit is a size or a number; otherwise it is a time, a pace or a choice} */
    public boolean isSize() {
        return switch (this) {
            case IDLE_NANOS,
                    MESSAGE_NANOS,
                    MESSAGE_PACE,
                    READ_NANOS,
                    READ_PACE,
                    SEGMENTS_PER_TURN,
                    WEIGHT,
                    ANSWER_MTU,
                    REPORT_INCOMPLETE,
                    PAD -> false;
            default -> true;
        };
    }

    /** {@return the default value} */
    public long defaultValue() {
        return defaultValue;
    }

    /** {@return the smallest value} */
    public long least() {
        return least;
    }

    /** {@return the largest value} */
    public long most() {
        return most;
    }

    /** {@return the description of the limit, without a full stop} */
    public String sentence() {
        return sentence;
    }

    /** {@return the name of the limit in settings, such as {@code max-message}} */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
