package dev.jwarp.benchmarks.compare;

import java.util.Locale;

/**
 * The goal of a figure.
 *
 * @param relation how the figure is compared
 * @param value the value to compare with
 */
record Bound(Relation relation, double value) {
    enum Relation {
        AT_LEAST("≥"),
        AT_MOST("≤"),
        BELOW("<"),
        /** There is no goal; the value, if any, is the published one. */
        REPORT("");

        final String sign;

        Relation(String sign) {
            this.sign = sign;
        }
    }

    static final Bound REPORT = new Bound(Relation.REPORT, 0);

    static Bound atLeast(double value) {
        return new Bound(Relation.AT_LEAST, value);
    }

    static Bound atMost(double value) {
        return new Bound(Relation.AT_MOST, value);
    }

    static Bound below(double value) {
        return new Bound(Relation.BELOW, value);
    }

    static Bound published(double value) {
        return new Bound(Relation.REPORT, value);
    }

    /** {@return {@code met}, {@code not met} or {@code report}} */
    String verdict(double figure) {
        boolean met =
                switch (relation) {
                    case AT_LEAST -> figure >= value;
                    case AT_MOST -> figure <= value;
                    case BELOW -> figure < value;
                    case REPORT -> true;
                };
        return relation == Relation.REPORT ? "report" : met ? "met" : "not met";
    }

    String text() {
        if (relation == Relation.REPORT) {
            return value == 0 ? "–" : "(published " + number(value) + ")";
        }
        return relation.sign + " " + number(value);
    }

    private static String number(double value) {
        return value == Math.rint(value) && value >= 10
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.2f", value);
    }
}
