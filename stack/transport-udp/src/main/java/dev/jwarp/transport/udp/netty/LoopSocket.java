package dev.jwarp.transport.udp.netty;

import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.io.netty.EventLoopWatcher;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.net.DatagramChannelSocket;
import dev.jwarp.transport.udp.net.DatagramChannels;
import dev.jwarp.transport.udp.net.SendRefusal;
import dev.jwarp.transport.udp.net.SocketAddresses;
import dev.jwarp.transport.udp.net.UdpSocket;
import io.netty.channel.unix.DatagramSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor watched by an event loop of epoll. Data goes through a channel of java.nio with the same descriptor
 * where possible, since Netty's own calls allocate an object for each address (208 to 368 bytes). Netty's calls serve
 * sockets without a channel: groups and shared ports, whose address may belong to several sockets, and ports whose
 * descriptor was not found.
 */
final class LoopSocket extends EpollSocket implements UdpSocket {
    private final @Nullable DatagramChannelSocket io;
    private final SocketAddresses addresses;
    private final InetSocketAddress local;
    private final DatagramAddress source = new DatagramAddress();

    /** @param io the channel with that descriptor; null if data goes through Netty's own calls */
    LoopSocket(Socket descriptor, @Nullable DatagramChannelSocket io, SocketAddresses addresses) {
        // Netty's sockets have the options of IPv6, whatever their address.
        super(
                descriptor,
                io == null
                        ? Socket.isIPv6Preferred()
                        : DatagramChannels.ofIpv6(io.localAddress().getAddress()));
        this.io = io;
        this.addresses = addresses;
        local = descriptor.localAddress();
    }

    /** {@return the channel with that descriptor; null if there is none} */
    @Nullable
    DatagramChannelSocket channel() {
        return io;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    /** Linux reports twice the receive buffer that it grants: the other half is for its own structures. */
    @Override
    public int receiveBuffer() throws IOException {
        return descriptor.getReceiveBufferSize() / 2;
    }

    @Override
    public boolean receive(ByteBuffer slot) throws IOException {
        if (io != null) {
            return io.receive(slot);
        }
        DatagramSocketAddress sender = descriptor.recvFrom(slot.clear(), 0, slot.capacity());
        if (sender == null) {
            return false;
        }
        source.set(sender);
        slot.limit(sender.receivedAmount());
        return true;
    }

    @Override
    public DatagramAddress source() {
        return io == null ? source : io.source();
    }

    @Override
    public int send(DatagramBatch batch, int length) throws IOException {
        if (io != null) {
            return io.send(batch, length);
        }
        InetSocketAddress to = addresses.of(batch.destination());
        int begin = batch.offset();
        return descriptor.sendTo(batch.memory(), begin, begin + length, to.getAddress(), to.getPort());
    }

    @Override
    public SendRefusal refusal(IOException cause) {
        return SendFailure.refusal(cause);
    }

    @Override
    public IOException explained(IOException cause, DatagramAddress to, int length) {
        return SendFailure.explained(cause, addresses.of(to), length);
    }

    @Override
    public SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException {
        return ((EventLoopWatcher) watcher).watch(descriptor, operations, item);
    }

    @Override
    public void close() throws IOException {
        if (io != null) {
            io.close();
        } else {
            descriptor.close();
        }
    }
}
