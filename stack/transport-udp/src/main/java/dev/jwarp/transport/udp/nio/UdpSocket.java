package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
import dev.jwarp.transport.udp.net.PortSocket;
import dev.jwarp.transport.udp.net.SegmentedSend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One socket of a port: its own, or that of a group. Owner only. */
final class UdpSocket implements PortSocket {
    private final UdpLoop loop;
    private final DatagramChannel channel;
    private final @Nullable DatagramAddress group;
    private final boolean coalesced;
    private final ChannelIo io;
    private final @Nullable SegmentedSend sending;

    /**
     * One with a channel.
     *
     * @param coalesced whether a read may bring several datagrams
     * @param sending null for a group's, which sends nothing
     */
    UdpSocket(
            UdpLoop loop,
            DatagramChannel channel,
            @Nullable DatagramAddress group,
            boolean coalesced,
            @Nullable SegmentedSend sending) {
        this.loop = loop;
        this.channel = channel;
        this.group = group;
        this.coalesced = coalesced;
        this.sending = sending;
        io = new ChannelIo(channel);
    }

    DatagramChannel channel() {
        return channel;
    }

    @Override
    public @Nullable DatagramAddress group() {
        return group;
    }

    @Override
    public boolean receiveOne(DatagramEngine to, long nowNanos) throws IOException {
        ByteBuffer in = loop.slot();
        if (!io.receive(in)) {
            return false;
        }
        to.receive(in, coalesced, io.source(), group, nowNanos);
        return true;
    }

    @Override
    public DatagramAddress source() {
        return io.source();
    }

    @Override
    public int transmit(DatagramBatch batch) throws IOException {
        return Objects.requireNonNull(sending, "a group's socket sends nothing").transmit(batch);
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
