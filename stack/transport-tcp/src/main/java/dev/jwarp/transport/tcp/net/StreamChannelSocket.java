package dev.jwarp.transport.tcp.net;

import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.netty.TcpInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A socket of java.nio. */
final class StreamChannelSocket implements StreamSocket {
    private static final Logger LOG = LoggerFactory.getLogger(StreamChannelSocket.class);

    private final StreamChannels opener;
    private final SocketChannel channel;

    /** Looked up at the first use. */
    private @Nullable TcpInfo info;

    private boolean infoSought;

    StreamChannelSocket(StreamChannels opener, SocketChannel channel) {
        this.opener = opener;
        this.channel = channel;
    }

    SocketChannel channel() {
        return channel;
    }

    /** A listening socket. */
    record Listener(StreamChannels opener, ServerSocketChannel channel, InetSocketAddress localAddress)
            implements Listening {
        @Override
        public @Nullable StreamSocket accept() throws IOException {
            SocketChannel taken = channel.accept();
            return taken == null ? null : new StreamChannelSocket(opener, taken);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException {
            return watcher.watch(channel, operations, item);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Override
    public void prepare() throws IOException {
        TcpSettings settings = opener.settings();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        opener.setSize(channel, StandardSocketOptions.SO_SNDBUF, TcpSetting.SEND_BUFFER);
        opener.setSize(channel, StandardSocketOptions.SO_RCVBUF, TcpSetting.RECEIVE_BUFFER);
        keepAlive(settings.keepAlive());
    }

    @Override
    public @Nullable InetSocketAddress localAddress() throws IOException {
        return channel.getLocalAddress() instanceof InetSocketAddress address ? address : null;
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() throws IOException {
        return channel.getRemoteAddress() instanceof InetSocketAddress address ? address : null;
    }

    @Override
    public boolean connect(InetSocketAddress remote) throws IOException {
        return channel.connect(remote);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return channel.finishConnect();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public long write(ByteBuffer[] buffers, int count) throws IOException {
        return count == 1 ? channel.write(buffers[0]) : channel.write(buffers, 0, count);
    }

    @Override
    public boolean timedOut(IOException cause) {
        return LostConnection.timedOut(cause);
    }

    @Override
    public void shutDownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void resetOnClose() throws IOException {
        if (channel.isOpen() && channel.isConnected()) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
    }

    @Override
    public int receiveBuffer() throws IOException {
        return channel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void keepAlive(KeepAliveTimes wanted) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, wanted.on());
        if (wanted.on()) {
            setIfKnown(ExtendedSocketOptions.TCP_KEEPIDLE, wanted.idleSeconds());
            setIfKnown(ExtendedSocketOptions.TCP_KEEPINTERVAL, wanted.intervalSeconds());
            setIfKnown(ExtendedSocketOptions.TCP_KEEPCOUNT, wanted.probes());
        }
    }

    private void setIfKnown(SocketOption<Integer> option, int value) throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }

    @Override
    public int unsent(int segment, boolean seek) {
        if (!infoSought) {
            infoSought = true;
            info = seek ? seek() : null;
        }
        return info == null ? StreamDriver.UNKNOWN : info.unsent(segment);
    }

    private @Nullable TcpInfo seek() {
        try {
            InetSocketAddress local = localAddress();
            InetSocketAddress remote = remoteAddress();
            return local == null || remote == null ? null : opener.info(local, remote);
        } catch (IOException e) {
            LOG.debug("A connection broke", e); // the next read says so too
            return null;
        }
    }

    @Override
    public SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException {
        return watcher.watch(channel, operations, item);
    }

    @Override
    public void block(boolean blocking) throws IOException {
        channel.configureBlocking(blocking);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
