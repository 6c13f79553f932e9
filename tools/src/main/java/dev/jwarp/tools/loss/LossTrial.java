package dev.jwarp.tools.loss;

import java.util.Map;

/**
 * One line of the experiment: what is to be sent, and through what.
 *
 * @param service how
 * @param loss the share of datagrams that is to be lost, 0 to 1
 * @param size bytes of a message, at least 1
 * @param messages how many at most
 * @param window messages under way at a time
 * @param mtu bytes of IP packets
 * @param idleMillis how long a message that has come in part waits for the rest, and how long a Read waits
 * @param limitMillis after this much nothing more is posted, see also {@link #graceMillis}
 * @param settings for the contexts of both ends
 */
record LossTrial(
        Service service,
        double loss,
        int size,
        int messages,
        int window,
        int mtu,
        int idleMillis,
        long limitMillis,
        Map<String, String> settings) {
    /** Bytes of all messages at most: each has a place of its own. */
    static final int MEMORY = 32 << 20;

    private static final int WARM_UP = 100;
    private static final int MOST_WORK_REQUESTS = 1_024;
    /** More than the headers below and above UDP; the exact number is not needed. */
    private static final int HEADERS = 100;

    private static final long LEAST_GRACE_MILLIS = 2_000;

    /** {@return the same with other settings} */
    LossTrial with(Map<String, String> others) {
        return new LossTrial(service, loss, size, messages, window, mtu, idleMillis, limitMillis, others);
    }

    /** {@return the same with few messages, to be thrown away} */
    LossTrial warmUp() {
        int few = Math.min(messages, WARM_UP);
        return new LossTrial(service, loss, size, few, window, mtu, idleMillis, limitMillis, settings);
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
}
