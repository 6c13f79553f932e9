package dev.jwarp.tools.loss;

import java.util.Map;

/**
 * One run of a point of the experiment: what is to be sent, and through what.
 *
 * @param service how
 * @param path what lies between
 * @param size bytes of a message, at least 1
 * @param messages how many at most
 * @param window messages under way at a time
 * @param mtu bytes of IP packets
 * @param idleMillis how long a message that has come in part waits for the rest, and how long a Read waits
 * @param limitMillis after this much nothing more is posted, see also {@link #graceMillis}
 * @param run which of the point's runs it is, from 1
 * @param seed decides which datagrams are lost, where that is decided by us
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
    /** Bytes of all messages at most, at each end: each has a place of its own. */
    static final int MEMORY = 256 << 20;

    private static final int WARM_UP = 100;
    private static final int MOST_WORK_REQUESTS = 1_024;
    /** More than the headers below and above UDP; the exact number is not needed. */
    private static final int HEADERS = 100;

    private static final long LEAST_GRACE_MILLIS = 2_000;
    /** How fast messages may be at least, where nothing limits them: the idle time-out ends them sooner. */
    private static final long RATE = 50_000_000;

    /** {@return the same with other settings} */
    LossTrial with(Map<String, String> others) {
        return new LossTrial(service, path, size, messages, window, mtu, idleMillis, limitMillis, run, seed, others);
    }

    /** {@return the same with few messages, to be thrown away} */
    LossTrial warmUp() {
        int few = Math.min(messages, WARM_UP);
        return new LossTrial(service, path, size, few, window, mtu, idleMillis, limitMillis, run, seed, settings);
    }

    /** {@return after the last posting and so many milliseconds, nothing more is waited for} */
    long graceMillis() {
        return Math.max(limitMillis, Math.max(LEAST_GRACE_MILLIS, 3L * idleMillis));
    }

    /** {@return places of work requests in each queue; so many messages may be under way or half received} */
    int depth() {
        return Math.min(messages, MOST_WORK_REQUESTS);
    }

    /** {@return about how many datagrams a message takes, rather too many} */
    int datagrams() {
        return (size + mtu - HEADERS - 1) / (mtu - HEADERS);
    }

    /** {@return whether a message is lost or comes as a whole} */
    boolean single() {
        return datagrams() == 1;
    }

    /** {@return messages under way of which the target has said nothing yet} */
    int underWay() {
        // Several datagrams over UD: their number is what counts, and messages that come in part take a while to end.
        boolean byDatagrams = service.unreliable() && !service.read() && !single();
        return byDatagrams ? depth() : Math.min(window, depth());
    }

    /** {@return bytes a second that a message makes at least: half of its share of the bottleneck} */
    long rate() {
        Bottleneck narrow = path.bottleneck();
        return narrow == null ? RATE : Math.max(1, Math.min(RATE, narrow.bitsPerSecond() / 8 / (2L * underWay())));
    }

    /** {@return what it is, in a few words} */
    String title() {
        String rest = LossPath.text(
                path.rttMillis(),
                path.bottleneck() == null ? null : path.bottleneck().text());
        return service.title() + ", " + LossReport.size(size) + ", " + LossReport.percent(path.loss() * 100) + " % loss"
                + (rest.isEmpty() ? "" : ", " + rest) + (run > 1 ? ", run " + run : "");
    }
}
