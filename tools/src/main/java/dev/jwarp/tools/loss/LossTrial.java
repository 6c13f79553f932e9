package dev.jwarp.tools.loss;

import java.util.Map;

/**
 * One run of a point of the experiment: the messages and their path.
 *
 * @param service that moves the messages
 * @param path between the ends
 * @param size bytes of a message, at least 1
 * @param messages at most
 * @param window messages in flight at a time
 * @param mtu bytes of IP packets
 * @param idleMillis time-out of a message of which a part has arrived, and of a Read
 * @param limitMillis time in which messages are posted; {@link #graceMillis} follows
 * @param run of the point, from 1
 * @param seed that decides which datagrams are lost, except in the kernel
 * @param settings for the contexts of both ends
 */
record LossTrial(
        Service service,
        LossPath path,
        int size,
        int messages,
        int window,
        int mtu,
        int idleMillis,
        long limitMillis,
        int run,
        long seed,
        Map<String, String> settings) {
    /** The most bytes of all messages at each end: each message has its own memory. */
    static final int MEMORY = 256 << 20;

    private static final int WARM_UP = 100;
    private static final int MOST_WORK_REQUESTS = 1_024;
    /** More than the headers below and above UDP; the exact number is not needed. */
    private static final int HEADERS = 100;

    private static final long LEAST_GRACE_MILLIS = 2_000;
    /** The least rate of a message without a bottleneck, in bytes a second; the idle time-out ends it sooner. */
    private static final long RATE = 50_000_000;

    /** {@return the same with other settings} */
    LossTrial with(Map<String, String> others) {
        return new LossTrial(service, path, size, messages, window, mtu, idleMillis, limitMillis, run, seed, others);
    }

    /** {@return the same with few messages, whose result is discarded} */
    LossTrial warmUp() {
        int few = Math.min(messages, WARM_UP);
        return new LossTrial(service, path, size, few, window, mtu, idleMillis, limitMillis, run, seed, settings);
    }

    /** {@return milliseconds of waiting after the last posting} */
    long graceMillis() {
        return Math.max(limitMillis, Math.max(LEAST_GRACE_MILLIS, 3L * idleMillis));
    }

    /** {@return the depth of each queue: the most messages in flight or received in part} */
    int depth() {
        return Math.min(messages, MOST_WORK_REQUESTS);
    }

    /** {@return the datagrams of a message, rounded up} */
    int datagrams() {
        return (size + mtu - HEADERS - 1) / (mtu - HEADERS);
    }

    /** {@return whether a message is one datagram} */
    boolean single() {
        return datagrams() == 1;
    }

    /** {@return the most messages in flight that the target has not settled} */
    int underWay() {
        // The number of datagrams limits UD messages of several: a message in part takes a time-out to end.
        boolean byDatagrams = service.unreliable() && !service.read() && !single();
        return byDatagrams ? depth() : Math.min(window, depth());
    }

    /** {@return the least rate of a message, in bytes a second: half of its share of the bottleneck} */
    long rate() {
        Bottleneck narrow = path.bottleneck();
        return narrow == null ? RATE : Math.max(1, Math.min(RATE, narrow.bitsPerSecond() / 8 / (2L * underWay())));
    }

    /** {@return a short description} */
    String title() {
        String rest = LossPath.text(
                path.rttMillis(),
                path.bottleneck() == null ? null : path.bottleneck().text());
        return service.title() + ", " + LossReport.size(size) + ", " + LossReport.percent(path.loss() * 100) + " % loss"
                + (rest.isEmpty() ? "" : ", " + rest) + (run > 1 ? ", run " + run : "");
    }
}
