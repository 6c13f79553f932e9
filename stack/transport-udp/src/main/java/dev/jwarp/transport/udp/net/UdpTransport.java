package dev.jwarp.transport.udp.net;

import dev.jwarp.base.HostPort;
import dev.jwarp.io.Loop;
import dev.jwarp.io.LoopTransport;
import dev.jwarp.io.Loops;
import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Datagram-iWARP on one loop: a program polls it, or a thread runs it. Any thread. */
public final class UdpTransport extends LoopTransport implements DatagramTransport {
    private final UdpContext context;
    private final Loops loops;
    private final UdpLoop owner;

    /** Whether the loops belong to a transport for connections, which closes them. */
    private final boolean guest;

    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens the transport on the loops of a transport for connections, which must be closed first, or on loops of its
     * own.
     *
     * @param context closed with the transport
     * @param given the loops of the transport for connections, if there is one
     * @param mode how callers of {@code await} wait
     * @param opener opens loops if there is no such transport
     * @param sockets creates the opener of sockets for the loops
     */
    public UdpTransport(
            UdpContext context,
            @Nullable GivenLoops given,
            WaitMode mode,
            Loops.Opener opener,
            Function<Loops, UdpSocket.Opener> sockets) {
        this.context = context;
        LoopTransport host = LoopTransport.host(given);
        guest = host != null;
        try {
            loops = host != null
                    ? host.loops()
                    : opener.open(watcher -> new Loop(
                            mode,
                            UdpLoop.SLOT,
                            watcher,
                            cause -> context.report("a task for the owner of UDP ports", cause)));
            owner = new UdpLoop(loops.first(), context, sockets.apply(loops));
        } catch (Error | RuntimeException e) {
            context.close();
            throw e;
        } catch (IOException e) {
            context.close();
            throw Loops.noSelector(e);
        }
    }

    /** The IPv4 wildcard address stands for that of IPv4 and IPv6 if the host has both, as in the JDK. */
    @Override
    public InetSocketAddress place(InetSocketAddress local) {
        InetAddress address = local.getAddress(); // null: unresolved
        return address instanceof Inet4Address && address.isAnyLocalAddress() && Ipv6.THERE
                ? new InetSocketAddress(Ipv6.ANYWHERE, local.getPort())
                : local;
    }

    /** Whether this host has IPv6. */
    private static final class Ipv6 {
        static final InetAddress ANYWHERE = new InetSocketAddress("::", 0).getAddress();
        static final boolean THERE = find();

        private static boolean find() {
            try {
                return !Boolean.getBoolean("java.net.preferIPv4Stack")
                        && NetworkInterface.networkInterfaces()
                                .flatMap(NetworkInterface::inetAddresses)
                                .anyMatch(Inet6Address.class::isInstance);
            } catch (IOException e) {
                return false;
            }
        }
    }

    @Override
    public DatagramPort open(InetSocketAddress local) {
        if (local.isUnresolved()) {
            throw new LlpException(
                    LlpFailure.ADDRESS_NOT_AVAILABLE,
                    "cannot open UDP port " + HostPort.text(local) + ": the host is not known");
        }
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
        } catch (Throwable e) { // also of a later task of another port: this port has begun then
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
    public Loops loops() {
        return loops;
    }

    @Override
    public List<TransportCounter> counters() {
        return context.allCounters();
    }

    @Override
    public void reloadKeys() {
        context.reloadKeys();
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        if (guest) {
            context.close();
        } else {
            loops.close(context::close);
        }
    }
}
