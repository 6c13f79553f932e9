package dev.jwarp.tools.perf.perftest;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The client's results, in five messages of eight bytes each, big-endian. The server answers each with a message whose
 * content has no meaning:
 *
 * <pre>
 *   size (8) · messages (8) · peak (double, 8) · average (double, 8) · millions of messages a second (double, 8)
 * </pre>
 *
 * The messages do not have the unit: it is MiB/s, unless the client was started to report in Gb/s.
 *
 * @param size bytes of a message
 * @param messages number of messages
 * @param peak peak bandwidth; 0 if it was not measured
 * @param average bandwidth of the run
 * @param rate millions of messages a second
 */
public record BandwidthReport(long size, long messages, double peak, double average, double rate) {
    static final int PARTS = 5;
    static final int PART_LENGTH = 8;
    /** Without results; the content of the server's answers. */
    static final BandwidthReport NOTHING = new BandwidthReport(0, 0, 0, 0, 0);

    private static final double MIB = 1 << 20;
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    /**
     * {@return the report of a run, in MiB/s}
     *
     * @param nanos duration of the run
     */
    static BandwidthReport of(int size, long messages, long nanos) {
        double perSecond = messages * NANOS / Math.max(1, nanos);
        return new BandwidthReport(size, messages, 0, perSecond * size / MIB, perSecond / MEGA);
    }

    /** Writes one part, 0 to 4, from index 0 on. */
    void write(ByteBuffer target, int part) {
        target.putLong(
                0,
                switch (part) {
                    case 0 -> size;
                    case 1 -> messages;
                    case 2 -> Double.doubleToRawLongBits(peak);
                    case 3 -> Double.doubleToRawLongBits(average);
                    case 4 -> Double.doubleToRawLongBits(rate);
                    default -> throw new IllegalArgumentException("a report has no part " + part);
                });
    }

    /** {@return the fault of the message, for the user; null if it can be read} */
    static @Nullable String fault(ByteBuffer message, int length) {
        return length == PART_LENGTH ? null : "a figure has " + PART_LENGTH + " bytes, this message has " + length;
    }

    /** {@return the report with one part from a message} The message must have no {@link #fault}. */
    BandwidthReport read(ByteBuffer message, int part) {
        long octets = message.getLong(0);
        double number = Double.longBitsToDouble(octets);
        return switch (part) {
            case 0 -> new BandwidthReport(octets, messages, peak, average, rate);
            case 1 -> new BandwidthReport(size, octets, peak, average, rate);
            case 2 -> new BandwidthReport(size, messages, number, average, rate);
            case 3 -> new BandwidthReport(size, messages, peak, number, rate);
            case 4 -> new BandwidthReport(size, messages, peak, average, number);
            default -> throw new IllegalArgumentException("a report has no part " + part);
        };
    }

    /** {@return whether the figures are plausible for a run} */
    boolean plausible() {
        return size > 0 && messages > 0 && positive(average) && positive(rate);
    }

    private static boolean positive(double figure) {
        return Double.isFinite(figure) && figure > 0;
    }
}
