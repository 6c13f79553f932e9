package dev.jwarp.transport.udp.netty;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.ddp.llp.TransportCounter;
import dev.jwarp.ddp.llp.datagram.DatagramPort;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.transport.udp.net.UdpContext;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Datagram-iWARP on a Netty event loop, threaded: the loop moves the ports, any thread posts. */
final class EpollTransport implements DatagramTransport, Progressing.Threaded {
    private final EpollLoop loop;

    /** @param given what the program runs; null for a thread of its own */
    EpollTransport(UdpContext context, @Nullable GivenLoops given) {
        loop = new EpollLoop(context, given);
    }

    @Override
    public DatagramPort open(InetSocketAddress local) {
        UdpContext.checkHost(local);
        checkOpen();
        try {
            Socket socket = EpollSocket.port(local, loop.context().settings());
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
            throw BindFailure.of(local, e);
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
