package dev.jwarp.sockets.netty;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;
import static io.netty.channel.ChannelOption.IP_TOS;
import static io.netty.channel.ChannelOption.SO_KEEPALIVE;
import static io.netty.channel.ChannelOption.SO_LINGER;
import static io.netty.channel.ChannelOption.SO_RCVBUF;
import static io.netty.channel.ChannelOption.SO_REUSEADDR;
import static io.netty.channel.ChannelOption.SO_SNDBUF;
import static io.netty.channel.ChannelOption.TCP_NODELAY;

import dev.jwarp.sockets.connection.CreditSetUp;
import dev.jwarp.sockets.connection.StreamSetUp;
import dev.jwarp.sockets.stream.CreditEngine;
import dev.jwarp.sockets.stream.StreamProtocol;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import java.util.Map;

/** Options of a channel. Sizes of buffers and keep-alive count when it connects. */
final class JwarpSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {
    private static final int LEAST = 1 << 12;
    private static final int MOST = 1 << 28;

    private final JwarpSocketChannel stream;
    private final OptionTable table = new OptionTable()
            .with(SO_RCVBUF, this::getReceiveBufferSize, this::setReceiveBufferSize)
            .with(SO_SNDBUF, this::getSendBufferSize, this::setSendBufferSize)
            .with(TCP_NODELAY, this::isTcpNoDelay, this::setTcpNoDelay)
            .with(SO_KEEPALIVE, this::isKeepAlive, this::setKeepAlive)
            .with(SO_REUSEADDR, this::isReuseAddress, this::setReuseAddress)
            .with(SO_LINGER, this::getSoLinger, this::setSoLinger)
            .with(JwarpChannelOption.PROTOCOL, this::protocol, this::setProtocol)
            .with(JwarpChannelOption.CREDITS, this::credits, this::setCredits)
            .with(IP_TOS, this::getTrafficClass, this::setTrafficClass)
            .with(ALLOW_HALF_CLOSURE, this::isAllowHalfClosure, this::setAllowHalfClosure);

    private volatile int receiveBytes = StreamSetUp.DEFAULT.receiveBytes();
    private volatile int sendBytes = StreamSetUp.DEFAULT.sendBytes();
    private volatile int linger = -1;
    private volatile int trafficClass;
    private volatile boolean keepAlive;
    private volatile boolean noDelay = true;
    private volatile boolean reuseAddress;
    private volatile boolean halfClosure;
    private volatile StreamProtocol protocol = StreamSetUp.DEFAULT.protocol();
    private volatile int credits = CreditSetUp.DEFAULT.credits();

    JwarpSocketChannelConfig(JwarpSocketChannel channel) {
        super(channel);
        stream = channel;
    }

    StreamSetUp streams() {
        return StreamSetUp.of(receiveBytes, sendBytes, keepAlive)
                .withProtocol(protocol, CreditSetUp.DEFAULT.withCredits(credits));
    }

    /** {@return a size that a buffer can have} */
    static int size(int bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a buffer has 1 or more bytes, not " + bytes);
        }
        return Math.max(LEAST, Math.min(MOST, bytes)) & ~1;
    }

    /** {@return a number that credits can have} */
    static int checkedCredits(int count) {
        if (count < CreditEngine.LEAST_CREDITS || count > CreditEngine.MOST_CREDITS) {
            throw new IllegalArgumentException("a channel has " + CreditEngine.LEAST_CREDITS + " to "
                    + CreditEngine.MOST_CREDITS + " credits, not " + count);
        }
        return count;
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
        credits = checkedCredits(count);
    }

    @Override
    protected void autoReadCleared() {
        stream.clearReadPending();
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
    public SocketChannelConfig setReceiveBufferSize(int bytes) {
        receiveBytes = size(bytes);
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return sendBytes;
    }

    @Override
    public SocketChannelConfig setSendBufferSize(int bytes) {
        sendBytes = size(bytes);
        return this;
    }

    @Override
    public int getSoLinger() {
        return linger;
    }

    @Override
    public SocketChannelConfig setSoLinger(int seconds) {
        linger = seconds;
        return this;
    }

    /** As with TCP a hint, of which nothing is made. */
    @Override
    public int getTrafficClass() {
        return trafficClass;
    }

    @Override
    public SocketChannelConfig setTrafficClass(int value) {
        trafficClass = value;
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return keepAlive;
    }

    @Override
    public SocketChannelConfig setKeepAlive(boolean on) {
        keepAlive = on;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public SocketChannelConfig setReuseAddress(boolean on) {
        reuseAddress = on;
        return this;
    }

    @Override
    public boolean isTcpNoDelay() {
        return noDelay;
    }

    @Override
    public SocketChannelConfig setTcpNoDelay(boolean on) {
        noDelay = on;
        stream.combine();
        return this;
    }

    @Override
    public SocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return halfClosure;
    }

    @Override
    public SocketChannelConfig setAllowHalfClosure(boolean allow) {
        halfClosure = allow;
        return this;
    }

    @Override
    public SocketChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public SocketChannelConfig setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return this;
    }

    @Override
    public SocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public SocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public SocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public SocketChannelConfig setAutoRead(boolean read) {
        super.setAutoRead(read);
        return this;
    }

    @Override
    public SocketChannelConfig setAutoClose(boolean close) {
        super.setAutoClose(close);
        return this;
    }

    @Override
    public SocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public SocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }
}
