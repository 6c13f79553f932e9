package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.ToolFailure;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bottleneck of a path, the same in both directions: a rate behind a queue, which drops the packets that exceed its
 * length.
 *
 * @param text of the command line
 * @param bitsPerSecond of IP packets
 * @param queue length, in bytes or in bandwidth-delay products
 * @param products whether the queue is counted in bandwidth-delay products
 */
record Bottleneck(String text, long bitsPerSecond, double queue, boolean products) {
    private static final Pattern RATE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([KMG]?)");
    private static final Pattern PRODUCTS = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)X");
    private static final String MEANING =
            "write it as RATE or RATE,QUEUE: 20M,64K is 20 Mbit/s with a queue of 64 KiB, 20M,0.5x one of half a"
                    + " bandwidth-delay product";
    private static final long SLOWEST = 100_000;
    private static final long FASTEST = 10_000_000_000L;
    private static final double MOST_PRODUCTS = 100;
    private static final long MOST_QUEUE = 1 << 30;
    /** Least queue: a shorter one drops the second of two packets that arrive together. */
    private static final int LEAST_PACKETS = 3;

    private static final int PACKET = 1_500;

    /** {@return the bottleneck that {@code 20M}, {@code 20M,64K} or {@code 20M,0.5x} describes} */
    static Bottleneck of(String text) {
        String[] parts = text.strip().toUpperCase(Locale.ROOT).split(",", -1);
        String queue = parts.length == 1 ? "1X" : parts[1].strip();
        if (parts.length > 2) {
            throw refused(text, "has more than one comma");
        }
        long rate = rate(text, parts[0].strip());
        Matcher products = PRODUCTS.matcher(queue);
        if (products.matches()) {
            double many = Double.parseDouble(products.group(1));
            if (many > MOST_PRODUCTS) {
                throw refused(text, "has a queue of more than 100 bandwidth-delay products");
            }
            return new Bottleneck(text.strip(), rate, many, true);
        }
        try {
            long bytes = Quantities.bytes(queue);
            if (bytes <= MOST_QUEUE) {
                return new Bottleneck(text.strip(), rate, bytes, false);
            }
        } catch (NumberFormatException e) {
            throw refused(text, "has a queue that cannot be parsed");
        }
        throw refused(text, "has a queue of more than 1G");
    }

    private static long rate(String text, String rate) {
        Matcher matcher = RATE.matcher(rate);
        if (!matcher.matches()) {
            throw refused(text, "has a rate that cannot be parsed");
        }
        double unit = Math.pow(1000, " KMG".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2)));
        double bits = Double.parseDouble(matcher.group(1)) * unit;
        if (bits < SLOWEST || bits > FASTEST) {
            throw refused(text, "has a rate out of range, 100K to 10G bits a second");
        }
        return Math.round(bits);
    }

    private static ToolFailure refused(String text, String why) {
        return ToolFailure.usage("--bottleneck " + text + " " + why, MEANING);
    }

    /** {@return the most bytes in the queue and on the wire; at least three packets} */
    long queueBytes(double rttMillis) {
        double bytes = products ? queue * bitsPerSecond / 8 * rttMillis / 1000 : queue;
        return Math.max(LEAST_PACKETS * PACKET, Math.round(bytes));
    }

    /** {@return milliseconds in which a full queue drains} */
    double drainMillis(double rttMillis) {
        return queueBytes(rttMillis) * 8e3 / bitsPerSecond;
    }
}
