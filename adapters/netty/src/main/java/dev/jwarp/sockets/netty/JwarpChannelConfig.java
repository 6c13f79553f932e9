package dev.jwarp.sockets.netty;

import static io.netty.channel.ChannelOption.IP_TOS;
import static io.netty.channel.ChannelOption.SO_RCVBUF;
import static io.netty.channel.ChannelOption.SO_REUSEADDR;
import static io.netty.channel.ChannelOption.SO_SNDBUF;

import dev.jwarp.sockets.connection.CreditSetUp;
import dev.jwarp.sockets.connection.StreamSetUp;
import dev.jwarp.sockets.stream.CreditEngine;
import dev.jwarp.sockets.stream.StreamProtocol;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Options of a channel: those of all channels of Netty, and a table of additional ones of a kind of channel.
 *
 * @param <C> the type that the setters return: Netty's interface for this kind of channel
 */
abstract class JwarpChannelConfig<C extends ChannelConfig> extends DefaultChannelConfig {
    private static final int LEAST = 1 << 12;
    private static final int MOST = 1 << 28;

    private final LoopChannel loopChannel;
    private final Map<ChannelOption<?>, Access<?>> table = new LinkedHashMap<>();

    private volatile int receiveBytes = StreamSetUp.DEFAULT.receiveBytes();
    private volatile int sendBytes = StreamSetUp.DEFAULT.sendBytes();
    private volatile int trafficClass;
    private volatile boolean reuseAddress;
    private volatile StreamProtocol protocol = StreamSetUp.DEFAULT.protocol();
    private volatile int credits = CreditSetUp.DEFAULT.credits();

    private record Access<T>(Supplier<? extends @Nullable T> get, Consumer<T> set) {}

    /**
     * Creates the options of a channel.
     *
     * @param receives allocates the buffers for received bytes
     * @param reuse the default of SO_REUSEADDR
     */
    JwarpChannelConfig(LoopChannel channel, RecvByteBufAllocator receives, boolean reuse) {
        super(channel, receives);
        loopChannel = channel;
        reuseAddress = reuse;
        with(SO_RCVBUF, this::getReceiveBufferSize, this::setReceiveBufferSize);
        with(SO_REUSEADDR, this::isReuseAddress, this::setReuseAddress);
    }

    /** Adds the options of channels that send. */
    final void withOutput() {
        with(SO_SNDBUF, this::getSendBufferSize, this::setSendBufferSize);
        with(IP_TOS, this::getTrafficClass, this::setTrafficClass);
    }

    /** Adds the options of streams. */
    final void withStreams() {
        with(JwarpChannelOption.PROTOCOL, () -> protocol, spoken -> protocol = spoken);
        with(JwarpChannelOption.CREDITS, () -> credits, count -> credits = checkedCredits(count));
    }

    /** {@return the options for the set-up of a stream} */
    final StreamSetUp streams(boolean keepAlive) {
        return StreamSetUp.of(receiveBytes, sendBytes, keepAlive)
                .withProtocol(protocol, CreditSetUp.DEFAULT.withCredits(credits));
    }

    private static int checkedCredits(int count) {
        if (count < CreditEngine.LEAST_CREDITS || count > CreditEngine.MOST_CREDITS) {
            throw new IllegalArgumentException("a channel has " + CreditEngine.LEAST_CREDITS + " to "
                    + CreditEngine.MOST_CREDITS + " credits, not " + count);
        }
        return count;
    }

    public int getReceiveBufferSize() {
        return receiveBytes;
    }

    public C setReceiveBufferSize(int bytes) {
        receiveBytes = size(bytes);
        return self();
    }

    public int getSendBufferSize() {
        return sendBytes;
    }

    public C setSendBufferSize(int bytes) {
        sendBytes = size(bytes);
        return self();
    }

    /** A hint, which is ignored. */
    public int getTrafficClass() {
        return trafficClass;
    }

    public C setTrafficClass(int value) {
        trafficClass = value;
        return self();
    }

    public boolean isReuseAddress() {
        return reuseAddress;
    }

    public C setReuseAddress(boolean on) {
        reuseAddress = on;
        return self();
    }

    /** Adds an option, whose value is null while it is not set. */
    final <T> void with(ChannelOption<T> option, Supplier<? extends @Nullable T> get, Consumer<T> set) {
        table.put(option, new Access<>(get, set));
    }

    @SuppressWarnings("unchecked") // each kind names its own interface
    private C self() {
        return (C) this;
    }

    /** {@return the size of a buffer, checked} */
    private static int size(int bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a buffer has 1 or more bytes, not " + bytes);
        }
        return Math.max(LEAST, Math.min(MOST, bytes)) & ~1;
    }

    @Override
    protected void autoReadCleared() {
        loopChannel.clearReadPending();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), table.keySet().toArray(new ChannelOption<?>[0]));
    }

    @SuppressWarnings("unchecked") // with() adds both together
    private <T> @Nullable Access<T> access(ChannelOption<T> option) {
        return (Access<T>) table.get(option);
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        Access<T> access = access(option);
        T value = access == null ? null : access.get.get();
        return value == null ? super.getOption(option) : value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        Access<T> access = access(option);
        if (access == null) {
            return super.setOption(option, value);
        }
        access.set.accept(value);
        return true;
    }

    public C setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return self();
    }

    @Override
    public C setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return self();
    }

    @Override
    @Deprecated
    public C setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return self();
    }

    @Override
    public C setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return self();
    }

    @Override
    public C setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return self();
    }

    @Override
    public C setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return self();
    }

    @Override
    public C setAutoRead(boolean read) {
        super.setAutoRead(read);
        return self();
    }

    @Override
    public C setAutoClose(boolean close) {
        super.setAutoClose(close);
        return self();
    }

    @Override
    public C setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return self();
    }

    @Override
    public C setWriteBufferHighWaterMark(int bytes) {
        super.setWriteBufferHighWaterMark(bytes);
        return self();
    }

    @Override
    public C setWriteBufferLowWaterMark(int bytes) {
        super.setWriteBufferLowWaterMark(bytes);
        return self();
    }

    @Override
    public C setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return self();
    }
}
