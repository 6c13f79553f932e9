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

/**
 * One side of a gateway.
 *
 * @param rdma whether its streams are RDMA; else they are TCP
 * @param address where it listens, or what it connects to
 */
record Side(boolean rdma, InetSocketAddress address) {
    private static final String RDMA = "rdma://";
    private static final String TCP = "tcp://";

    /** {@return what {@code rdma://HOST:PORT} or {@code tcp://HOST:PORT} says} With port 0 a free one, if it is to listen. */
    static Side parse(String flag, String text, boolean listens) {
        boolean rdma = text.startsWith(RDMA);
        if (!rdma && !text.startsWith(TCP)) {
            throw ToolFailure.usage(
                    flag + " " + text + " does not say what it is",
                    "rdma://HOST:PORT for RDMA, tcp://HOST:PORT for TCP; the other side may be either");
        }
        String where = text.substring(rdma ? RDMA.length() : TCP.length());
        return new Side(rdma, listens ? Addresses.toListenOn(where) : Addresses.resolveWithPort(where));
    }

    /** {@return what opens its channels} */
    SelectorProvider provider(JwarpSelectorProvider sockets) {
        return rdma ? sockets : sockets.get();
    }

    /** RDMA is meant where it was said, whatever rules the process has. */
    void require(NetworkChannel channel) throws IOException {
        if (rdma) {
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA);
        }
    }

    /** {@return the same at the address where it listens now} */
    Side at(InetSocketAddress now) {
        return new Side(rdma, now);
    }

    @Override
    public String toString() {
        return (rdma ? RDMA : TCP) + Addresses.text(address);
    }
}
