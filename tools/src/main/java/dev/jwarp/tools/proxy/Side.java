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
 * @param kind what it speaks
 * @param address where it listens, or what it connects to
 */
record Side(Kind kind, InetSocketAddress address) {
    /** What a side speaks. */
    enum Kind {
        /** RDMA: streams, or datagrams where the other side has those. */
        RDMA("rdma://"),
        TCP("tcp://"),
        UDP("udp://");

        private final String scheme;

        Kind(String scheme) {
            this.scheme = scheme;
        }
    }

    /** {@return what {@code rdma://HOST:PORT}, {@code tcp://HOST:PORT} or {@code udp://HOST:PORT} says} With port 0 a free one, if it is to listen. */
    static Side parse(String flag, String text, boolean listens) {
        Kind kind = Arrays.stream(Kind.values())
                .filter(each -> text.startsWith(each.scheme))
                .findAny()
                .orElseThrow(
                        () -> ToolFailure.usage(
                                flag + " " + text + " does not say what it is",
                                "rdma://HOST:PORT for RDMA, tcp://HOST:PORT for TCP, udp://HOST:PORT for UDP; the other side may be any, but not TCP beside UDP"));
        String where = text.substring(kind.scheme.length());
        return new Side(kind, listens ? Addresses.toListenOn(where) : Addresses.resolveWithPort(where));
    }

    /** {@return what opens its channels} */
    SelectorProvider provider(JwarpSelectorProvider sockets) {
        return kind == Kind.RDMA ? sockets : sockets.get();
    }

    /** RDMA is meant where it was said, whatever rules the process has. */
    void require(NetworkChannel channel) throws IOException {
        if (kind == Kind.RDMA) {
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA);
        }
    }

    /** {@return whether what is carried to the other side comes to this one, which listens} */
    boolean isReachedBy(Side to) {
        return Addresses.reaches(to.address, address);
    }

    /** {@return the same at the address where it listens now} */
    Side at(InetSocketAddress now) {
        return new Side(kind, now);
    }

    @Override
    public String toString() {
        return kind.scheme + Addresses.text(address);
    }
}
