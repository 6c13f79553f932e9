package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.llp.LimitSink;
import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.ddp.llp.TransportCounter;
import dev.jwarp.ddp.llp.datagram.DatagramPort;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.transport.udp.net.UdpContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The inline transport with a thread of its own that waits for it: threaded progress where there is no epoll. */
public final class NioThreadedTransport implements DatagramTransport, Progressing.Threaded {
    private static final Logger LOG = LoggerFactory.getLogger(NioThreadedTransport.class);
    private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final NioDatagramTransport transport;
    private final Thread thread;

    /** Opens it; the thread runs until {@link #close}. */
    public NioThreadedTransport(UdpContext context) {
        transport = new NioDatagramTransport(context, null);
        thread = new Thread(this::run, "jwarp-udp");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Throwable e) {
            transport.close(); // no thread to be had
            throw e;
        }
    }

    private void run() {
        while (!transport.isClosed()) {
            try {
                transport.await(Long.MAX_VALUE);
            } catch (Throwable e) {
                LOG.error("Error in the thread of UDP ports, which goes on", e);
            }
        }
    }

    @Override
    public InetSocketAddress place(InetSocketAddress local) {
        return UdpContext.place(local);
    }

    @Override
    public DatagramPort open(InetSocketAddress local) {
        return transport.open(local);
    }

    @Override
    public void later(Runnable task) {
        transport.later(task);
        transport.wakeup(); // it may have been left where no thread waits, just before one does
    }

    @Override
    public boolean movedHere() {
        return transport.movedHere();
    }

    @Override
    public List<TransportCounter> counters() {
        return transport.counters();
    }

    @Override
    public void limits(LimitSink sink) {
        transport.limits(sink);
    }

    @Override
    public void close() {
        transport.close();
        transport.wakeup();
        if (Thread.currentThread() != thread) {
            try {
                thread.join(PATIENCE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
