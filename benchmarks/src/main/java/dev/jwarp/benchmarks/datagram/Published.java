package dev.jwarp.benchmarks.datagram;

import dev.jwarp.benchmarks.datagram.Setup.Operation;
import java.util.Locale;

/**
 * What was published of the one earlier prototype of datagram-iWARP, as UD divided by RC: a dissertation gives latencies for
 * small messages, and bandwidths at 1 KiB and 512 KiB.
 */
final class Published {
    private static final int SMALL = 64;
    private static final int SHORT = 1 << 10;
    private static final int LONG = 512 << 10;

    private Published() {}

    /** {@return the ratio for such messages; NaN if there is none} */
    static double ratio(Operation operation, boolean latency, int octets) {
        if (latency) {
            return octets > SMALL
                    ? Double.NaN
                    : switch (operation) {
                        case SEND -> 0.82;
                        case WRITE -> 0.76;
                        case READ -> 0.80;
                    };
        }
        return switch (operation) {
            case SEND -> octets == SHORT ? 2.9 : Double.NaN;
            case WRITE -> octets == SHORT ? 2.9 : octets == LONG ? 3.5 : Double.NaN;
            case READ -> octets == LONG ? 1.76 : Double.NaN;
        };
    }

    /** {@return it and whether {@code ours} is as good, in words; NaN says that it cannot be told} */
    static String verdict(double published, boolean latency, double ours) {
        if (Double.isNaN(published)) {
            return "";
        }
        if (Double.isNaN(ours)) {
            return String.format(Locale.ROOT, "%.2f disturbed", published);
        }
        boolean met = latency ? ours <= published : ours >= published;
        return String.format(Locale.ROOT, "%.2f %s", published, met ? "met" : "not met");
    }
}
