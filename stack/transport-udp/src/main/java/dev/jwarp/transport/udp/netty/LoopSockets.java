package dev.jwarp.transport.udp.netty;

import dev.jwarp.llp.LinuxError;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.AskedSocket;
import dev.jwarp.transport.udp.net.DatagramChannelSocket;
import dev.jwarp.transport.udp.net.DatagramChannels;
import dev.jwarp.transport.udp.net.OtherAddresses;
import dev.jwarp.transport.udp.net.SocketAddresses;
import dev.jwarp.transport.udp.net.UdpContext;
import dev.jwarp.transport.udp.net.UdpSocket;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/** Opens sockets for an event loop of epoll. */
final class LoopSockets implements UdpSocket.Opener {
    private final UdpSettings settings;
    private final DatagramChannels channels;
    private final EventLoop eventLoop;
    private final boolean throughChannels;
    private final SocketAddresses addresses = new SocketAddresses();

    /**
     * For the ports of one loop.
     *
     * @param throughChannels whether data goes through channels of java.nio where that is possible
     */
    LoopSockets(UdpContext context, EventLoop eventLoop, boolean throughChannels) {
        settings = context.settings();
        channels = new DatagramChannels(context);
        this.eventLoop = eventLoop;
        this.throughChannels = throughChannels && !settings.on(UdpSetting.SHARED_PORT);
    }

    /** Opens a channel. */
    private interface ChannelOpener {
        DatagramChannel open() throws IOException;
    }

    @Override
    public LoopSocket port(InetSocketAddress local) throws IOException {
        LoopSocket found = throughChannels ? found(() -> channels.openPort(local)) : null;
        return found == null ? new LoopSocket(EpollSocket.port(local, settings), null, addresses) : found;
    }

    /** {@return a channel with its descriptor; null if the descriptor is not found, and the channel is closed} */
    private @Nullable LoopSocket found(ChannelOpener opener) throws IOException {
        int next = EpollSocket.nextDescriptor();
        DatagramChannel channel = opener.open();
        try {
            InetSocketAddress bound = (InetSocketAddress) channel.getLocalAddress();
            Socket descriptor = DescriptorSegments.socket(bound, next);
            if (descriptor != null) {
                LoopSocket found =
                        new LoopSocket(descriptor, new DatagramChannelSocket(channel, null, addresses), addresses);
                found.configure(settings);
                return found;
            }
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    private static @Nullable DatagramChannel channel(UdpSocket port) {
        DatagramChannelSocket io = ((LoopSocket) port).channel();
        return io == null ? null : io.channel();
    }

    @Override
    public boolean besides(UdpSocket port) {
        return channel(port) != null && channels.besides(port);
    }

    @Override
    public UdpSocket beside(UdpSocket port, @Nullable AskedSocket asked, InetSocketAddress address) throws IOException {
        DatagramChannel wildcard = channel(port);
        LoopSocket found = wildcard == null ? null : found(() -> channels.openBeside(wildcard, asked, address));
        if (found == null) {
            throw new IOException("no descriptor was found for a socket at " + address);
        }
        return found;
    }

    @Override
    public @Nullable AskedSocket asked(UdpSocket port, OtherAddresses taker) throws IOException {
        DatagramChannel wildcard = channel(port);
        return wildcard == null
                ? null
                : channels.asked(wildcard, (number, to) -> AskedChannel.on(eventLoop, number, to), taker);
    }

    @Override
    public UdpSocket group(
            InetSocketAddress group, UdpSocket port, @Nullable AskedSocket asked, @Nullable NetworkInterface on)
            throws IOException {
        Socket member = EpollSocket.group(group, ((LoopSocket) port).descriptor, asked, on, settings);
        return new LoopSocket(member, null, addresses);
    }

    @Override
    public int routeMtu(InetSocketAddress to) {
        return SendFailure.pathMtu(to);
    }

    /** By Linux's errno, which exceptions of java.nio lack. */
    @Override
    public LlpException noPort(InetSocketAddress local, IOException cause) {
        return SendFailure.number(cause) == 0 ? channels.noPort(local, cause) : noGroup(local, cause);
    }

    @Override
    public LlpException noGroup(InetSocketAddress group, IOException cause) {
        LlpFailure failure = LinuxError.ofBind(SendFailure.number(cause), LlpFailure.ADDRESS_NOT_AVAILABLE);
        return UdpContext.bindFailed(group, failure, cause);
    }
}
