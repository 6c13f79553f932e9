package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.SocketMode;
import dev.jwarp.sockets.stream.StreamProtocol;
import io.netty.channel.ChannelOption;

/** Options of jwarp's channels in addition to those of Netty. */
public final class JwarpChannelOption {
    /** As {@link JwarpSocketOptions#PROTOCOL}; also for server channels. */
    public static final ChannelOption<StreamProtocol> PROTOCOL = of("PROTOCOL");

    /** As {@link JwarpSocketOptions#CREDITS}; also for server channels. */
    public static final ChannelOption<Integer> CREDITS = of("CREDITS");

    /** As {@link JwarpSocketOptions#MODE}, for datagram channels: the mode for all peers, in place of the rules. */
    public static final ChannelOption<SocketMode> MODE = of("MODE");

    private JwarpChannelOption() {}

    private static <T> ChannelOption<T> of(String name) {
        return ChannelOption.valueOf(JwarpChannelOption.class, name);
    }
}
