package dev.jwarp.sockets;

import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import java.util.LinkedHashMap;
import java.util.Map;

/** Options that a program has set on a channel, for a JDK channel that may be opened beneath it. Any thread. */
final class KeptOptions {
    private final Map<SocketOption<?>, Object> kept = new LinkedHashMap<>();

    synchronized void keep(SocketOption<?> name, Object value) {
        kept.put(name, value);
    }

    /** {@return the channel, which has the blocking mode of the channel above it, and the options that it supports} The channel is closed if an option cannot be set. */
    synchronized <C extends SelectableChannel & NetworkChannel> C giveTo(C channel, boolean blocking)
            throws IOException {
        try {
            channel.configureBlocking(blocking);
            for (Map.Entry<SocketOption<?>, Object> option : kept.entrySet()) {
                give(channel, option.getKey(), option.getValue());
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static <T> void give(NetworkChannel to, SocketOption<T> option, Object value) throws IOException {
        if (to.supportedOptions().contains(option)) {
            to.setOption(option, option.type().cast(value));
        }
    }
}
