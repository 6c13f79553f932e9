package dev.jwarp.transport.udp.net;

import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/**
 * A channel of java.nio, with options of the kernel that java.nio lacks. Allocates nothing for a datagram of the same
 * peer as the one before.
 *
 * <p>{@code DatagramChannel.receive} allocates an address object (128 bytes) when the sender differs from that of the
 * datagram before, and returns the same object otherwise.
 */
public final class DatagramChannelSocket implements UdpSocket {
    private final DatagramChannel channel;
    private final InetSocketAddress local;
    private final @Nullable KernelSegments kernel;
    private final SocketAddresses addresses;
    private final DatagramAddress source = new DatagramAddress();
    private @Nullable SocketAddress lastSource;

    /**
     * For a channel that is bound and does not block; the socket closes the channel.
     *
     * @param kernel null without such options
     * @param addresses the owner's cache
     */
    public DatagramChannelSocket(DatagramChannel channel, @Nullable KernelSegments kernel, SocketAddresses addresses)
            throws IOException {
        this.addresses = addresses;
        this.channel = channel;
        this.kernel = kernel;
        local = (InetSocketAddress) channel.getLocalAddress();
    }

    /** {@return the channel, which this socket owns} */
    public DatagramChannel channel() {
        return channel;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int receiveBuffer() throws IOException {
        return channel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same object has the same address; comparing it is the fast path
    public boolean receive(ByteBuffer slot) throws IOException {
        SocketAddress from = channel.receive(slot.clear());
        if (from == null) {
            return false;
        }
        if (from != lastSource) {
            lastSource = from;
            source.set((InetSocketAddress) from);
        }
        slot.flip();
        return true;
    }

    @Override
    public DatagramAddress source() {
        return source;
    }

    @Override
    public int send(DatagramBatch batch, int length) throws IOException {
        ByteBuffer memory = batch.memory();
        InetSocketAddress to = addresses.of(batch.destination());
        try {
            return channel.send(memory.limit(batch.offset() + length).position(batch.offset()), to);
        } catch (UnsupportedAddressTypeException e) {
            throw new IOException("a port at an IPv4 address cannot send to " + to, e);
        } finally {
            memory.clear();
        }
    }

    @Override
    public boolean coalesce() {
        return kernel != null && kernel.coalesce();
    }

    @Override
    public boolean segment(int size) {
        return kernel != null && kernel.segment(size);
    }

    @Override
    public boolean keepWhole(boolean whole) {
        return kernel != null && kernel.keepWhole(whole);
    }

    @Override
    public boolean mayBeOfSegments(IOException e) {
        return kernel != null && kernel.mayBeOfSegments(e);
    }

    @Override
    public SendRefusal refusal(IOException cause) {
        return NioRefusal.ofThisSystem().ofSend(cause);
    }

    @Override
    public void groupsThrough(NetworkInterface device) throws IOException {
        channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, device);
    }

    @Override
    public void groupsReach(int hops, boolean loop) throws IOException {
        channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, hops);
        channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, loop);
    }

    @Override
    public SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException {
        return watcher.watch(channel, operations, item);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
