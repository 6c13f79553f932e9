package dev.jwarp.transport.udp.netty;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.ddp.llp.TransportCounter;
import dev.jwarp.ddp.llp.datagram.DatagramPort;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.transport.udp.net.UdpContext;
import dev.jwarp.transport.udp.nio.NioUdpSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Datagram-iWARP on a Netty event loop, threaded: the loop moves the ports, any thread posts. */
final class EpollTransport implements DatagramTransport, Progressing.Threaded {
    /** Where the socket of a port comes from. */
    interface Sockets {
        /** {@return one that is bound there} */
        LoopSocket open(InetSocketAddress local) throws IOException;
    }

    private final EpollLoop loop;
    private final Sockets sockets;

    /**
     * Opens it; data goes through channels of java.nio.
     *
     * @param given what the program runs; null for a thread of its own
     */
    static EpollTransport open(UdpContext context, @Nullable GivenLoops given) {
        NioUdpSockets channels = new NioUdpSockets(context.settings(), context.counters());
        return new EpollTransport(context, given, local -> LoopSocket.port(local, context.settings(), channels));
    }

    EpollTransport(UdpContext context, @Nullable GivenLoops given, Sockets sockets) {
        this.sockets = sockets;
        loop = new EpollLoop(context, given);
    }

    @Override
    public InetSocketAddress place(InetSocketAddress local) {
        return UdpContext.place(local);
    }

    @Override
    public DatagramPort open(InetSocketAddress local) {
        UdpContext.checkHost(local);
        checkOpen();
        try {
            LoopSocket socket = sockets.open(local);
            EpollPort port;
            try {
                port = new EpollPort(loop, socket);
                loop.addAndWait(port);
            } catch (Throwable e) {
                socket.close();
                throw e;
            }
            if (loop.isClosed()) {
                socket.close();
                checkOpen();
            }
            return port.port();
        } catch (IOException e) {
            throw BindFailure.ofPort(local, e);
        }
    }

    private void checkOpen() {
        if (loop.isClosed()) {
            throw new LlpException(LlpFailure.LOCAL, "this transport is closed");
        }
    }

    @Override
    public void later(Runnable task) {
        loop.later(task);
    }

    @Override
    public boolean movedHere() {
        return loop.isMine();
    }

    @Override
    public List<TransportCounter> counters() {
        return loop.context().allCounters();
    }

    @Override
    public void close() {
        loop.close();
        loop.context().close();
    }
}
