package dev.jwarp.llp;

import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the program runs itself and a transport is to run on, in place of threads or a selector of its own. It stays the program's:
 * a transport that is closed leaves it running.
 *
 * @param loops what each transport says that it takes: a {@code java.nio.channels.Selector}, or Netty's {@code EventLoopGroup};
 *     for datagrams also the transport for connections of the same device, whose loops move both then
 * @param choice which of the loops a connection with that peer is to have; null, or what answers null, for the transport's choice
 */
public record GivenLoops(Object loops, @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice) {
    /** {@return what a transport says that cannot run on them; an argument that is wrong} */
    public IllegalArgumentException unfit(String transport, String wanted) {
        return new IllegalArgumentException("Transport " + transport + " runs on " + wanted + ", not on "
                + loops.getClass().getName() + ".");
    }
}
