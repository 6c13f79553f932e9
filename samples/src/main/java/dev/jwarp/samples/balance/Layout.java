package dev.jwarp.samples.balance;

/**
 * Which service each of 12 servers has: one word, so that a compare-and-swap changes it. The upper 16 bits count the
 * changes.
 *
 * @param word the word
 */
public record Layout(long word) {
    /** Number of servers. */
    public static final int SERVERS = 12;

    private static final int BITS = 4;
    private static final int MASK = (1 << BITS) - 1;
    private static final int CHANGES_AT = SERVERS * BITS;

    /**
     * {@return a layout}
     *
     * @param services the service of each server, 0 to 15
     */
    public static Layout of(int... services) {
        long word = 0;
        for (int server = 0; server < SERVERS; server++) {
            word |= (long) services[server] << (server * BITS);
        }
        return new Layout(word);
    }

    /** {@return the service of a server} */
    public int service(int server) {
        return (int) (word >>> (server * BITS)) & MASK;
    }

    /** {@return how many servers a service has} */
    public int servers(int service) {
        int found = 0;
        for (int server = 0; server < SERVERS; server++) {
            found += service(server) == service ? 1 : 0;
        }
        return found;
    }

    /** {@return how often a server was moved, modulo 2^16} */
    public int changes() {
        return (int) (word >>> CHANGES_AT);
    }

    /** {@return the layout after a server was moved} */
    Layout moved(int server, int to) {
        long bits = (long) (service(server) ^ to) << (server * BITS);
        return new Layout((word ^ bits) + (1L << CHANGES_AT));
    }
}
