package dev.jwarp.sockets;

import java.net.SocketOption;

/** Options of jwarp's channels beside those of the JDK. */
public final class JwarpSocketOptions {
    /** What carries the stream or the datagrams of this channel, whatever the rules say; to be set before the channel is bound or connected. */
    public static final SocketOption<SocketMode> MODE = new Option<>("MODE", SocketMode.class);

    /**
     * How many ranges of its memory the peer can tell this end of at a time, to be written to by {@link JwarpSockets#write}: librdmacm's RDMA_IOMAPSIZE. 0, the
     * default, to 8,192; to be set before the channel is connected, or on the channel that listens.
     */
    public static final SocketOption<Integer> MAP_SIZE = new Option<>("MAP_SIZE", Integer.class);

    private JwarpSocketOptions() {}

    private record Option<T>(String name, Class<T> type) implements SocketOption<T> {
        @Override
        public String toString() {
            return "jwarp." + name;
        }
    }
}
