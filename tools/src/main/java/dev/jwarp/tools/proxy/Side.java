package dev.jwarp.tools.proxy;

import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.SocketMode;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.NetworkChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;

/**
 * One side of a gateway.
 *
 * @param kind the protocol
 * @param address the address on which it listens, or to which it connects
 */
record Side(Kind kind, InetSocketAddress address) {
    /** The protocol of a side. */
    enum Kind {
        /** RDMA: streams, or datagrams if the other side is UDP. */
        RDMA("rdma://"),
        TCP("tcp://"),
        UDP("udp://");

        private final String scheme;

        Kind(String scheme) {
            this.scheme = scheme;
        }
    }

    /**
     * {@return the side that {@code rdma://HOST:PORT}, {@code tcp://HOST:PORT} or {@code udp://HOST:PORT} describes}
     *
     * @param listens whether the side listens; port 0 is then a free one
     */
    static Side parse(String flag, String text, boolean listens) {
        Kind kind = Arrays.stream(Kind.values())
                .filter(each -> text.startsWith(each.scheme))
                .findAny()
                .orElseThrow(() -> ToolFailure.usage(
                        flag + " " + text + " has no protocol",
                        "write rdma://HOST:PORT, tcp://HOST:PORT or udp://HOST:PORT; all combinations but TCP"
                                + " with UDP are possible"));
        String where = text.substring(kind.scheme.length());
        return new Side(kind, listens ? Addresses.toListenOn(where) : Addresses.resolveWithPort(where));
    }

    /** {@return the provider of its channels} */
    SelectorProvider provider(JwarpSelectorProvider sockets) {
        return kind == Kind.RDMA ? sockets : sockets.get();
    }

    /** Requires RDMA for a channel of an RDMA side, whatever rules the process has. */
    void require(NetworkChannel channel) throws IOException {
        if (kind == Kind.RDMA) {
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA);
        }
    }

    /** {@return whether data for {@code to} would arrive at this side, which listens} */
    boolean isReachedBy(Side to) {
        return Addresses.reaches(to.address, address);
    }

    /** {@return the same with the address on which it listens now} */
    Side at(InetSocketAddress now) {
        return new Side(kind, now);
    }

    @Override
    public String toString() {
        return kind.scheme + Addresses.text(address);
    }
}
