package dev.jwarp.transport.udp.netty;

import dev.jwarp.base.HostPort;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.net.PortSocket;
import dev.jwarp.transport.udp.net.SegmentedSend;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One socket of a port on the event loop: its own, or that of a group. Event loop only. */
final class EpollHandle implements EpollIoHandle, PortSocket {
    private static final EpollIoOps READ = EpollIoOps.EPOLLIN;
    private static final EpollIoOps READ_AND_WRITE = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT);

    private final EpollPort port;
    private final EpollLoop loop;
    private final LoopSocket socket;
    private final @Nullable DatagramAddress group;
    /** Whether a read may bring several datagrams. */
    private final boolean coalesced;

    private final @Nullable SegmentedSend sending;
    private final IoRegistration registration;

    /** @param sending null for a group's, which sends nothing */
    EpollHandle(
            EpollPort port,
            EpollLoop loop,
            LoopSocket socket,
            @Nullable DatagramAddress group,
            @Nullable SegmentedSend sending) {
        this.port = port;
        this.loop = loop;
        this.socket = socket;
        this.group = group;
        this.sending = sending;
        coalesced = loop.context().settings().on(UdpSetting.GRO) && EpollSocket.coalesce(socket.descriptor());
        registration = loop.register(this);
        registration.submit(READ);
    }

    @Override
    public FileDescriptor fd() {
        return socket.descriptor();
    }

    @Override
    public @Nullable DatagramAddress group() {
        return group;
    }

    @Override
    public boolean receiveOne(DatagramEngine to, long nowNanos) throws IOException {
        ByteBuffer in = loop.slot();
        if (!socket.receive(in)) {
            return false;
        }
        to.receive(in, coalesced, socket.source(), group, nowNanos);
        return true;
    }

    @Override
    public DatagramAddress source() {
        return socket.source();
    }

    @Override
    public int transmit(DatagramBatch batch) throws IOException {
        try {
            return Objects.requireNonNull(sending, "a group's socket sends nothing")
                    .transmit(batch);
        } catch (IOException e) {
            throw SendFailure.explained(e, loop.addresses().of(batch.destination()), batch.firstLength());
        }
    }

    @Override
    public void handle(IoRegistration from, IoEvent event) {
        EpollIoOps ready = ((EpollIoEvent) event).ops();
        boolean error = ready.contains(EpollIoOps.EPOLLERR); // the next read tells which
        port.onReady(error || ready.contains(EpollIoOps.EPOLLIN), ready.contains(EpollIoOps.EPOLLOUT));
    }

    @Override
    public void awaitRoom(boolean wanted) {
        registration.submit(wanted ? READ_AND_WRITE : READ);
    }

    /** Takes the socket off the event loop and closes it. */
    @Override
    public void end() {
        registration.cancel();
        try {
            socket.close();
        } catch (IOException e) {
            loop.report("closing UDP port " + HostPort.text(port.localAddress()), e);
        }
    }

    /** The event loop ends. */
    @Override
    public void close() {
        end();
    }
}
