package dev.jwarp.transport.udp.nio;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.KernelSegments;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Enumeration;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens sockets of java.nio with the options that the settings ask for. Any thread. */
public final class NioUdpSockets {
    private static final Logger LOG = LoggerFactory.getLogger(NioUdpSockets.class);

    private static final List<KernelSegments.Finder> FINDERS =
            ServiceLoader.load(KernelSegments.Finder.class, KernelSegments.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private final UdpSettings settings;

    private final Tally<UdpCounter> counters;

    /** For the ports of one transport. */
    public NioUdpSockets(UdpSettings settings, Tally<UdpCounter> counters) {
        this.settings = settings;
        this.counters = counters;
    }

    /** {@return a socket of its own for a port} It does not block. */
    public DatagramChannel port(InetSocketAddress local) throws IOException {
        DatagramChannel channel = open(local.getAddress());
        try {
            boolean shared = settings.on(UdpSetting.SHARED_PORT);
            if (shared && local.getPort() != 0) {
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.bind(local);
            if (shared && local.getPort() == 0) {
                // Others may have it from now on. Before the bind, Linux might choose a port that they have already.
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, (int) settings.number(UdpSetting.MULTICAST_TTL));
            channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, settings.on(UdpSetting.MULTICAST_LOOP));
            channel.setOption(StandardSocketOptions.SO_BROADCAST, settings.on(UdpSetting.BROADCAST));
            NetworkInterface device = NetworkInterface.getByInetAddress(local.getAddress());
            if (device != null) {
                channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, device);
            }
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** {@return that there is no port at {@code local}, and why} */
    public static LlpException portRefused(InetSocketAddress local, IOException cause) {
        return UdpContext.bindFailed(local, NioRefusal.ofPort(local, cause), cause);
    }

    /** Takes a local address, to see whether it can be had. */
    static Closeable take(InetSocketAddress local) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            return channel.bind(local);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** {@return a socket of its own for a group, which it has joined} */
    DatagramChannel group(InetSocketAddress group, InetAddress local, @Nullable NetworkInterface on)
            throws IOException {
        DatagramChannel channel = open(group.getAddress());
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true); // others may be members too
            channel.bind(group); // so that nothing but the group's datagrams comes (datagram-iWARP §12)
            if (group.getAddress().isMulticastAddress()) {
                channel.join(group.getAddress(), on == null ? device(local) : on);
            }
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** {@return what the kernel does for the socket at this address beyond java.nio; null if it cannot be asked, or is not wanted} */
    @Nullable
    KernelSegments segments(InetSocketAddress local) {
        if (!settings.on(UdpSetting.EPOLL) || !(settings.on(UdpSetting.GSO) || settings.on(UdpSetting.GRO))) {
            return null;
        }
        if (settings.on(UdpSetting.SHARED_PORT)) {
            return null; // its address is that of other sockets too: none can be told by it
        }
        for (KernelSegments.Finder finder : FINDERS) {
            KernelSegments found = finder.find(local);
            if (found != null) {
                return found;
            }
        }
        LOG.debug("Datagrams of {} go one by one: the descriptor of its socket was not found", local);
        counters.count(UdpCounter.NO_SEGMENTS);
        return null;
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

    /** {@return whether a socket that is bound there is one of IPv6} */
    public static boolean ofIpv6(InetAddress address) {
        return !(address instanceof Inet4Address);
    }

    private DatagramChannel open(InetAddress address) throws IOException {
        DatagramChannel channel =
                DatagramChannel.open(ofIpv6(address) ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        channel.configureBlocking(false);
        ask(channel, StandardSocketOptions.SO_RCVBUF, UdpSetting.RECEIVE_BUFFER);
        ask(channel, StandardSocketOptions.SO_SNDBUF, UdpSetting.SEND_BUFFER);
        return channel;
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
