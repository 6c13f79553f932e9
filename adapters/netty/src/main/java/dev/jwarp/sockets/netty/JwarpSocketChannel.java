package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamWatcher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stream channel over RDMA, with the protocol of {@link JwarpChannelOption#PROTOCOL}. Its event loop has a {@link
 * JwarpIoHandler}, which drives the channel without another thread.
 */
public final class JwarpSocketChannel extends LoopChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final ByteBufCopy sink = new ByteBufCopy();
    private final JwarpSocketChannelConfig config = new JwarpSocketChannelConfig(this);

    /** The handler of the connection's loop; null until the channel is registered. */
    private @Nullable JwarpIoHandler handler;

    private volatile @Nullable StreamConnection connection;
    private volatile boolean connected;
    private volatile boolean inputShut;
    private volatile boolean outputShut;
    private @Nullable InetSocketAddress wanted;

    /** The buffers that are written; null until the first write. */
    private @Nullable FlushedBuffers outbound;

    private @Nullable ChannelPromise connectPromise;
    private @Nullable ScheduledFuture<?> connectTimeout;
    private @Nullable InetSocketAddress asked;

    /** Creates an unconnected channel. */
    public JwarpSocketChannel() {
        super(null);
    }

    /** Creates the channel of a connection accepted in the loop of {@code handler}. */
    JwarpSocketChannel(JwarpServerSocketChannel parent, JwarpIoHandler handler, StreamConnection accepted) {
        super(parent);
        this.handler = handler;
        connection = accepted;
        connected = true;
    }

    // ---- type and state

    @Override
    public SocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public @Nullable ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public boolean isActive() {
        return open && connected;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        StreamConnection current = connection;
        return current == null ? wanted : current.localAddress();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        StreamConnection current = connection;
        return current == null || !connected ? null : current.remoteAddress();
    }

    // ---- event loop

    /** Registers an accepted channel with the loop of its connection, which is one of the group's. */
    private final class Entry extends ForwardingUnsafe {
        Entry(Unsafe inner) {
            super(inner);
        }

        @Override
        public void register(EventLoop loop, ChannelPromise promise) {
            JwarpIoHandler own = handler;
            if (parent() instanceof JwarpServerSocketChannel server) {
                server.learn(loop);
            }
            super.register(own == null || JwarpIoHandler.of(loop) == null ? loop : own.loop(), promise);
        }
    }

    private @Nullable Entry entry;

    @Override
    public Unsafe unsafe() {
        Entry made = entry;
        if (made == null) {
            made = new Entry(super.unsafe());
            entry = made;
        }
        return made;
    }

    @Override
    void registered(JwarpIoHandler own) {
        handler = own;
        Link ofLoop = new Link(own);
        link = ofLoop;
        StreamConnection accepted = connection;
        if (accepted != null) {
            accepted.attach(ofLoop);
        }
    }

    /** The link of the channel's connection to its loop. */
    private final class Link extends LoopLink {
        /** The zero-copy buffers were sent. */
        private boolean returned;

        Link(JwarpIoHandler loop) {
            super(loop);
        }

        @Override
        int wants() {
            return (connectPromise == null ? 0 : SelectionKey.OP_CONNECT)
                    | (readPending && !reading ? SelectionKey.OP_READ : 0)
                    | (inputShut ? 0 : StreamWatcher.ENDED)
                    | (writePending ? SelectionKey.OP_WRITE : 0);
        }

        void returned() {
            returned = true;
            ask();
        }

        @Override
        void act() {
            int can = can();
            if ((can & SelectionKey.OP_CONNECT) != 0) {
                finishConnect();
                can = can();
            }
            if (returned || (can & SelectionKey.OP_WRITE) != 0) {
                returned = false;
                writePending = false;
                ((StreamUnsafe) JwarpSocketChannel.super.unsafe()).flushAgain();
            }
            boolean ended = (can & StreamWatcher.ENDED) != 0; // also while the program does not read
            if (ended || ((can & SelectionKey.OP_READ) != 0 && readPending)) {
                readStream();
            }
        }
    }

    // ---- connecting

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    private final class StreamUnsafe extends LoopUnsafe {
        @Override
        public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                begin(remote, local);
            } catch (IOException | RuntimeException e) {
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
                return;
            }
            connectPromise = promise;
            int millis = config.getConnectTimeoutMillis();
            if (millis > 0) {
                connectTimeout = eventLoop()
                        .schedule(
                                () -> failConnect(new ConnectTimeoutException(
                                        "not connected to " + remote + " within " + millis + " ms")),
                                millis,
                                TimeUnit.MILLISECONDS);
            }
            promise.addListener(future -> {
                if (future.isCancelled()) {
                    endConnect();
                    close(voidPromise());
                }
            });
            look();
        }

        Throwable annotated(Throwable cause) {
            return asked == null ? cause : annotateConnectException(cause, asked);
        }
    }

    private void begin(SocketAddress remote, @Nullable SocketAddress local) throws IOException {
        if (connectPromise != null) {
            throw new ConnectionPendingException();
        }
        if (connection != null) {
            throw new AlreadyConnectedException();
        }
        if (!(remote instanceof InetSocketAddress peer)) {
            throw new ConnectException("RDMA has addresses of the Internet, not " + remote);
        }
        if (peer.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        asked = peer;
        InetSocketAddress from = local instanceof InetSocketAddress internet ? internet : wanted;
        connection = StreamConnection.connect(
                loopHandler().home(), Objects.requireNonNull(link), from, peer, config.streams());
        combine();
    }

    /** Sets whether small writes may wait for others, as the options say. */
    void combine() {
        StreamConnection current = connection;
        if (current == null) {
            return;
        }
        if (isRegistered()) {
            inLoop(() -> {
                current.output().combine(!config.isTcpNoDelay());
                sendPosted(current);
            });
        } else {
            current.output().combine(!config.isTcpNoDelay());
        }
    }

    @SuppressWarnings("deprecation") // a channel bound to any port has no address before it connects
    private void finishConnect() {
        ChannelPromise promise = Objects.requireNonNull(connectPromise);
        StreamConnection pending = Objects.requireNonNull(connection);
        try {
            if (!pending.take()) {
                return;
            }
        } catch (IOException e) {
            failConnect(e);
            return;
        }
        endConnect();
        connected = true;
        invalidateLocalAddress();
        boolean active = isActive();
        boolean told = promise.trySuccess();
        if (active) {
            pipeline().fireChannelActive();
        }
        if (!told) {
            unsafe().close(voidPromise());
        }
    }

    private void failConnect(Throwable cause) {
        ChannelPromise promise = connectPromise;
        if (promise != null) {
            endConnect();
            promise.tryFailure(((StreamUnsafe) super.unsafe()).annotated(cause));
            unsafe().close(voidPromise());
        }
    }

    private void endConnect() {
        connectPromise = null;
        ScheduledFuture<?> timeout = connectTimeout;
        if (timeout != null) {
            connectTimeout = null;
            timeout.cancel(false);
        }
    }

    @Override
    protected void doBind(SocketAddress local) {
        if (!(local instanceof InetSocketAddress where)) {
            throw new IllegalArgumentException("RDMA has addresses of the Internet, not " + local);
        }
        wanted = where;
    }

    // ---- reading and writing

    @Override
    protected void doBeginRead() {
        if (!inputShut) {
            super.doBeginRead();
        }
    }

    @SuppressWarnings("deprecation") // the type is, the call is not
    private void readStream() {
        StreamConnection from = connection;
        if (from == null || inputShut) {
            return;
        }
        ChannelPipeline pipeline = pipeline();
        ByteBufAllocator allocator = config.getAllocator();
        RecvByteBufAllocator.Handle allocation = unsafe().recvBufAllocHandle();
        allocation.reset(config);
        boolean end = false;
        Throwable fault = null;
        reading = true;
        try {
            do {
                ByteBuf buffer = allocation.allocate(allocator);
                int read;
                try {
                    allocation.attemptedBytesRead(buffer.writableBytes());
                    read = from.input().read(sink.to(buffer), buffer.writableBytes());
                } catch (IOException | RuntimeException | Error e) {
                    buffer.release();
                    throw e;
                }
                allocation.lastBytesRead(read);
                if (read <= 0) {
                    buffer.release();
                    end = read < 0;
                    readPending &= !end;
                    break;
                }
                allocation.incMessagesRead(1);
                readPending = false;
                pipeline.fireChannelRead(buffer);
            } while (allocation.continueReading());
        } catch (IOException | RuntimeException | Error e) { // would end the loop and all its channels
            fault = e;
        } finally {
            reading = false;
            sink.to(Unpooled.EMPTY_BUFFER);
        }
        allocation.readComplete();
        pipeline.fireChannelReadComplete();
        if (fault != null) {
            pipeline.fireExceptionCaught(fault);
        }
        if (end || fault instanceof IOException || fault instanceof OutOfMemoryError) { // like Netty's channels
            inputEnded();
        } else {
            look();
        }
    }

    private void inputEnded() {
        if (inputShut) {
            return;
        }
        if (isActive() && config.isAllowHalfClosure()) {
            inputShut = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else {
            unsafe().close(voidPromise());
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("a stream carries ByteBuf and FileRegion, not "
                + message.getClass().getName());
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        StreamConnection to = connection;
        if (to == null || !(link instanceof Link current)) {
            throw new NotYetConnectedException();
        }
        FlushedBuffers buffers = outbound;
        if (buffers == null) {
            buffers = new FlushedBuffers(current.home().regions(), to.output(), current::returned);
            outbound = buffers;
        }
        if (buffers.lent()) {
            writePending = true;
            return;
        }
        try {
            buffers.removeTaken(out);
            writeAll(out, buffers);
        } finally {
            sendPosted(to);
        }
    }

    /** Sends posted work requests now, because the event loop may run other tasks first. */
    private void sendPosted(StreamConnection of) {
        if (of.output().posted()) {
            Objects.requireNonNull(handler).home().context().flush();
        }
    }

    private void writeAll(ChannelOutboundBuffer out, FlushedBuffers buffers) throws Exception {
        while (!out.isEmpty()) {
            boolean whole =
                    out.current() instanceof FileRegion region ? buffers.write(out, region) : buffers.write(out);
            if (!whole || buffers.lent()) {
                writePending = true;
                look(); // the channel may have become writable meanwhile
                return;
            }
        }
    }

    // ---- shutdown and close

    @Override
    protected void doShutdownOutput() {
        StreamConnection current = connection;
        if (current == null || !connected) {
            throw new NotYetConnectedException();
        }
        outputShut = true;
        current.output().shutdown();
        sendPosted(current);
    }

    @Override
    public boolean isInputShutdown() {
        return inputShut || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShut || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return (inputShut && outputShut) || !isActive();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inLoop(() -> {
            StreamConnection current = connection;
            if (current == null || !isActive()) {
                promise.tryFailure(new NotYetConnectedException());
                return;
            }
            inputShut = true;
            current.input().shutdown();
            promise.trySuccess();
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        inLoop(() -> ((AbstractUnsafe) super.unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput()
                .addListener(output -> shutdownInput().addListener(input -> {
                    Throwable cause = output.isSuccess() ? input.cause() : output.cause();
                    if (cause == null) {
                        promise.trySuccess();
                    } else {
                        promise.tryFailure(cause);
                    }
                }));
        return promise;
    }

    private void inLoop(Runnable what) {
        if (eventLoop().inEventLoop()) {
            what.run();
        } else {
            eventLoop().execute(what);
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        open = false;
        readPending = false;
        writePending = false;
        inputShut = true;
        outputShut = true;
        ChannelPromise promise = connectPromise;
        endConnect();
        if (promise != null) {
            promise.tryFailure(new ClosedChannelException());
        }
        StreamConnection last = connection;
        if (last == null) {
            return;
        }
        if (config.getSoLinger() == 0) {
            last.abort();
        } else {
            last.close();
        }
    }
}
