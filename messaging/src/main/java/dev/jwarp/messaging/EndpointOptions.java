package dev.jwarp.messaging;

import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.List;

/**
 * How an endpoint is made; start with {@link #of}.
 *
 * @param service service id, 1 to 65,535; 0 for a random one from 32,768 on that no other endpoint has announced
 * @param carriers types of queue pair, the preferred one first; a peer gets the first that both sides have
 * @param maxShort longest short message in bytes, 1 to 16,384. With 1,400 a message fits one datagram of Ethernet.
 * @param receives receives for short messages, for each of connections, UD and RD. One half is for replies: so many
 *     calls can wait at a time, a quarter of them for one peer.
 * @param window short messages that a peer may have sent before the program has closed them, 1 to 16,384. Over
 *     connections {@code receives} / 2 / ({@code window} + 8) peers fit.
 * @param memory most bytes of the {@link BufferPool}
 * @param timeout how long a peer may stay silent while this side waits for it, and how long a send waits for room
 * @param idle a conversation that is not used for this long ends, after up to twice the time; zero for never
 * @param trackBuffers whether the pool remembers who took each buffer; costs a stack trace for each
 */
public record EndpointOptions(
        int service,
        List<QueuePairType> carriers,
        int maxShort,
        int receives,
        int window,
        long memory,
        Duration timeout,
        Duration idle,
        boolean trackBuffers) {
    private static final int HIGHEST_SERVICE = 0xffff;
    private static final int MOST_SHORT = 16_384;
    private static final EndpointOptions DEFAULT = new EndpointOptions(
            0,
            List.of(QueuePairType.RC, QueuePairType.RD, QueuePairType.UD),
            1_400,
            4_096,
            16,
            256L << 20,
            Duration.ofSeconds(5),
            Duration.ZERO,
            false);

    /**
     * Checks and copies.
     *
     * @param service service id, 1 to 65,535; 0 for a random one
     * @param carriers types of queue pair, the preferred one first
     * @param maxShort longest short message in bytes
     * @param receives receives for short messages
     * @param window short messages that a peer may have sent before the program has closed them
     * @param memory most bytes of the buffer pool
     * @param timeout how long a peer may stay silent
     * @param idle how long a conversation may stay unused; zero for ever
     * @param trackBuffers whether the pool remembers who took each buffer
     */
    public EndpointOptions {
        carriers = List.copyOf(RdmaException.requireArgument(carriers, "carriers"));
        RdmaException.requireArgument(timeout, "timeout");
        RdmaException.requireArgument(idle, "idle");
        check(service >= 0 && service <= HIGHEST_SERVICE, "A service id is 1 to 65535, or 0 for any, not " + service);
        check(!carriers.isEmpty(), "An endpoint has at least one of RC, UD and RD");
        check(maxShort >= 1 && maxShort <= MOST_SHORT, "The longest short message has 1 to 16384 bytes");
        check(window >= 1 && window <= Peer.MOST_WINDOW, "A window is 1 to " + Peer.MOST_WINDOW + ", not " + window);
        check(
                receives / 2 >= ofConnection(window),
                "Half of " + receives + " receives do not hold a window of " + window + " and " + Peer.UNNUMBERED
                        + " frames of the protocol");
        check(memory >= 0, "Memory is not negative");
        check(!timeout.isNegative() && !timeout.isZero(), "A timeout is positive");
        check(!idle.isNegative(), "An idle time is not negative");
    }

    private static int ofConnection(int window) {
        return window + Peer.UNNUMBERED;
    }

    /** {@return the receives of each connection} */
    int receivesOfConnection() {
        return ofConnection(window);
    }

    /** {@return the receives of all connections; there are as many for replies} */
    int halfOfReceives() {
        return receives / 2;
    }

    private static void check(boolean right, String sentence) {
        if (!right) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, sentence + ".");
        }
    }

    /**
     * {@return the defaults: any carrier, 1,400 bytes, 4,096 receives, a window of 16, 256 MiB, 5 s}
     *
     * @param service service id, 1 to 65,535; 0 for a random one
     */
    public static EndpointOptions of(int service) {
        return DEFAULT.withService(service);
    }

    /**
     * {@return the same with that service id}
     *
     * @param id service id, 1 to 65,535; 0 for a random one
     */
    public EndpointOptions withService(int id) {
        return new EndpointOptions(id, carriers, maxShort, receives, window, memory, timeout, idle, trackBuffers);
    }

    /**
     * {@return the same with these types of queue pair}
     *
     * @param types the preferred one first
     */
    public EndpointOptions withCarriers(QueuePairType... types) {
        return new EndpointOptions(
                service, List.of(types), maxShort, receives, window, memory, timeout, idle, trackBuffers);
    }

    /**
     * {@return the same with that longest short message}
     *
     * @param bytes 1 to 16,384
     */
    public EndpointOptions withMaxShort(int bytes) {
        return new EndpointOptions(service, carriers, bytes, receives, window, memory, timeout, idle, trackBuffers);
    }

    /**
     * {@return the same with these receives}
     *
     * @param all receives for all peers together
     * @param each receives that one peer can use
     */
    public EndpointOptions withReceives(int all, int each) {
        return new EndpointOptions(service, carriers, maxShort, all, each, memory, timeout, idle, trackBuffers);
    }

    /**
     * {@return the same with that much memory for long messages}
     *
     * @param bytes most bytes of the pool
     * @param tracked whether the pool remembers who took each buffer
     */
    public EndpointOptions withMemory(long bytes, boolean tracked) {
        return new EndpointOptions(service, carriers, maxShort, receives, window, bytes, timeout, idle, tracked);
    }

    /**
     * {@return the same with that timeout}
     *
     * @param limit positive
     */
    public EndpointOptions withTimeout(Duration limit) {
        return new EndpointOptions(service, carriers, maxShort, receives, window, memory, limit, idle, trackBuffers);
    }

    /**
     * {@return the same with that idle time}
     *
     * @param limit zero for none
     */
    public EndpointOptions withIdle(Duration limit) {
        return new EndpointOptions(service, carriers, maxShort, receives, window, memory, timeout, limit, trackBuffers);
    }
}
