package dev.jwarp.sockets.netty;

import static io.netty.channel.ChannelOption.DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION;
import static io.netty.channel.ChannelOption.IP_MULTICAST_ADDR;
import static io.netty.channel.ChannelOption.IP_MULTICAST_IF;
import static io.netty.channel.ChannelOption.IP_MULTICAST_LOOP_DISABLED;
import static io.netty.channel.ChannelOption.IP_MULTICAST_TTL;
import static io.netty.channel.ChannelOption.SO_BROADCAST;

import dev.jwarp.sockets.SocketMode;
import dev.jwarp.sockets.datagram.DatagramEnd;
import io.netty.channel.ChannelException;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.DatagramChannelConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/** Options of a datagram channel. Sizes of buffers and the mode take effect when it is bound. */
@SuppressWarnings("deprecation") // deprecated options of Netty's channels
final class JwarpDatagramChannelConfig extends JwarpChannelConfig<DatagramChannelConfig>
        implements DatagramChannelConfig {
    /** The default size of a receive buffer in bytes, as in Netty's channels. */
    private static final int RECEIVED = 2048;

    private static final int MOST_HOPS = 255;

    private volatile boolean broadcast;
    private volatile boolean activeOnRegistration;
    private volatile @Nullable SocketMode mode;

    // The options for sending to groups; guarded by this.
    private @Nullable NetworkInterface groupsThrough;
    private int groupHops = 1;
    private boolean groupLoopDisabled;
    /** Null until the channel is bound. */
    private @Nullable DatagramEnd bound;

    JwarpDatagramChannelConfig(JwarpDatagramChannel channel) {
        super(channel, new FixedRecvByteBufAllocator(RECEIVED), true);
        withOutput();
        with(SO_BROADCAST, this::isBroadcast, this::setBroadcast);
        with(JwarpChannelOption.MODE, this::mode, this::setMode);
        with(IP_MULTICAST_IF, this::getNetworkInterface, this::setNetworkInterface);
        with(IP_MULTICAST_ADDR, this::getInterface, this::setInterface);
        with(IP_MULTICAST_TTL, this::getTimeToLive, this::setTimeToLive);
        with(IP_MULTICAST_LOOP_DISABLED, this::isLoopbackModeDisabled, this::setLoopbackModeDisabled);
        with(DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION, this::isActiveOnRegistration, this::setActiveOnRegistration);
    }

    /** {@return the mode for all peers; null if the rules decide} */
    @Nullable
    SocketMode mode() {
        return mode;
    }

    private void setMode(SocketMode told) {
        mode = told;
    }

    /** {@return whether the channel is active before it is bound, since its first sent datagram binds it} */
    boolean isActiveOnRegistration() {
        return activeOnRegistration;
    }

    private void setActiveOnRegistration(boolean active) {
        activeOnRegistration = active;
    }

    @Override
    public boolean isBroadcast() {
        return broadcast;
    }

    @Override
    public DatagramChannelConfig setBroadcast(boolean on) {
        broadcast = on;
        return this;
    }

    // ---- sending to groups

    /** Applies the options for sending to groups to a socket, now and after each change. */
    synchronized void sendToGroups(DatagramEnd through) throws IOException {
        through.sendToGroups(groupsThrough, groupHops, !groupLoopDisabled);
        bound = through;
    }

    private synchronized DatagramChannelConfig toGroups(
            @Nullable NetworkInterface through, int hops, boolean loopDisabled) {
        DatagramEnd there = bound;
        if (there != null) {
            try {
                there.sendToGroups(through, hops, !loopDisabled);
            } catch (IOException e) {
                throw new ChannelException(e);
            }
        }
        groupsThrough = through;
        groupHops = hops;
        groupLoopDisabled = loopDisabled;
        return this;
    }

    @Override
    public synchronized boolean isLoopbackModeDisabled() {
        return groupLoopDisabled;
    }

    /**
     * True: members on this host do not receive the datagrams. (Netty's NIO channels invert the meaning, its epoll
     * channels do not.)
     */
    @Override
    public synchronized DatagramChannelConfig setLoopbackModeDisabled(boolean disabled) {
        return toGroups(groupsThrough, groupHops, disabled);
    }

    @Override
    public synchronized int getTimeToLive() {
        return groupHops;
    }

    @Override
    public synchronized DatagramChannelConfig setTimeToLive(int hops) {
        if (hops < 0 || hops > MOST_HOPS) {
            throw new IllegalArgumentException(IP_MULTICAST_TTL + " is 0 to " + MOST_HOPS + ", not " + hops);
        }
        return toGroups(groupsThrough, hops, groupLoopDisabled);
    }

    @Override
    public @Nullable InetAddress getInterface() {
        NetworkInterface through = getNetworkInterface();
        return through == null ? null : through.inetAddresses().findFirst().orElse(null);
    }

    @Override
    public DatagramChannelConfig setInterface(InetAddress address) {
        NetworkInterface found;
        try {
            found = NetworkInterface.getByInetAddress(address);
        } catch (SocketException e) {
            throw new ChannelException(e);
        }
        if (found == null) {
            throw new IllegalArgumentException(IP_MULTICAST_ADDR + " is the address of an interface of this host, and "
                    + address.getHostAddress() + " belongs to no interface");
        }
        return setNetworkInterface(found);
    }

    @Override
    public synchronized @Nullable NetworkInterface getNetworkInterface() {
        return groupsThrough;
    }

    @Override
    public synchronized DatagramChannelConfig setNetworkInterface(NetworkInterface on) {
        if (on == null) {
            throw new IllegalArgumentException(IP_MULTICAST_IF + " is an interface, not null");
        }
        return toGroups(on, groupHops, groupLoopDisabled);
    }

    // ---- options of all channels
}
