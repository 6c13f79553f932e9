package dev.jwarp.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;

/**
 * Reserves the local address of a channel until its connection uses it: a JDK channel is bound to the address, so that
 * no other program can bind it. Any thread.
 */
final class HeldAddress {
    private @Nullable InetSocketAddress wanted;
    private @Nullable InetSocketAddress bound;
    private @Nullable SocketChannel holder;

    /**
     * Binds a JDK channel. Once.
     *
     * @param where port 0: any
     * @param family of the addresses; null: any
     * @param reuse as {@link StandardSocketOptions#SO_REUSEADDR}
     */
    synchronized void hold(InetSocketAddress where, @Nullable ProtocolFamily family, boolean reuse) throws IOException {
        SelectorProvider jdk = JdkProvider.get();
        SocketChannel channel = family == null ? jdk.openSocketChannel() : jdk.openSocketChannel(family);
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, reuse);
            channel.bind(where);
            bound = (InetSocketAddress) channel.getLocalAddress();
            wanted = where;
            holder = channel;
        } finally {
            if (bound == null) {
                channel.close();
            }
        }
    }

    /** {@return the bound address; null if none was} Another socket can bind it from now on. */
    synchronized @Nullable InetSocketAddress release() throws IOException {
        SocketChannel channel = holder;
        holder = null;
        if (channel != null) {
            channel.close();
        }
        return bound;
    }

    /** {@return the address that is or was bound; null if none} */
    synchronized @Nullable InetSocketAddress bound() {
        return bound;
    }

    /** {@return the address that the program has passed to {@code bind}; null if none} */
    synchronized @Nullable InetSocketAddress wanted() {
        return wanted;
    }
}
