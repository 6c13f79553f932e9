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

/** Options of a channel of datagrams. Sizes of buffers and the mode count when it is bound. */
@SuppressWarnings("deprecation") // Netty's own options, which its channels have
final class JwarpDatagramChannelConfig extends JwarpChannelConfig<DatagramChannelConfig>
        implements DatagramChannelConfig {
    /** Bytes of a datagram that is received, if the program says nothing: as Netty's own channels have it. */
    private static final int RECEIVED = 2048;

    private static final int MOST_HOPS = 255;

    private volatile boolean broadcast;
    private volatile boolean activeOnRegistration;
    private volatile @Nullable SocketMode mode;

    // How datagrams to groups leave; guarded by this.
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

    /** {@return what all peers may speak; null: the rules say it} */
    @Nullable
    SocketMode mode() {
        return mode;
    }

    private void setMode(SocketMode told) {
        mode = told;
    }

    /** {@return whether it is active before it is bound, as the first datagram that it sends binds it} */
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

    // ---- groups: how datagrams to them leave

    /** Has a socket send to groups as the options say, now and after each change of the options. */
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

    /** True: members on this host do not hear what is sent. (Netty's own channels of NIO take it the other way round, those of epoll as here.) */
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
                    + address.getHostAddress() + " is that of none");
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

    // ---- what all channels have
}
