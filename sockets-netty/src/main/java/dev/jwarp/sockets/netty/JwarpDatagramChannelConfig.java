package dev.jwarp.sockets.netty;

import static io.netty.channel.ChannelOption.DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION;
import static io.netty.channel.ChannelOption.IP_TOS;
import static io.netty.channel.ChannelOption.SO_BROADCAST;
import static io.netty.channel.ChannelOption.SO_RCVBUF;
import static io.netty.channel.ChannelOption.SO_REUSEADDR;
import static io.netty.channel.ChannelOption.SO_SNDBUF;

import dev.jwarp.sockets.SocketMode;
import dev.jwarp.sockets.connection.StreamSetUp;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DatagramChannelConfig;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Options of a channel of datagrams. Sizes of buffers and the mode count when it is bound. */
@SuppressWarnings("deprecation") // Netty's own options, which its channels have
final class JwarpDatagramChannelConfig extends DefaultChannelConfig implements DatagramChannelConfig {
    /** Bytes of a datagram that is received, if the program says nothing: as Netty's own channels have it. */
    private static final int RECEIVED = 2048;

    private final JwarpDatagramChannel datagrams;
    private final OptionTable table = new OptionTable()
            .with(SO_RCVBUF, this::getReceiveBufferSize, this::setReceiveBufferSize)
            .with(SO_SNDBUF, this::getSendBufferSize, this::setSendBufferSize)
            .with(SO_REUSEADDR, this::isReuseAddress, this::setReuseAddress)
            .with(SO_BROADCAST, this::isBroadcast, this::setBroadcast)
            .with(JwarpChannelOption.MODE, this::mode, this::setMode)
            .with(IP_TOS, this::getTrafficClass, this::setTrafficClass)
            .with(DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION, this::isActiveOnRegistration, this::setActiveOnRegistration);

    private volatile int receiveBytes = StreamSetUp.DEFAULT.receiveBytes();
    private volatile int sendBytes = StreamSetUp.DEFAULT.sendBytes();
    private volatile int trafficClass;
    private volatile boolean reuseAddress = true;
    private volatile boolean broadcast;
    private volatile boolean activeOnRegistration;
    private volatile @Nullable SocketMode mode;

    JwarpDatagramChannelConfig(JwarpDatagramChannel channel) {
        super(channel, new FixedRecvByteBufAllocator(RECEIVED));
        datagrams = channel;
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
    protected void autoReadCleared() {
        datagrams.clearReadPending();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), table.options());
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        T value = table.get(option);
        return value == null ? super.getOption(option) : value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        return table.set(option, value) || super.setOption(option, value);
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBytes;
    }

    @Override
    public DatagramChannelConfig setReceiveBufferSize(int bytes) {
        receiveBytes = JwarpSocketChannelConfig.size(bytes);
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return sendBytes;
    }

    @Override
    public DatagramChannelConfig setSendBufferSize(int bytes) {
        sendBytes = JwarpSocketChannelConfig.size(bytes);
        return this;
    }

    /** A hint, of which nothing is made. */
    @Override
    public int getTrafficClass() {
        return trafficClass;
    }

    @Override
    public DatagramChannelConfig setTrafficClass(int value) {
        trafficClass = value;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public DatagramChannelConfig setReuseAddress(boolean on) {
        reuseAddress = on;
        return this;
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

    // ---- what there is not

    private static UnsupportedOperationException ofContext() {
        return new UnsupportedOperationException(
                "a channel of RDMA has no options of multicast: jwarp.udp.multicast-ttl and jwarp.udp.multicast-loop are settings of its loop's context, and datagrams to a"
                        + " group leave through the interface of the channel's own address");
    }

    @Override
    public boolean isLoopbackModeDisabled() {
        throw ofContext();
    }

    @Override
    public DatagramChannelConfig setLoopbackModeDisabled(boolean disabled) {
        throw ofContext();
    }

    @Override
    public int getTimeToLive() {
        throw ofContext();
    }

    @Override
    public DatagramChannelConfig setTimeToLive(int hops) {
        throw ofContext();
    }

    @Override
    public InetAddress getInterface() {
        throw ofContext();
    }

    @Override
    public DatagramChannelConfig setInterface(InetAddress address) {
        throw ofContext();
    }

    @Override
    public NetworkInterface getNetworkInterface() {
        throw ofContext();
    }

    @Override
    public DatagramChannelConfig setNetworkInterface(NetworkInterface on) {
        throw ofContext();
    }

    // ---- what all channels have

    @Override
    public DatagramChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public DatagramChannelConfig setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return this;
    }

    @Override
    public DatagramChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public DatagramChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public DatagramChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public DatagramChannelConfig setAutoRead(boolean read) {
        super.setAutoRead(read);
        return this;
    }

    @Override
    public DatagramChannelConfig setAutoClose(boolean close) {
        super.setAutoClose(close);
        return this;
    }

    @Override
    public DatagramChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public DatagramChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }
}
