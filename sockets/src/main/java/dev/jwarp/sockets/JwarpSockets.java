package dev.jwarp.sockets;

import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Channels over RDMA in a program that has others too. Threads: any. */
public final class JwarpSockets {
    private static final JwarpSelectorProvider PROVIDER = new JwarpSelectorProvider();

    private JwarpSockets() {}

    /** {@return what opens them, for libraries that take a provider} */
    public static JwarpSelectorProvider provider() {
        return PROVIDER;
    }

    /** {@return a new channel, neither bound nor connected} */
    public static SocketChannel openSocketChannel() {
        return PROVIDER.openSocketChannel();
    }

    /** {@return a new channel to listen with} */
    public static ServerSocketChannel openServerSocketChannel() {
        return PROVIDER.openServerSocketChannel();
    }

    /** {@return a new selector, of channels of the JDK too} */
    public static Selector openSelector() {
        return PROVIDER.openSelector();
    }
}
