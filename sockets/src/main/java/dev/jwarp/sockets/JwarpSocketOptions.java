package dev.jwarp.sockets;

import dev.jwarp.sockets.stream.StreamProtocol;
import java.net.SocketOption;

/** Options of jwarp's channels, in addition to those of the JDK. */
public final class JwarpSocketOptions {
    /**
     * The transport of the stream or the datagrams of this channel; overrides the rules. To be set before the channel
     * is bound or connected.
     */
    public static final SocketOption<SocketMode> MODE = new Option<>("MODE", SocketMode.class);

    /**
     * How many ranges of its memory the peer can share with this end at a time, for {@link JwarpSockets#write};
     * corresponds to librdmacm's RDMA_IOMAPSIZE. 0 (default) to 8,192. To be set before the channel is connected, or on
     * the listening channel.
     */
    public static final SocketOption<Integer> MAP_SIZE = new Option<>("MAP_SIZE", Integer.class);

    /**
     * The protocol, which must be the same at both ends; a peer with another protocol is rejected. Default RSOCKETS. To
     * be set before the channel is connected, or on the listening channel.
     */
    public static final SocketOption<StreamProtocol> PROTOCOL = new Option<>("PROTOCOL", StreamProtocol.class);

    /**
     * With the protocol CREDITS: how many messages can be received before the program has read them. 4 to 256, default
     * 32; each message has an equal part of SO_RCVBUF. To be set before the channel is connected, or on the listening
     * channel.
     */
    public static final SocketOption<Integer> CREDITS = new Option<>("CREDITS", Integer.class);

    /**
     * A write of fewer bytes is copied before it is sent; default 16,384. A blocking write of at least this many bytes
     * from a direct buffer that was used before sends them without a copy, and returns when they are sent. To be set
     * before the channel is connected, or on the listening channel.
     */
    public static final SocketOption<Integer> COPY_BYTES = new Option<>("COPY_BYTES", Integer.class);

    /**
     * With the protocol CREDITS, if both ends set it: a blocking write or read of at least this many bytes, with a
     * direct buffer, is not copied at either end. Such a write returns when the peer's program has read its bytes. 0
     * (default): the receiving end copies everything. To be set before the channel is connected, or on the listening
     * channel. With a value larger than SO_SNDBUF and SO_RCVBUF of both ends together, no write waits that would not
     * wait otherwise.
     */
    public static final SocketOption<Integer> ZERO_COPY_BYTES = new Option<>("ZERO_COPY_BYTES", Integer.class);

    /**
     * With the protocol CREDITS: a write is a message, and a read returns bytes of one message only. A blocking read
     * returns the whole message, or as much as the buffer holds; a non-blocking read returns the bytes that have
     * arrived. {@link JwarpSockets#messageEnded} tells whether the message has ended. If a non-blocking write has
     * written only a part, the next writes continue the same message. Default FALSE. A peer with another value is
     * rejected, and TCP has no messages. To be set before the channel is connected, or on the listening channel.
     */
    public static final SocketOption<Boolean> MESSAGES = new Option<>("MESSAGES", Boolean.class);

    /**
     * With {@link #ZERO_COPY_BYTES}: the behaviour if both ends write without a copy, and neither reads. -1 (default):
     * they wait for each other. Otherwise this end buffers up to this many bytes from the peer while its own write
     * waits. If there are more bytes, or with 0, the write fails after a second without progress, and the connection
     * ends. To be set before the channel is connected, or on the listening channel.
     */
    public static final SocketOption<Integer> BOTH_WRITE_BYTES = new Option<>("BOTH_WRITE_BYTES", Integer.class);

    private JwarpSocketOptions() {}

    /** {@return whether the option is one of jwarp's} */
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
