package dev.jwarp.sockets;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of one kind of JDK channel: names, first values, allowed values. A JDK channel that is opened for these questions answers them. This channel stays open, so
 * a process has at most three of them. Any thread.
 */
final class JdkOptions {
    /** Makes a channel. */
    private interface Maker {
        NetworkChannel make(SelectorProvider jdk) throws IOException;
    }

    static final JdkOptions OF_CONNECTIONS = new JdkOptions(SelectorProvider::openSocketChannel);
    static final JdkOptions OF_LISTENERS = new JdkOptions(SelectorProvider::openServerSocketChannel);
    static final JdkOptions OF_DATAGRAMS = new JdkOptions(SelectorProvider::openDatagramChannel);

    private final Maker maker;
    private final Map<SocketOption<?>, @Nullable Object> first = new HashMap<>();
    private @Nullable NetworkChannel asked;
    private @Nullable Set<SocketOption<?>> all;

    private JdkOptions(Maker maker) {
        this.maker = maker;
    }

    /** {@return these options, and others, which are the same each time} */
    synchronized Set<SocketOption<?>> and(Set<SocketOption<?>> others) throws IOException {
        Set<SocketOption<?>> both = all;
        if (both == null) {
            both = new HashSet<>(others);
            both.addAll(asked().supportedOptions());
            both = Set.copyOf(both);
            all = both;
        }
        return both;
    }

    /** {@return the value of an option that was not set; null: the JDK has none, or says none} */
    synchronized @Nullable Object first(SocketOption<?> option) throws IOException {
        asked();
        return first.get(option);
    }

    /**
     * Checks a value as the JDK does.
     *
     * @throws IllegalArgumentException if the option cannot have it; or what else the JDK throws
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
                    first.put(option, null); // of another family, or of another kernel
                }
            }
            asked = channel;
        }
        return channel;
    }
}
