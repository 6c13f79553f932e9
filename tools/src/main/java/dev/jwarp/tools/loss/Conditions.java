package dev.jwarp.tools.loss;

import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * Under what a trial ran, as far as the trial itself does not say it.
 *
 * @param reached whether the path's faults could act on it
 * @param load processes that wanted a processor when it began, on average of a minute; null where that is not known
 * @param remark what else there is to be said
 */
record Conditions(boolean reached, @Nullable Double load, String remark) {
    /** {@return those of a trial that begins now} */
    static Conditions now(boolean reached, String remark) {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return new Conditions(reached, load < 0 ? null : load, remark);
    }
}
