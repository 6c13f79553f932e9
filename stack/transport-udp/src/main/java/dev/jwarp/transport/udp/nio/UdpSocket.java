package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
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
final class UdpSocket {
    private final DatagramChannel channel;
    private final @Nullable DatagramAddress group;
    private final boolean coalesced;
    private final DatagramAddress source = new DatagramAddress();
    private @Nullable SocketAddress lastSource;

    /** @param coalesced whether a read may bring several datagrams */
    UdpSocket(DatagramChannel channel, @Nullable DatagramAddress group, boolean coalesced) {
        this.channel = channel;
        this.group = group;
        this.coalesced = coalesced;
    }

    DatagramChannel channel() {
        return channel;
    }

    @Nullable
    DatagramAddress group() {
        return group;
    }

    /** {@return whether a datagram was there; it has been given to the engine} */
    @SuppressWarnings("ReferenceEquality") // the same object has the same address, and most are the same
    boolean receiveOne(DatagramEngine engine, ByteBuffer in, long nowNanos) throws IOException {
        in.clear();
        SocketAddress from = channel.receive(in);
        if (from == null) {
            return false;
        }
        if (from != lastSource) {
            lastSource = from;
            source.set((InetSocketAddress) from);
        }
        engine.receive(in.flip(), coalesced, source, group, nowNanos);
        return true;
    }
}
