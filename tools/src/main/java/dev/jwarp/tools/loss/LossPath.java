package dev.jwarp.tools.loss;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What lies between the ends of a trial.
 *
 * @param loss the share of datagrams that is to be lost, 0 to 1, in each direction
 * @param rttMillis what a round trip takes longer by, half of it each way; null for the path as it is
 * @param bottleneck null for none
 */
record LossPath(
        double loss, @Nullable Double rttMillis, @Nullable Bottleneck bottleneck) {
    /** {@return milliseconds that every packet takes longer, one way} */
    double delayMillis() {
        return rttMillis == null ? 0 : rttMillis / 2;
    }

    /** {@return what a round trip takes longer by at most, milliseconds: with full queues} */
    long waitMillis() {
        double queues = bottleneck == null ? 0 : 2 * bottleneck.drainMillis(2 * delayMillis());
        return (long) Math.ceil(2 * delayMillis() + queues);
    }

    /** {@return what it is beside the loss, for people; empty if it is nothing} */
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
