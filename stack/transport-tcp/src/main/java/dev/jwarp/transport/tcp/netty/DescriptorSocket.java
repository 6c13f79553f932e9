package dev.jwarp.transport.tcp.netty;

import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.io.netty.EventLoopWatcher;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.StreamSocket;
import dev.jwarp.transport.tcp.net.netty.TcpInfo;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A socket descriptor of Linux, with Netty's system calls. */
final class DescriptorSocket implements StreamSocket {
    // Linux, include/uapi/linux: in.h, tcp.h.
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_KEEPIDLE = 4;
    private static final int TCP_KEEPINTVL = 5;
    private static final int TCP_KEEPCNT = 6;

    private static final Logger LOG = LoggerFactory.getLogger(DescriptorSocket.class);

    /** Maximum bytes of a heap buffer that are copied for one system call. */
    private static final int COPY = 64 << 10;

    private final TcpSettings settings;
    private final Socket socket;

    /** Created at the first use. */
    private @Nullable TcpInfo info;

    DescriptorSocket(TcpSettings settings, Socket socket) {
        this.settings = settings;
        this.socket = socket;
    }

    Socket descriptor() {
        return socket;
    }

    /** A listening socket. */
    record Listener(TcpSettings settings, Socket socket, InetSocketAddress localAddress) implements Listening {
        /** Maximum length of the peer's address from Netty's call. */
        private static final int ADDRESS = 25;

        @Override
        public @Nullable StreamSocket accept() throws IOException {
            int taken = socket.accept(new byte[ADDRESS]);
            return taken < 0 ? null : new DescriptorSocket(settings, new Socket(taken));
        }

        @Override
        public boolean isOpen() {
            return socket.isOpen();
        }

        @Override
        public SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException {
            return ((EventLoopWatcher) watcher).watch(socket, operations, item);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Override
    public void prepare() throws IOException {
        socket.setTcpNoDelay(true);
        setBuffers(socket, settings);
        keepAlive(settings.keepAlive());
    }

    /** Sets the sizes of the buffers, unless the system chooses them. */
    static void setBuffers(Socket socket, TcpSettings settings) throws IOException {
        int send = (int) settings.number(TcpSetting.SEND_BUFFER);
        if (send > 0) {
            socket.setSendBufferSize(send);
        }
        int receive = (int) settings.number(TcpSetting.RECEIVE_BUFFER);
        if (receive > 0) {
            socket.setReceiveBufferSize(receive);
        }
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return socket.remoteAddress();
    }

    @Override
    public boolean connect(InetSocketAddress remote) throws IOException {
        return socket.connect(remote);
    }

    @Override
    public boolean finishConnect() throws IOException {
        // The event may be older than the descriptor. While a connect is in progress there is no error, and no peer.
        return socket.finishConnect() && socket.remoteAddress() != null;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        // By address: Netty's native code looks up the address of a buffer with several calls of JNI.
        int read = socket.readAddress(Buffer.memoryAddress(into), into.position(), into.limit());
        if (read > 0) {
            into.position(into.position() + read);
        }
        return read;
    }

    @Override
    public long write(ByteBuffer[] buffers, int count) throws IOException {
        if (count == 1) {
            return write(buffers[0]);
        }
        for (int i = 0; i < count; i++) {
            if (!buffers[i].isDirect()) {
                return writeOneByOne(buffers, count);
            }
        }
        long written = socket.writev(buffers, 0, count, Long.MAX_VALUE);
        long left = written;
        for (int i = 0; i < count && left > 0; i++) {
            int of = (int) Math.min(left, buffers[i].remaining());
            buffers[i].position(buffers[i].position() + of);
            left -= of;
        }
        return written;
    }

    private long writeOneByOne(ByteBuffer[] buffers, int count) throws IOException {
        long written = 0;
        for (int i = 0; i < count; i++) {
            while (buffers[i].hasRemaining()) {
                int of = write(buffers[i]);
                if (of == 0) {
                    return written;
                }
                written += of;
            }
        }
        return written;
    }

    private int write(ByteBuffer buffer) throws IOException {
        int written;
        if (buffer.isDirect()) {
            written = socket.writeAddress(Buffer.memoryAddress(buffer), buffer.position(), buffer.limit());
        } else { // the system call needs memory at a fixed address
            int length = Math.min(buffer.remaining(), COPY);
            ByteBuffer copy = ByteBuffer.allocateDirect(length);
            copy.put(0, buffer, buffer.position(), length);
            written = socket.write(copy, 0, length);
        }
        buffer.position(buffer.position() + written);
        return written;
    }

    @Override
    public boolean timedOut(IOException cause) {
        return cause instanceof NativeIoException known && ErrorNumber.timedOut(known);
    }

    @Override
    public boolean timedOutWriting(IOException cause) {
        return timedOut(cause);
    }

    @Override
    public void shutDownOutput() throws IOException {
        try {
            socket.shutdown(false, true);
        } catch (NotYetConnectedException e) {
            LOG.debug("A connection broke", e); // the peer has reset it, which the next read reports
        }
    }

    @Override
    public void resetOnClose() throws IOException {
        if (socket.isOpen()) {
            socket.setSoLinger(0);
        }
    }

    @Override
    public int receiveBuffer() throws IOException {
        return socket.getReceiveBufferSize();
    }

    @Override
    public void keepAlive(KeepAliveTimes wanted) throws IOException {
        socket.setKeepAlive(wanted.on());
        if (wanted.on()) {
            socket.setIntOpt(IPPROTO_TCP, TCP_KEEPIDLE, wanted.idleSeconds());
            socket.setIntOpt(IPPROTO_TCP, TCP_KEEPINTVL, wanted.intervalSeconds());
            socket.setIntOpt(IPPROTO_TCP, TCP_KEEPCNT, wanted.probes());
        }
    }

    @Override
    public int unsent(int segment, boolean seek) {
        TcpInfo asked = info;
        if (asked == null) {
            asked = new TcpInfo(socket);
            info = asked;
        }
        return asked.unsent(segment);
    }

    @Override
    public SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException {
        return ((EventLoopWatcher) watcher).watch(socket, operations, item);
    }

    @Override
    public void block(boolean blocking) {
        throw new UnsupportedOperationException("a descriptor of an event loop does not block");
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
