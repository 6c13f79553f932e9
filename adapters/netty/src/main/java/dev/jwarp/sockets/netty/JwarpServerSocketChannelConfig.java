package dev.jwarp.sockets.netty;

import static io.netty.channel.ChannelOption.SO_BACKLOG;
import static io.netty.channel.ChannelOption.SO_RCVBUF;
import static io.netty.channel.ChannelOption.SO_REUSEADDR;

import dev.jwarp.sockets.connection.CreditSetUp;
import dev.jwarp.sockets.connection.StreamSetUp;
import dev.jwarp.sockets.stream.StreamProtocol;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;
import java.util.Map;

/** Options of a server channel: what is accepted has its receive buffer. */
final class JwarpServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {
    private final JwarpServerSocketChannel server;
    private final OptionTable table = new OptionTable()
            .with(SO_BACKLOG, this::getBacklog, this::setBacklog)
            .with(SO_RCVBUF, this::getReceiveBufferSize, this::setReceiveBufferSize)
            .with(SO_REUSEADDR, this::isReuseAddress, this::setReuseAddress)
            .with(JwarpChannelOption.PROTOCOL, this::protocol, this::setProtocol)
            .with(JwarpChannelOption.CREDITS, this::credits, this::setCredits);

    private volatile int backlog = NetUtil.SOMAXCONN;
    private volatile int receiveBytes = StreamSetUp.DEFAULT.receiveBytes();
    private volatile boolean reuseAddress = true;
    private volatile StreamProtocol protocol = StreamSetUp.DEFAULT.protocol();
    private volatile int credits = CreditSetUp.DEFAULT.credits();

    JwarpServerSocketChannelConfig(JwarpServerSocketChannel channel) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        server = channel;
    }

    StreamSetUp streams() {
        return StreamSetUp.of(receiveBytes, StreamSetUp.DEFAULT.sendBytes(), false)
                .withProtocol(protocol, CreditSetUp.DEFAULT.withCredits(credits));
    }

    private StreamProtocol protocol() {
        return protocol;
    }

    private void setProtocol(StreamProtocol spoken) {
        protocol = spoken;
    }

    private int credits() {
        return credits;
    }

    private void setCredits(int count) {
        credits = JwarpSocketChannelConfig.checkedCredits(count);
    }

    @Override
    protected void autoReadCleared() {
        server.clearReadPending();
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
    public int getBacklog() {
        return backlog;
    }

    @Override
    public ServerSocketChannelConfig setBacklog(int connections) {
        if (connections < 0) {
            throw new IllegalArgumentException("a backlog is 0 or more connections, not " + connections);
        }
        backlog = Math.max(1, Math.min(connections, 0xFFFF));
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public ServerSocketChannelConfig setReuseAddress(boolean reuse) {
        reuseAddress = reuse;
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBytes;
    }

    @Override
    public ServerSocketChannelConfig setReceiveBufferSize(int bytes) {
        receiveBytes = JwarpSocketChannelConfig.size(bytes);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public ServerSocketChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public ServerSocketChannelConfig setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setAutoRead(boolean read) {
        super.setAutoRead(read);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteBufferHighWaterMark(int bytes) {
        super.setWriteBufferHighWaterMark(bytes);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteBufferLowWaterMark(int bytes) {
        super.setWriteBufferLowWaterMark(bytes);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }
}
