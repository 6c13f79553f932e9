package dev.jwarp.transport.udp.netty;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.AskedSocket;
import dev.jwarp.transport.udp.net.SocketAddresses;
import dev.jwarp.transport.udp.nio.ChannelIo;
import dev.jwarp.transport.udp.nio.NioUdpSockets;
import io.netty.channel.unix.DatagramSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/**
 * A socket for the event loop. That waits for the descriptor; data goes through a channel of java.nio with that descriptor where
 * there is one, as Netty's own calls make an object for each address (208 to 368 bytes). Through Netty's calls goes what has no
 * channel: a group and a shared port, whose address may be that of several sockets, and a port whose descriptor was not found. The event loop's,
 * but for opening and closing what it has not yet.
 */
final class LoopSocket {
    private final Socket descriptor;
    private final @Nullable DatagramChannel channel;
    private final @Nullable ChannelIo io;
    private final DatagramAddress source = new DatagramAddress();

    private LoopSocket(Socket descriptor, @Nullable DatagramChannel channel) {
        this.descriptor = descriptor;
        this.channel = channel;
        io = channel == null ? null : new ChannelIo(channel);
    }

    /** {@return a socket through Netty's own calls} */
    static LoopSocket of(Socket socket) {
        return new LoopSocket(socket, null);
    }

    /** {@return a socket of its own for a port} */
    static LoopSocket port(InetSocketAddress local, UdpSettings settings, NioUdpSockets sockets) throws IOException {
        if (settings.on(UdpSetting.SHARED_PORT)) {
            return of(EpollSocket.port(local, settings));
        }
        int next = EpollSocket.nextDescriptor();
        DatagramChannel channel = sockets.port(local);
        try {
            InetSocketAddress bound = (InetSocketAddress) channel.getLocalAddress();
            Socket found = DescriptorSegments.socket(bound, next);
            if (found != null) {
                EpollSocket.configure(found, NioUdpSockets.ofIpv6(bound.getAddress()), settings);
                return new LoopSocket(found, channel);
            }
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
        channel.close();
        return of(EpollSocket.port(local, settings));
    }

    /** {@return a socket at one of this host's addresses, with the port of this one, which is at the wildcard address; null if it has no channel} */
    @Nullable
    LoopSocket beside(
            InetSocketAddress address, @Nullable AskedSocket asked, UdpSettings settings, NioUdpSockets sockets)
            throws IOException {
        if (channel == null) {
            return null;
        }
        int next = EpollSocket.nextDescriptor();
        DatagramChannel its = sockets.beside(channel, asked, address);
        try {
            Socket found = DescriptorSegments.socket(address, next);
            if (found != null) {
                EpollSocket.configure(found, NioUdpSockets.ofIpv6(address.getAddress()), settings);
                return new LoopSocket(found, its);
            }
        } catch (Throwable e) {
            its.close();
            throw e;
        }
        its.close();
        return null;
    }

    /** {@return what tells which addresses this one is asked at, as it is at the wildcard address; null if there is none} */
    @Nullable
    AskedSocket asked(NioUdpSockets sockets, AskedSocket.Opener opener, AskedSocket.Taker taker) throws IOException {
        return channel == null ? null : sockets.asked(channel, opener, taker);
    }

    /** {@return what the event loop waits for, and what has options; closed by {@link #close} only} */
    Socket descriptor() {
        return descriptor;
    }

    /** {@return whether data goes through a channel of java.nio} */
    boolean throughChannel() {
        return io != null;
    }

    /** {@return whether it has the options of IPv6} Netty's sockets have, wherever they are bound. */
    boolean ofIpv6() {
        return io == null
                ? Socket.isIPv6Preferred()
                : NioUdpSockets.ofIpv6(descriptor.localAddress().getAddress());
    }

    /** Has datagrams to groups leave through that interface. Any thread. */
    void groupsThrough(NetworkInterface device) throws IOException {
        if (channel != null) {
            NioUdpSockets.groupsThrough(channel, device);
        } else {
            EpollSocket.groupsThrough(descriptor, ofIpv6(), device);
        }
    }

    /** Sets how many hops datagrams to groups go, and whether members on this host get them. Any thread. */
    void groupsReach(int hops, boolean loop) throws IOException {
        if (channel != null) {
            NioUdpSockets.groupsReach(channel, hops, loop);
        } else {
            EpollSocket.groupsReach(descriptor, ofIpv6(), hops, loop);
        }
    }

    /** {@return whether something was there; then {@code slot} holds it, ready to be read, and {@link #source} is its sender} */
    boolean receive(ByteBuffer slot) throws IOException {
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

    /** {@return who sent what was received last} Valid until the next receive. */
    DatagramAddress source() {
        return io == null ? source : io.source();
    }

    /** {@return how many of the batch's first {@code length} bytes the socket took; 0 if it has no room} */
    int send(DatagramBatch batch, int length, SocketAddresses addresses) throws IOException {
        if (io != null) {
            return io.send(batch, length, addresses);
        }
        InetSocketAddress to = addresses.of(batch.destination());
        int begin = batch.offset();
        return descriptor.sendTo(batch.memory(), begin, begin + length, to.getAddress(), to.getPort());
    }

    /** The event loop waits for it no more. */
    void close() throws IOException {
        if (channel != null) {
            channel.close();
        } else {
            descriptor.close();
        }
    }
}
