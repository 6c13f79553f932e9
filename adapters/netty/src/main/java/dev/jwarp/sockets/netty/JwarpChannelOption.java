package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.SocketMode;
import dev.jwarp.sockets.stream.StreamProtocol;
import io.netty.channel.ChannelOption;

/** Options of jwarp's channels beside those of Netty. */
public final class JwarpChannelOption {
    /** As {@link JwarpSocketOptions#PROTOCOL}; of server channels, too. */
    public static final ChannelOption<StreamProtocol> PROTOCOL = of("PROTOCOL");

    /** As {@link JwarpSocketOptions#CREDITS}; of server channels, too. */
    public static final ChannelOption<Integer> CREDITS = of("CREDITS");

    /** As {@link JwarpSocketOptions#MODE}, of channels of datagrams: what all of their peers may speak, whatever the rules say. */
    public static final ChannelOption<SocketMode> MODE = of("MODE");

    private JwarpChannelOption() {}

    private static <T> ChannelOption<T> of(String name) {
        return ChannelOption.valueOf(JwarpChannelOption.class, name);
    }
}
