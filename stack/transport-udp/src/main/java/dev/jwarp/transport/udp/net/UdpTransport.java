package dev.jwarp.transport.udp.net;

import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.TransportCounter;
import dev.jwarp.ddp.llp.datagram.DatagramPort;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.io.Loop;
import dev.jwarp.io.LoopTransport;
import dev.jwarp.io.Loops;
import dev.jwarp.io.WaitMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Datagram-iWARP on one loop: a program polls it, or a thread runs it. */
public final class UdpTransport extends LoopTransport implements DatagramTransport {
    /** A slot for whatever a read may bring, put together or not: no datagram is longer. */
    private static final int SLOT = 1 << 16;

    private final UdpContext context;
    private final Loops loops;
    private final UdpLoop owner;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens it.
     *
     * @param context closed with it
     * @param mode how callers of {@code await} wait
     * @param notesWait see {@link Loop}: ports are opened and closed, and queue pairs come, without a poll
     * @param sockets what opens sockets for the loop
     */
    public UdpTransport(
            UdpContext context,
            WaitMode mode,
            boolean notesWait,
            Loops.Opener opener,
            Function<Loops, UdpSocket.Opener> sockets) {
        this.context = context;
        try {
            loops = opener.open(watcher -> new Loop(
                    mode,
                    SLOT,
                    notesWait,
                    watcher,
                    cause -> context.report("what was asked of the owner of UDP ports", cause)));
            owner = new UdpLoop(loops.first(), context, sockets.apply(loops));
        } catch (Error | RuntimeException e) {
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
            UdpSocket socket = owner.sockets().port(local);
            LoopPort port;
            try {
                port = new LoopPort(owner, socket);
            } catch (Throwable e) {
                socket.close();
                throw e;
            }
            begin(port, socket);
            return port.port();
        } catch (IOException e) {
            throw owner.sockets().noPort(local, e);
        }
    }

    private void begin(LoopPort port, UdpSocket socket) throws IOException {
        Loop loop = owner.loop();
        try {
            loop.executeAndWait(() -> {
                if (!loop.isClosed()) {
                    begin(port);
                }
            });
        } catch (Throwable e) { // also of other ports, behind this one: it is among them then
            loop.executeAndWait(() -> port.giveUp(e));
            socket.close();
            loop.executeAndWait(() -> loop.watcher().letGo());
            throw e;
        }
        if (loop.isClosed()) {
            socket.close();
            throw new LlpException(LlpFailure.LOCAL, "this transport is closed");
        }
    }

    private void begin(LoopPort port) {
        try {
            port.open(owner.engines().open(port, owner.loop().now()));
            port.begin();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Loops loops() {
        return loops;
    }

    @Override
    public List<TransportCounter> counters() {
        return context.allCounters();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            loops.close(context::close);
        }
    }
}
