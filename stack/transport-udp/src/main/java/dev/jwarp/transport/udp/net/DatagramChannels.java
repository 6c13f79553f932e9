package dev.jwarp.transport.udp.net;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.nio.SystemChannels;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens sockets of java.nio with the options that the settings ask for. All datagrams are Not-ECT, because nothing
 * counts the marks of received ones (datagram-iWARP §11.4.4, DG-11.4-10). Any thread.
 */
public final class DatagramChannels implements UdpSocket.Opener {
    private static final Logger LOG = LoggerFactory.getLogger(DatagramChannels.class);

    private static final KernelSegments.@Nullable Finder FINDER = service(KernelSegments.Finder.class);
    private static final AskedSocket.@Nullable Opener OPENER = service(AskedSocket.Opener.class);

    /** The most sockets of a wildcard port besides its own. */
    private static final int MOST_ADDRESSES = 64;

    private final UdpSettings settings;

    private final Tally<UdpCounter> counters;

    /** The cache of the ports' owner. */
    private final SocketAddresses addresses = new SocketAddresses();

    private static <S> @Nullable S service(Class<S> type) {
        return ServiceLoader.load(type, type.getClassLoader()).findFirst().orElse(null);
    }

    /** For the ports of one loop. */
    public DatagramChannels(UdpContext context) {
        settings = context.settings();
        counters = context.counters();
    }

    @Override
    public UdpSocket port(InetSocketAddress local) throws IOException {
        return socket(openPort(local));
    }

    private UdpSocket socket(DatagramChannel channel) throws IOException {
        try {
            return new DatagramChannelSocket(
                    channel, segments((InetSocketAddress) channel.getLocalAddress()), addresses);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** {@return the channel of a port; non-blocking} */
    public DatagramChannel openPort(InetSocketAddress local) throws IOException {
        return open(local.getAddress(), channel -> {
            boolean shared = settings.on(UdpSetting.SHARED_PORT);
            if (shared && local.getPort() != 0) {
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.bind(local);
            if (shared && local.getPort() == 0) {
                // Others may bind to the port from now on. Set before the bind, Linux might choose a port that is in
                // use.
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, (int) settings.number(UdpSetting.MULTICAST_TTL));
            channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, settings.on(UdpSetting.MULTICAST_LOOP));
            channel.setOption(StandardSocketOptions.SO_BROADCAST, settings.on(UdpSetting.BROADCAST));
            NetworkInterface device = NetworkInterface.getByInetAddress(local.getAddress());
            if (device != null) {
                channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, device);
            }
        });
    }

    @Override
    public boolean besides(UdpSocket port) {
        return port.localAddress().getAddress().isAnyLocalAddress() && !settings.on(UdpSetting.SHARED_PORT);
    }

    /** {@return the addresses of this host that a port at that wildcard address may need a socket for} */
    static List<InetAddress> addresses(InetAddress wildcard) {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> ofIpv6(wildcard) || !ofIpv6(address))
                    .limit(MOST_ADDRESSES)
                    .toList();
        } catch (SocketException e) {
            LOG.debug("The system does not list its addresses", e);
            return List.of();
        }
    }

    @Override
    public @Nullable AskedSocket asked(UdpSocket port, OtherAddresses taker) throws IOException {
        return asked(((DatagramChannelSocket) port).channel(), null, taker);
    }

    /**
     * {@return the socket that reports the destination addresses of a port; null if the port is not at the wildcard
     * address, or such a socket is not available}
     *
     * @param opener opens the socket; null for one with a thread of its own
     */
    public @Nullable AskedSocket asked(
            DatagramChannel wildcard, AskedSocket.@Nullable Opener opener, OtherAddresses taker) throws IOException {
        InetSocketAddress local = (InetSocketAddress) wildcard.getLocalAddress();
        if (!local.getAddress().isAnyLocalAddress()
                || settings.on(UdpSetting.SHARED_PORT)
                || !settings.on(UdpSetting.NATIVE)
                || !wildcard.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
            return null;
        }
        wildcard.setOption(StandardSocketOptions.SO_REUSEPORT, true); // temporarily, as in bindBeside
        try {
            AskedSocket.Opener used = opener == null ? OPENER : opener;
            return used == null ? null : used.open(local.getPort(), taker);
        } finally {
            wildcard.setOption(StandardSocketOptions.SO_REUSEPORT, false);
        }
    }

    @Override
    public UdpSocket beside(UdpSocket port, @Nullable AskedSocket asked, InetSocketAddress address) throws IOException {
        return socket(openBeside(((DatagramChannelSocket) port).channel(), asked, address));
    }

    /** {@return a channel at one of this host's addresses, with the port number of a wildcard port} */
    public DatagramChannel openBeside(DatagramChannel wildcard, @Nullable AskedSocket asked, InetSocketAddress address)
            throws IOException {
        return open(address.getAddress(), channel -> bindBeside(channel, address, wildcard, asked));
    }

    private void bindBeside(
            DatagramChannel channel, InetSocketAddress address, DatagramChannel wildcard, @Nullable AskedSocket asked)
            throws IOException {
        boolean shared = settings.on(UdpSetting.SHARED_PORT); // other sockets may have the port, now and later
        try {
            // Temporarily: otherwise other sockets of this user could bind to the same address and get our datagrams.
            wildcard.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            if (asked != null) {
                asked.share(true);
            }
            channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            channel.bind(address);
            channel.setOption(StandardSocketOptions.SO_REUSEPORT, shared);
        } catch (UnsupportedOperationException e) {
            throw new IOException("two sockets cannot share a port on this system", e);
        } finally {
            if (asked != null) {
                asked.share(false);
            }
            if (wildcard.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
                wildcard.setOption(StandardSocketOptions.SO_REUSEPORT, shared);
            }
        }
    }

    @Override
    public LlpException noPort(InetSocketAddress local, IOException cause) {
        return UdpContext.bindFailed(local, NioRefusal.ofPort(local, cause), cause);
    }

    @Override
    public LlpException noGroup(InetSocketAddress group, IOException cause) {
        return UdpContext.bindFailed(group, NioRefusal.ofGroup(group, cause), cause);
    }

    /** Binds to a local address, to test whether it is available. */
    static Closeable take(InetSocketAddress local) throws IOException {
        DatagramChannel channel = SystemChannels.provider().openDatagramChannel();
        try {
            return channel.bind(local);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public UdpSocket group(
            InetSocketAddress group, UdpSocket port, @Nullable AskedSocket asked, @Nullable NetworkInterface on)
            throws IOException {
        DatagramChannel channel = openGroup(group, ((DatagramChannelSocket) port).channel(), asked, on);
        return new DatagramChannelSocket(channel, null, addresses); // its address may belong to several sockets
    }

    private DatagramChannel openGroup(
            InetSocketAddress group, DatagramChannel port, @Nullable AskedSocket asked, @Nullable NetworkInterface on)
            throws IOException {
        InetSocketAddress local = (InetSocketAddress) port.getLocalAddress();
        boolean joins = group.getAddress().isMulticastAddress(); // a broadcast address is a group without members
        NetworkInterface device = joins && on == null ? device(local.getAddress()) : on;
        InetSocketAddress where = UdpContext.onLink(group, device);
        return open(group.getAddress(), channel -> {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true); // other sockets may be members, too
            // Bound to the group's address, so that only its datagrams are received (datagram-iWARP §G.2).
            if (local.getPort() == group.getPort()) {
                bindBeside(channel, where, port, asked);
            } else {
                channel.bind(where);
            }
            if (joins) {
                channel.join(group.getAddress(), Objects.requireNonNull(device));
            }
        });
    }

    /**
     * {@return the options of the kernel for the socket at this address; null if they are not available or not wanted}
     */
    @Nullable
    KernelSegments segments(InetSocketAddress local) {
        // Other sockets may have the address of a shared port: its socket cannot be found by the address.
        if (!settings.on(UdpSetting.NATIVE) || settings.on(UdpSetting.SHARED_PORT)) {
            return null;
        }
        KernelSegments found = FINDER == null ? null : FINDER.find(local);
        if (found != null) {
            return found;
        }
        LOG.debug("Datagrams of {} are sent one by one: the descriptor of its socket was not found", local);
        if (settings.sendsSegments() || settings.receivesSegments()) {
            counters.count(UdpCounter.NO_SEGMENTS);
        }
        return null;
    }

    @Override
    public int routeMtu(InetSocketAddress to) {
        return FINDER != null && settings.on(UdpSetting.NATIVE) ? FINDER.routeMtu(to) : 0;
    }

    private static NetworkInterface device(InetAddress local) throws IOException {
        NetworkInterface device = local.isAnyLocalAddress() ? null : NetworkInterface.getByInetAddress(local);
        if (device != null) {
            return device;
        }
        Enumeration<NetworkInterface> all = NetworkInterface.getNetworkInterfaces();
        NetworkInterface last = null;
        while (all.hasMoreElements()) {
            NetworkInterface candidate = all.nextElement();
            if (candidate.isUp() && candidate.supportsMulticast() && !candidate.isLoopback()) {
                return candidate;
            }
            last = candidate.isUp() ? candidate : last;
        }
        if (last == null) {
            throw new IOException("no network interface is up");
        }
        return last;
    }

    /** {@return whether a socket that is bound to {@code address} is an IPv6 socket} */
    public static boolean ofIpv6(InetAddress address) {
        return !(address instanceof Inet4Address);
    }

    /** Sets up a new channel. */
    private interface ChannelSetup {
        void on(DatagramChannel channel) throws IOException;
    }

    /** {@return a non-blocking channel} If the setup fails, the channel is closed. */
    private DatagramChannel open(InetAddress address, ChannelSetup setup) throws IOException {
        DatagramChannel channel = SystemChannels.provider()
                .openDatagramChannel(ofIpv6(address) ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        try {
            channel.configureBlocking(false);
            ask(channel, StandardSocketOptions.SO_RCVBUF, UdpSetting.RECEIVE_BUFFER);
            ask(channel, StandardSocketOptions.SO_SNDBUF, UdpSetting.SEND_BUFFER);
            setup.on(channel);
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    private void ask(DatagramChannel channel, SocketOption<Integer> option, UdpSetting setting) throws IOException {
        int wanted = (int) settings.number(setting);
        if (wanted > 0) {
            channel.setOption(option, wanted);
            int granted = channel.getOption(option);
            if (granted < wanted) {
                LOG.debug("{}: {} asked for, {} granted: the system's limit", option.name(), wanted, granted);
            }
        }
    }
}
