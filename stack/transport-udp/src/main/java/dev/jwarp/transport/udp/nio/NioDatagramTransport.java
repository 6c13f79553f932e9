package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.TransportCounter;
import dev.jwarp.ddp.llp.datagram.DatagramPort;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Datagram-iWARP over java.nio, inline: ports move while a thread polls or waits, and that thread is their owner. */
final class NioDatagramTransport implements DatagramTransport {
    private final UdpContext context;
    private final UdpLoop loop;

    /** @param given what the program runs; null for its own selector */
    NioDatagramTransport(UdpContext context, @Nullable GivenLoops given) {
        this.context = context;
        try {
            loop = new UdpLoop(context, given);
        } catch (Error | IllegalArgumentException e) {
            context.close();
            throw e;
        } catch (IOException e) {
            context.close();
            throw new LlpException(LlpFailure.LIMIT_REACHED, "no selector can be opened: " + e.getMessage());
        }
    }

    @Override
    public InetSocketAddress place(InetSocketAddress local) {
        return UdpContext.place(local);
    }

    @Override
    public DatagramPort open(InetSocketAddress local) {
        UdpContext.checkHost(local);
        try {
            DatagramChannel channel = loop.sockets().port(local);
            NioPort port;
            try {
                port = new NioPort(loop, channel);
            } catch (Throwable e) {
                loop.ownership().executeAndWait(() -> loop.close(channel));
                throw e;
            }
            try {
                loop.ownership().executeAndWait(() -> {
                    if (loop.isClosed()) {
                        loop.close(channel);
                    } else {
                        loop.add(port);
                    }
                });
            } catch (Throwable e) { // also of other ports, behind this one: it is among them then
                loop.ownership().executeAndWait(() -> {
                    port.giveUp(e);
                    loop.close(channel);
                });
                throw e;
            }
            if (loop.isClosed()) {
                throw new LlpException(LlpFailure.LOCAL, "this transport is closed");
            }
            return port.port();
        } catch (IOException e) {
            throw NioUdpSockets.portRefused(local, e);
        }
    }

    boolean isClosed() {
        return loop.isClosed();
    }

    @Override
    public boolean inline() {
        return true;
    }

    @Override
    public boolean poll() {
        return loop.poll();
    }

    @Override
    public boolean flush() {
        return loop.flush();
    }

    @Override
    public void await(long nanos) {
        loop.await(nanos);
    }

    @Override
    public void wakeup() {
        loop.wakeup();
    }

    @Override
    public boolean ready(SelectionKey key) {
        return loop.ready(key);
    }

    @Override
    public long untilPoll() {
        return loop.untilPoll();
    }

    @Override
    public void later(Runnable task) {
        loop.later(task);
    }

    @Override
    public boolean movedHere() {
        return loop.ownership().isMine();
    }

    @Override
    public List<TransportCounter> counters() {
        return context.allCounters();
    }

    @Override
    public void close() {
        loop.close();
        context.close();
    }
}
