package dev.jwarp.tools.loss;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The path between the ends of a trial.
 *
 * @param loss the share of datagrams to lose, 0 to 1, in each direction
 * @param rttMillis added to each round trip, half of it in each direction; null for none
 * @param bottleneck null for none
 */
record LossPath(
        double loss, @Nullable Double rttMillis, @Nullable Bottleneck bottleneck) {
    /** {@return milliseconds that are added in one direction} */
    double delayMillis() {
        return rttMillis == null ? 0 : rttMillis / 2;
    }

    /** {@return the most milliseconds that are added to a round trip: with full queues} */
    long waitMillis() {
        double queues = bottleneck == null ? 0 : 2 * bottleneck.drainMillis(2 * delayMillis());
        return (long) Math.ceil(2 * delayMillis() + queues);
    }

    /** {@return round trip and bottleneck, for people; empty if there is neither} */
    static String text(@Nullable Double rttMillis, @Nullable String bottleneck) {
        StringJoiner text = new StringJoiner(", ");
        if (rttMillis != null) {
            text.add("round trip " + LossReport.percent(rttMillis) + " ms");
        }
        if (bottleneck != null) {
            text.add("bottleneck " + bottleneck);
        }
        return text.toString();
    }
}
