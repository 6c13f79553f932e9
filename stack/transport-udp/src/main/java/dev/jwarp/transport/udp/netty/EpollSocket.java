package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.AskedSocket;
import dev.jwarp.transport.udp.net.KernelSegments;
import dev.jwarp.transport.udp.net.UdpContext;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A UDP socket of Linux and its options; opens dual-stack ones with the options of the settings. */
class EpollSocket implements KernelSegments {
    private static final Logger LOG = LoggerFactory.getLogger(EpollSocket.class);

    // Linux, include/uapi/linux: socket.h, in.h, in6.h, udp.h.
    private static final int SOL_IP = 0;
    private static final int SOL_UDP = 17;
    private static final int SOL_IPV6 = 41;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int IP_MULTICAST_IF = 32;
    private static final int IP_MULTICAST_TTL = 33;
    private static final int IP_MULTICAST_LOOP = 34;
    private static final int IP_ADD_MEMBERSHIP = 35;
    private static final int IP_MULTICAST_ALL = 49;
    private static final int IPV6_MTU_DISCOVER = 23;
    private static final int IPV6_MULTICAST_IF = 17;
    private static final int IPV6_MULTICAST_HOPS = 18;
    private static final int IPV6_MULTICAST_LOOP = 19;
    private static final int IPV6_JOIN_GROUP = 20;
    private static final int IPV6_MULTICAST_ALL = 29;

    /**
     * Values of the two options of path MTU discovery: never set "do not fragment", or always, regardless of the
     * kernel's path MTU.
     */
    private static final int FRAGMENT = 0;

    private static final int PROBE = 3;

    /** The option for the length of fragments in IPv6, where only the sender fragments (RFC 8200 §5). */
    private static final int IPV6_MTU = 24;

    private static final int LEAST_IPV6_MTU = 1280;

    /** The descriptor, for the event loop and for options; this class does not close it. */
    final Socket descriptor;

    private final boolean ipv6;

    /** @param ipv6 whether the socket has the options of IPv6 */
    EpollSocket(Socket descriptor, boolean ipv6) {
        this.descriptor = descriptor;
        this.ipv6 = ipv6;
    }

    /** {@return the socket of a port, opened by Netty's own calls} */
    static Socket port(InetSocketAddress local, UdpSettings settings) throws IOException {
        return open(settings, socket -> {
            boolean shared = settings.on(UdpSetting.SHARED_PORT);
            socket.setReusePort(shared && local.getPort() != 0);
            socket.bind(local);
            socket.setReusePort(shared); // for port 0 after the bind: Linux might choose a port in use
            EpollSocket opened = new EpollSocket(socket, Socket.isIPv6Preferred());
            opened.configure(settings);
            NetworkInterface device = NetworkInterface.getByInetAddress(local.getAddress());
            if (device != null) {
                opened.groupsThrough(device);
            }
        });
    }

    /** Sets those options of a port's own socket that do not depend on an address. */
    final void configure(UdpSettings settings) throws IOException {
        keepWhole(!settings.on(UdpSetting.FRAGMENTS)); // datagram-iWARP §6.3 (DG-4.5-8)
        groupsReach((int) settings.number(UdpSetting.MULTICAST_TTL), settings.on(UdpSetting.MULTICAST_LOOP));
        set(IP_MULTICAST_ALL, IPV6_MULTICAST_ALL, 0); // §G.2: groups have sockets of their own
        descriptor.setBroadcast(settings.on(UdpSetting.BROADCAST));
    }

    /** {@return the descriptor that the process gets next, if no other thread opens one; -1 if none is left} */
    static int nextDescriptor() {
        try {
            Socket socket = Socket.newSocketDgram();
            socket.close();
            return socket.intValue();
        } catch (IOException | ChannelException e) {
            return -1; // the following open will fail and report it
        }
    }

    /**
     * {@return a new socket that has joined a group}
     *
     * @param port the socket of the port that joins; the group may have the same port number
     * @param asked the second socket at the port's wildcard address, if there is one
     */
    static Socket group(
            InetSocketAddress group,
            Socket port,
            @Nullable AskedSocket asked,
            @Nullable NetworkInterface on,
            UdpSettings settings)
            throws IOException {
        InetSocketAddress local = port.localAddress();
        NetworkInterface device = on == null ? NetworkInterface.getByInetAddress(local.getAddress()) : on;
        InetSocketAddress where = UdpContext.onLink(group, device);
        return open(settings, socket -> {
            socket.setReuseAddress(true); // other sockets may be members, too
            // Bound to the group's address, so that only its datagrams are received (datagram-iWARP §G.2).
            if (local.getPort() == group.getPort()) {
                bindBeside(socket, where, port, asked, settings.on(UdpSetting.SHARED_PORT));
            } else {
                socket.bind(where);
            }
            int index = device == null ? 0 : device.getIndex(); // 0: the system's choice
            byte[] address = group.getAddress().getAddress();
            if (group.getAddress() instanceof Inet4Address) {
                if (group.getAddress().isMulticastAddress()) {
                    socket.setRawOpt(
                            SOL_IP,
                            IP_ADD_MEMBERSHIP,
                            direct(12).put(address).putInt(0).putInt(index).flip());
                }
            } else {
                socket.setRawOpt(
                        SOL_IPV6,
                        IPV6_JOIN_GROUP,
                        direct(20).put(address).putInt(index).flip());
            }
        });
    }

    /**
     * Binds a socket to an address with the number of an open port, whose wildcard socket would otherwise block the
     * bind.
     */
    private static void bindBeside(
            Socket socket, InetSocketAddress address, Socket port, @Nullable AskedSocket asked, boolean shared)
            throws IOException {
        try {
            port.setReusePort(true); // temporarily, as for sockets of java.nio
            if (asked != null) {
                asked.share(true);
            }
            socket.setReusePort(true);
            socket.bind(address);
            socket.setReusePort(shared);
        } finally {
            if (asked != null) {
                asked.share(false);
            }
            port.setReusePort(shared);
        }
    }

    /** Sets the interface for datagrams to groups. Any thread, while the socket is open. */
    public final void groupsThrough(NetworkInterface device) throws IOException {
        int index = device.getIndex();
        descriptor.setRawOpt(
                SOL_IP,
                IP_MULTICAST_IF,
                direct(12).putInt(0).putInt(0).putInt(index).flip());
        if (ipv6) {
            descriptor.setIntOpt(SOL_IPV6, IPV6_MULTICAST_IF, index);
        }
    }

    /** Sets hop limit and loopback to this host of datagrams to groups. Any thread, while the socket is open. */
    public final void groupsReach(int hops, boolean loop) throws IOException {
        set(IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, hops);
        set(IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, loop ? 1 : 0);
    }

    /** Sets an option of IPv4, and that of IPv6 if the socket has it. */
    private void set(int ofIpv4, int ofIpv6, int value) throws IOException {
        descriptor.setIntOpt(SOL_IP, ofIpv4, value);
        if (ipv6) {
            descriptor.setIntOpt(SOL_IPV6, ofIpv6, value);
        }
    }

    /** The structs of these options are in native byte order, except for addresses. */
    private static ByteBuffer direct(int length) {
        return ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
    }

    @Override
    public final boolean keepWhole(boolean whole) {
        try {
            set(IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, whole ? PROBE : FRAGMENT);
            if (ipv6) {
                descriptor.setIntOpt(SOL_IPV6, IPV6_MTU, whole ? 0 : LEAST_IPV6_MTU);
            }
            return true;
        } catch (IOException e) {
            LOG.debug("This kernel cannot forbid fragments", e);
            return false;
        }
    }

    @Override
    public final boolean coalesce() {
        return tryOption(UDP_GRO, 1);
    }

    @Override
    public final boolean segment(int size) {
        return tryOption(UDP_SEGMENT, size);
    }

    @Override
    public final boolean mayBeOfSegments(IOException e) {
        return SendFailure.mayBeOfSegments(e);
    }

    private boolean tryOption(int option, int value) {
        try {
            descriptor.setIntOpt(SOL_UDP, option, value);
            return true;
        } catch (IOException e) {
            LOG.debug("This kernel does not know UDP option {}", option, e);
            return false;
        }
    }

    /** Sets up a new socket. */
    private interface SocketSetup {
        void on(Socket socket) throws IOException;
    }

    /** {@return a socket} If the setup fails, the socket is closed. */
    private static Socket open(UdpSettings settings, SocketSetup setup) throws IOException {
        Socket socket = Socket.newSocketDgram();
        try {
            int receive = (int) settings.number(UdpSetting.RECEIVE_BUFFER);
            if (receive > 0) {
                socket.setReceiveBufferSize(receive);
            }
            int send = (int) settings.number(UdpSetting.SEND_BUFFER);
            if (send > 0) {
                socket.setSendBufferSize(send);
            }
            setup.on(socket);
            return socket;
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }
}
