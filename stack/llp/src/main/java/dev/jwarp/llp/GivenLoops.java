package dev.jwarp.llp;

import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The loops of the program on which a transport runs, instead of its own threads or selector. The program owns the
 * loops: closing the transport leaves them running.
 *
 * @param loops the loops, of a kind that the transport supports: a {@code java.nio.channels.Selector}, or Netty's
 *     {@code EventLoopGroup}; for datagrams also the same device's transport for connections, whose loops then drive
 *     both
 * @param choice chooses the loop of a connection by the peer's address; null, or a result of null, for the transport's
 *     choice
 */
public record GivenLoops(Object loops, @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice) {
    /** {@return the exception of a transport that cannot run on these loops} */
    public IllegalArgumentException unfit(String transport, String wanted) {
        return new IllegalArgumentException("Transport " + transport + " runs on " + wanted + ", not on "
                + loops.getClass().getName() + ".");
    }
}
