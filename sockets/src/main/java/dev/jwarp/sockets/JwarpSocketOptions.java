package dev.jwarp.sockets;

import dev.jwarp.sockets.stream.StreamProtocol;
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

    /**
     * What both ends speak, RSOCKETS where nothing is said; an end that speaks something else is refused. To be set before the channel is connected, or on the channel that
     * listens.
     */
    public static final SocketOption<StreamProtocol> PROTOCOL = new Option<>("PROTOCOL", StreamProtocol.class);

    /**
     * With the protocol CREDITS: how many messages can be received before the program has read them. 4 to 256, 32 where nothing is said; each has its part of SO_RCVBUF. To be
     * set before the channel is connected, or on the channel that listens.
     */
    public static final SocketOption<Integer> CREDITS = new Option<>("CREDITS", Integer.class);

    /**
     * With the protocol CREDITS: a write of fewer bytes is copied before it is sent, 16,384 where nothing is said. A write of a channel that blocks, with as many or more in a direct
     * buffer that has come before, sends them from where they are, and returns when they are sent. To be set before the channel is connected, or on the channel that
     * listens.
     */
    public static final SocketOption<Integer> COPY_BYTES = new Option<>("COPY_BYTES", Integer.class);

    /**
     * With the protocol CREDITS, and if both ends say so: a write or a read of so many bytes or more, of a channel that blocks, with a direct buffer, is not copied at either
     * end. Such a write returns when the program of the peer has read what it wrote. 0, the default: all is copied at the end that receives. To be set before the channel is
     * connected, or on the channel that listens; more than both ends' SO_SNDBUF and SO_RCVBUF together makes no write wait that would not have without.
     */
    public static final SocketOption<Integer> ZERO_COPY_BYTES = new Option<>("ZERO_COPY_BYTES", Integer.class);

    /**
     * With the protocol CREDITS: a write is a message, and a read gives bytes of one message only. A channel that blocks reads all of it, or as much as the buffer takes; else what has
     * come; {@link JwarpSockets#messageEnded} says whether that was its end. If a channel that does not block has taken less than the whole, the next writes go on with the same
     * message. FALSE, the default; an end that says something else is refused, and there is no way over TCP. To be set before the channel is connected, or on the channel that listens.
     */
    public static final SocketOption<Boolean> MESSAGES = new Option<>("MESSAGES", Boolean.class);

    /**
     * With {@link #ZERO_COPY_BYTES}: what happens if both ends write what is not copied, and neither reads. -1, the default: they wait for each other. Else this end keeps so many bytes of what its
     * peer writes, in memory of its own, while its own write waits; and if there is more, or with 0, the write ends with an exception after a second in which nothing moved, and the
     * connection with it. To be set before the channel is connected, or on the channel that listens.
     */
    public static final SocketOption<Integer> BOTH_WRITE_BYTES = new Option<>("BOTH_WRITE_BYTES", Integer.class);

    private JwarpSocketOptions() {}

    /** {@return whether that is one of these} */
    static boolean has(SocketOption<?> option) {
        return option instanceof Option<?>;
    }

    private record Option<T>(String name, Class<T> type) implements SocketOption<T> {
        @Override
        public String toString() {
            return "jwarp." + name;
        }
    }
}
