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
    /** The largest receive or send buffer in bytes. */
    private static final int LARGEST = 1 << 28;

    private static final int LEAST = 1 << 12;
    private static final int MOST_MAPS = 8192;

    private final JdkOptions jdk;
    private final Map<SocketOption<?>, Object> values = new HashMap<>();
    private volatile @Nullable Duration answer;

    /**
     * The options of a new channel.
     *
     * @param jdk options of the JDK's channels of that kind, which a program may set here, too
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
        values.put(JwarpSocketOptions.COPY_BYTES, StreamSetUp.DEFAULT.copyBytes());
        values.put(JwarpSocketOptions.ZERO_COPY_BYTES, CreditSetUp.DEFAULT.directBytes());
        values.put(JwarpSocketOptions.MESSAGES, CreditSetUp.DEFAULT.messages());
        values.put(JwarpSocketOptions.BOTH_WRITE_BYTES, CreditSetUp.DEFAULT.mostKept());
    }

    /** {@return a copy of these options for an accepted channel} */
    StreamOptions accepted() {
        return copy(JdkOptions.OF_CONNECTIONS);
    }

    /** {@return a copy of these options} */
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

    /** Options that control how datagrams to multicast groups are sent. */
    static final Set<SocketOption<?>> OF_GROUPS = Set.of(
            StandardSocketOptions.IP_MULTICAST_IF,
            StandardSocketOptions.IP_MULTICAST_TTL,
            StandardSocketOptions.IP_MULTICAST_LOOP);

    /** {@return the options that this channel has: those of jwarp and those of the JDK} */
    Set<SocketOption<?>> supported() {
        return jdk.supported();
    }

    /** @throws UnsupportedOperationException if a channel of this kind does not have the option */
    void check(SocketOption<?> name) {
        if (!supported().contains(Objects.requireNonNull(name, "name"))) {
            throw new UnsupportedOperationException(
                    name + " is not an option of this RDMA channel; its options are " + supported());
        }
    }

    /**
     * Sets an option. A value that jwarp does not use is kept: the program can read it back, and a TCP or UDP channel
     * that carries the data in the end gets it.
     *
     * @throws IllegalArgumentException if the option cannot have that value
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

    /** {@return the value of the option; null: the option is MODE or IP_MULTICAST_IF and was not set} */
    <T> @Nullable T find(SocketOption<T> option) {
        synchronized (values) {
            return option.type().cast(values.get(option));
        }
    }

    /** {@return the value that {@link #find} returns, or else the default of the JDK} */
    <T> @Nullable T tell(SocketOption<T> option) throws IOException {
        T known = find(option);
        return known != null ? known : option.type().cast(jdk.first(option));
    }

    /** {@return what carries the stream: the MODE that the program has set, or else the mode of {@code rules}} */
    SocketMode mode(Supplier<SocketMode> rules) {
        SocketMode set = find(JwarpSocketOptions.MODE);
        return set == null ? rules.get() : set;
    }

    private <T> T get(SocketOption<T> option) {
        return Objects.requireNonNull(find(option));
    }

    /** {@return whether an address that another socket used recently can be bound} */
    boolean reuse() throws IOException {
        return Boolean.TRUE.equals(tell(StandardSocketOptions.SO_REUSEADDR));
    }

    /** {@return whether small writes may wait for others} */
    boolean combine() {
        return !get(StandardSocketOptions.TCP_NODELAY);
    }

    /** {@return seconds that a close waits; negative: a close does not wait} */
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

    /** {@return the possible buffer size nearest to the requested one} The option keeps the value that was set. */
    private static int usable(int asked) {
        return Math.max(LEAST, Math.min(LARGEST, asked)) & ~1;
    }

    /** Applies the multicast options to a socket. */
    void sendToGroups(DatagramEnd through) throws IOException {
        through.sendToGroups(
                find(StandardSocketOptions.IP_MULTICAST_IF),
                get(StandardSocketOptions.IP_MULTICAST_TTL),
                get(StandardSocketOptions.IP_MULTICAST_LOOP));
    }

    /** Limits the time in which the peer of a connecting channel must answer; without this call the default holds. */
    void answeredWithin(Duration limit) {
        answer = limit;
    }

    /** {@return the settings of a new stream} */
    StreamSetUp settings() {
        CreditSetUp credit = new CreditSetUp(
                get(JwarpSocketOptions.CREDITS),
                get(JwarpSocketOptions.ZERO_COPY_BYTES),
                messages(),
                get(JwarpSocketOptions.BOTH_WRITE_BYTES));
        StreamSetUp setUp = StreamSetUp.of(receiveBytes(), sendBytes(), get(StandardSocketOptions.SO_KEEPALIVE))
                .withCopyBytes(get(JwarpSocketOptions.COPY_BYTES))
                .withMaps(get(JwarpSocketOptions.MAP_SIZE))
                .withProtocol(get(JwarpSocketOptions.PROTOCOL), credit);
        Duration limit = answer;
        return limit == null ? setUp : setUp.answeredWithin(limit);
    }

    /** {@return whether a write is a message, whose end the reader sees} */
    boolean messages() {
        return get(JwarpSocketOptions.MESSAGES);
    }

    /** @throws IOException if the options need another mode or protocol */
    void check(SocketMode mode) throws IOException {
        if (messages() && (mode != SocketMode.RDMA || get(JwarpSocketOptions.PROTOCOL) != StreamProtocol.CREDITS)) {
            throw new IOException("the option MESSAGES needs MODE RDMA and PROTOCOL CREDITS; here MODE is " + mode
                    + ", PROTOCOL " + get(JwarpSocketOptions.PROTOCOL));
        }
    }
}
