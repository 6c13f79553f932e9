package dev.jwarp.sockets;

import java.net.SocketOption;

/** Options of jwarp's channels beside those of the JDK. */
public final class JwarpSocketOptions {
    /** What carries the stream of this channel, whatever the rules say; to be set before the channel is bound or connected. */
    public static final SocketOption<SocketMode> MODE = new Option<>("MODE", SocketMode.class);

    private JwarpSocketOptions() {}

    private record Option<T>(String name, Class<T> type) implements SocketOption<T> {
        @Override
        public String toString() {
            return "jwarp." + name;
        }
    }
}
