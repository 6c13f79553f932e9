package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.CreditSetUp;
import dev.jwarp.sockets.connection.StreamSetUp;
import dev.jwarp.sockets.datagram.DatagramEnd;
import dev.jwarp.sockets.stream.CreditEngine;
import dev.jwarp.sockets.stream.StreamProtocol;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Options of one channel. Thread: guarded by itself. */
final class StreamOptions {
    /** A receive or send buffer is no larger. */
    private static final int LARGEST = 1 << 28;

    private static final int LEAST = 1 << 12;
    private static final int MOST_MAPS = 8192;

    private final JdkOptions jdk;
    private final Map<SocketOption<?>, Object> values = new HashMap<>();
    private volatile @Nullable Duration answer;

    /**
     * The options of a new channel.
     *
     * @param jdk those of the JDK's channels of that kind, which a program may set here, too
     */
    StreamOptions(JdkOptions jdk) {
        this.jdk = jdk;
        values.put(StandardSocketOptions.SO_RCVBUF, StreamSetUp.DEFAULT.receiveBytes());
        values.put(StandardSocketOptions.SO_SNDBUF, StreamSetUp.DEFAULT.sendBytes());
        values.put(StandardSocketOptions.SO_KEEPALIVE, false);
        values.put(StandardSocketOptions.SO_LINGER, -1);
        values.put(StandardSocketOptions.TCP_NODELAY, true);
        values.put(StandardSocketOptions.SO_BROADCAST, false);
        values.put(StandardSocketOptions.IP_MULTICAST_TTL, 1);
        values.put(StandardSocketOptions.IP_MULTICAST_LOOP, true);
        values.put(JwarpSocketOptions.MAP_SIZE, 0);
        values.put(JwarpSocketOptions.PROTOCOL, StreamSetUp.DEFAULT.protocol());
        values.put(JwarpSocketOptions.CREDITS, CreditSetUp.DEFAULT.credits());
        values.put(JwarpSocketOptions.COPY_BYTES, CreditSetUp.DEFAULT.copyBytes());
        values.put(JwarpSocketOptions.ZERO_COPY_BYTES, CreditSetUp.DEFAULT.directBytes());
        values.put(JwarpSocketOptions.MESSAGES, CreditSetUp.DEFAULT.messages());
        values.put(JwarpSocketOptions.BOTH_WRITE_BYTES, CreditSetUp.DEFAULT.mostKept());
    }

    /** {@return the same options, for a channel that was accepted} */
    StreamOptions accepted() {
        return copy(JdkOptions.OF_CONNECTIONS);
    }

    /** {@return the same options} */
    StreamOptions copy() {
        return copy(jdk);
    }

    private StreamOptions copy(JdkOptions of) {
        StreamOptions copy = new StreamOptions(of);
        synchronized (values) {
            copy.values.putAll(values);
        }
        return copy;
    }

    /** Which of these say how datagrams to groups leave. */
    static final Set<SocketOption<?>> OF_GROUPS = Set.of(
            StandardSocketOptions.IP_MULTICAST_IF,
            StandardSocketOptions.IP_MULTICAST_TTL,
            StandardSocketOptions.IP_MULTICAST_LOOP);

    /** {@return these options of jwarp's, and those of the JDK} */
    Set<SocketOption<?>> supported() {
        return jdk.supported();
    }

    /** @throws UnsupportedOperationException if a channel of this kind does not have the option */
    void check(SocketOption<?> name) {
        if (!supported().contains(Objects.requireNonNull(name, "name"))) {
            throw new UnsupportedOperationException(name + " is no option of this channel of RDMA: " + supported());
        }
    }

    /**
     * Sets one. What jwarp has no use for is kept, for a program that asks, and for TCP or UDP where that carries the data in the end.
     *
     * @throws IllegalArgumentException if it cannot have that value
     */
    <T> void set(SocketOption<T> option, T value) throws IOException {
        if (!JwarpSocketOptions.has(option)) {
            jdk.check(option, value);
        }
        Object kept = value;
        if (option == StandardSocketOptions.SO_LINGER) {
            kept = Math.max(-1, Math.min((Integer) value, 0xFFFF));
        } else if (option == JwarpSocketOptions.MAP_SIZE) {
            checkWithin(option, (Integer) value, 0, MOST_MAPS);
        } else if (option == JwarpSocketOptions.COPY_BYTES || option == JwarpSocketOptions.ZERO_COPY_BYTES) {
            checkWithin(option, (Integer) value, 0, Integer.MAX_VALUE);
        } else if (option == JwarpSocketOptions.BOTH_WRITE_BYTES) {
            checkWithin(option, (Integer) value, -1, Integer.MAX_VALUE);
        } else if (option == JwarpSocketOptions.CREDITS) {
            checkWithin(option, (Integer) value, CreditEngine.LEAST_CREDITS, CreditEngine.MOST_CREDITS);
        }
        synchronized (values) {
            values.put(option, kept);
        }
    }

    private static void checkWithin(SocketOption<?> option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + least + " to " + most + ", not " + value);
        }
    }

    /** {@return its value; null: it is MODE or IP_MULTICAST_IF, and was not set} */
    <T> @Nullable T find(SocketOption<T> option) {
        synchronized (values) {
            return option.type().cast(values.get(option));
        }
    }

    /** {@return as {@link #find}, or else the first value that the JDK has} */
    <T> @Nullable T tell(SocketOption<T> option) throws IOException {
        T known = find(option);
        return known != null ? known : option.type().cast(jdk.first(option));
    }

    /** {@return what carries the stream: what the program has set, or else {@code rules} say} */
    SocketMode mode(Supplier<SocketMode> rules) {
        SocketMode set = find(JwarpSocketOptions.MODE);
        return set == null ? rules.get() : set;
    }

    private <T> T get(SocketOption<T> option) {
        return Objects.requireNonNull(find(option));
    }

    /** {@return whether an address can be had that was another one's not long ago} */
    boolean reuse() throws IOException {
        return Boolean.TRUE.equals(tell(StandardSocketOptions.SO_REUSEADDR));
    }

    /** {@return whether small writes may wait for others} */
    boolean combine() {
        return !get(StandardSocketOptions.TCP_NODELAY);
    }

    /** {@return how long a close waits in seconds; negative: not at all} */
    int linger() {
        return get(StandardSocketOptions.SO_LINGER);
    }

    /** {@return bytes that can wait to be read} */
    int receiveBytes() {
        return usable(get(StandardSocketOptions.SO_RCVBUF));
    }

    /** {@return bytes that can wait to be sent} */
    int sendBytes() {
        return usable(get(StandardSocketOptions.SO_SNDBUF));
    }

    /** {@return the size of a buffer that is nearest to the size that was asked for} The option keeps the value that was set, as a system does. */
    private static int usable(int asked) {
        return Math.max(LEAST, Math.min(LARGEST, asked)) & ~1;
    }

    /** Has a socket send to groups as they say. */
    void sendToGroups(DatagramEnd through) throws IOException {
        through.sendToGroups(
                find(StandardSocketOptions.IP_MULTICAST_IF),
                get(StandardSocketOptions.IP_MULTICAST_TTL),
                get(StandardSocketOptions.IP_MULTICAST_LOOP));
    }

    /** The peer has that time to answer, of a channel that connects; without this call as long as any. */
    void answeredWithin(Duration limit) {
        answer = limit;
    }

    /** {@return what a stream is set up with} */
    StreamSetUp settings() {
        CreditSetUp credit = new CreditSetUp(
                get(JwarpSocketOptions.CREDITS),
                get(JwarpSocketOptions.COPY_BYTES),
                get(JwarpSocketOptions.ZERO_COPY_BYTES),
                messages(),
                get(JwarpSocketOptions.BOTH_WRITE_BYTES));
        StreamSetUp setUp = StreamSetUp.of(receiveBytes(), sendBytes(), get(StandardSocketOptions.SO_KEEPALIVE))
                .withMaps(get(JwarpSocketOptions.MAP_SIZE))
                .withProtocol(get(JwarpSocketOptions.PROTOCOL), credit);
        Duration limit = answer;
        return limit == null ? setUp : setUp.answeredWithin(limit);
    }

    /** {@return whether a write is a message, whose end the reader sees} */
    boolean messages() {
        return get(JwarpSocketOptions.MESSAGES);
    }

    /** @throws IOException if what carries the stream cannot do what its options ask for */
    void check(SocketMode mode) throws IOException {
        if (messages() && (mode != SocketMode.RDMA || get(JwarpSocketOptions.PROTOCOL) != StreamProtocol.CREDITS)) {
            throw new IOException(
                    "with the option MESSAGES a stream has to be of RDMA, and of the protocol CREDITS; here MODE is "
                            + mode + ", PROTOCOL " + get(JwarpSocketOptions.PROTOCOL));
        }
    }
}
