package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
import dev.jwarp.transport.udp.net.PortSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/**
 * One socket of a port: its own, or that of a group. Owner only.
 *
 * <p>{@code DatagramChannel.receive} makes an address object whenever the sender is another than that of the datagram before
 * (128 octets), and gives the same object as long as it is not: so nothing is allocated while one peer sends.
 */
final class UdpSocket implements PortSocket {
    private final UdpLoop loop;
    private final DatagramChannel channel;
    private final @Nullable DatagramAddress group;
    private final boolean coalesced;
    private final DatagramAddress source = new DatagramAddress();
    private @Nullable SocketAddress lastSource;

    /** @param coalesced whether a read may bring several datagrams */
    UdpSocket(UdpLoop loop, DatagramChannel channel, @Nullable DatagramAddress group, boolean coalesced) {
        this.loop = loop;
        this.channel = channel;
        this.group = group;
        this.coalesced = coalesced;
    }

    DatagramChannel channel() {
        return channel;
    }

    @Override
    public @Nullable DatagramAddress group() {
        return group;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same object has the same address, and most are the same
    public boolean receiveOne(DatagramEngine to, long nowNanos) throws IOException {
        ByteBuffer in = loop.slot().clear();
        SocketAddress from = channel.receive(in);
        if (from == null) {
            return false;
        }
        if (from != lastSource) {
            lastSource = from;
            source.set((InetSocketAddress) from);
        }
        to.receive(in.flip(), coalesced, source, group, nowNanos);
        return true;
    }

    @Override
    public void awaitRoom(boolean wanted) {
        loop.writable(channel, wanted);
    }

    @Override
    public void end() {
        loop.close(channel);
    }
}
