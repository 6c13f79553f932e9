package dev.jwarp.sockets;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of one kind of channel: names, initial values, allowed values. They come from a JDK channel that is
 * opened for this purpose and stays open, so a process has at most three such channels. Any thread.
 */
final class JdkOptions {
    /** Makes a channel. */
    private interface Maker {
        NetworkChannel make(SelectorProvider jdk) throws IOException;
    }

    private static final Set<SocketOption<?>> OF_STREAMS = Set.of(
            StandardSocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_REUSEADDR,
            JwarpSocketOptions.MODE,
            JwarpSocketOptions.MAP_SIZE,
            JwarpSocketOptions.PROTOCOL,
            JwarpSocketOptions.CREDITS,
            JwarpSocketOptions.COPY_BYTES,
            JwarpSocketOptions.ZERO_COPY_BYTES,
            JwarpSocketOptions.MESSAGES,
            JwarpSocketOptions.BOTH_WRITE_BYTES);

    static final JdkOptions OF_CONNECTIONS = new JdkOptions(
            SelectorProvider::openSocketChannel,
            OF_STREAMS,
            StandardSocketOptions.SO_SNDBUF,
            StandardSocketOptions.SO_KEEPALIVE,
            StandardSocketOptions.SO_LINGER,
            StandardSocketOptions.TCP_NODELAY);
    static final JdkOptions OF_LISTENERS = new JdkOptions(SelectorProvider::openServerSocketChannel, OF_STREAMS);
    static final JdkOptions OF_DATAGRAMS = new JdkOptions(
            SelectorProvider::openDatagramChannel,
            StreamOptions.OF_GROUPS,
            StandardSocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_SNDBUF,
            StandardSocketOptions.SO_REUSEADDR,
            StandardSocketOptions.SO_BROADCAST,
            JwarpSocketOptions.MODE);

    private final Maker maker;
    /** Options that jwarp uses. */
    private final Set<SocketOption<?>> own;

    private final Map<SocketOption<?>, @Nullable Object> first = new HashMap<>();
    private @Nullable NetworkChannel asked;
    private @Nullable Set<SocketOption<?>> all;

    private JdkOptions(Maker maker, Set<SocketOption<?>> some, SocketOption<?>... more) {
        this.maker = maker;
        own = new HashSet<>(some);
        own.addAll(List.of(more));
    }

    /**
     * {@return the options of jwarp's channels of this kind, and of the JDK's} Only the former if no JDK channel can be
     * opened.
     */
    synchronized Set<SocketOption<?>> supported() {
        Set<SocketOption<?>> both = all;
        if (both == null) {
            both = new HashSet<>(own);
            try {
                both.addAll(asked().supportedOptions());
            } catch (IOException e) {
                return both;
            }
            both = Set.copyOf(both);
            all = both;
        }
        return both;
    }

    /** {@return the initial value of an option; null if the JDK has no such option or no value} */
    synchronized @Nullable Object first(SocketOption<?> option) throws IOException {
        asked();
        return first.get(option);
    }

    /**
     * Checks a value as the JDK does.
     *
     * @throws IllegalArgumentException if the option cannot have the value
     * @throws IOException another exception of the JDK
     */
    synchronized <T> void check(SocketOption<T> option, @Nullable T value) throws IOException {
        NetworkChannel channel = asked();
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }

    private NetworkChannel asked() throws IOException {
        NetworkChannel channel = asked;
        if (channel == null) {
            channel = maker.make(JdkProvider.get());
            for (SocketOption<?> option : channel.supportedOptions()) {
                try {
                    first.put(option, channel.getOption(option));
                } catch (SocketException | UnsupportedOperationException e) {
                    first.put(option, null); // the option is for another address family or another kernel
                }
            }
            asked = channel;
        }
        return channel;
    }
}
