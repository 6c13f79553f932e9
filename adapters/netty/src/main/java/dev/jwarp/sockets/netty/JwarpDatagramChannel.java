package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.connection.HostAddresses;
import dev.jwarp.sockets.datagram.DatagramEnd;
import dev.jwarp.sockets.datagram.DatagramMode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramChannelConfig;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.UncheckedBooleanSupplier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * A datagram channel over datagram-iWARP, and over plain UDP for peers that speak it; needs jwarp-transport-udp on the
 * class path. Its event loop has a {@link JwarpIoHandler}, which drives the channel without another thread. The channel
 * sends {@link DatagramPacket}, other envelopes of a {@link ByteBuf}, and, once connected, a plain {@link ByteBuf}; it
 * receives {@link DatagramPacket}.
 */
public final class JwarpDatagramChannel extends LoopChannel implements DatagramChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(true, 16);

    private final JwarpDatagramChannelConfig config = new JwarpDatagramChannelConfig(this);
    private final @Nullable ProtocolFamily family;
    private final ByteBuffer[] into = new ByteBuffer[1];
    private final ByteBuffer[] from = new ByteBuffer[1];

    /** The handler of the channel's loop; null until the channel is registered. */
    private @Nullable JwarpIoHandler handler;

    private volatile @Nullable DatagramEnd end;
    private volatile @Nullable InetSocketAddress peer;

    /** Creates an unbound channel of any address family. */
    public JwarpDatagramChannel() {
        super(null);
        family = null;
    }

    /**
     * Creates an unbound channel.
     *
     * @param family the address family
     * @throws UnsupportedOperationException if the family is neither IPv4 nor IPv6
     */
    public JwarpDatagramChannel(SocketProtocolFamily family) {
        super(null);
        this.family = switch (family) {
            case INET -> StandardProtocolFamily.INET;
            case INET6 -> StandardProtocolFamily.INET6;
            default ->
                throw new UnsupportedOperationException("RDMA has addresses of the Internet, not those of " + family);
        };
    }

    // ---- type and state

    @Override
    public DatagramChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isActive() {
        return open && (end != null || (config.isActiveOnRegistration() && isRegistered()));
    }

    @Override
    public boolean isConnected() {
        return open && peer != null;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        DatagramEnd there = end;
        return there == null ? null : there.localAddress();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return peer;
    }

    // ---- event loop

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (end != null && handler != loopHandler()) {
            promise.setFailure(new IllegalStateException(
                    this + " is bound, so it stays with the event loop on which it was bound"));
            return;
        }
        super.doRegister(promise);
    }

    @Override
    void registered(JwarpIoHandler own) {
        if (handler != own) {
            handler = own;
            link = new Link(own);
        }
    }

    /** The channel's link to its loop. */
    private final class Link extends LoopLink {
        Link(JwarpIoHandler loop) {
            super(loop);
        }

        @Override
        int wants() {
            return (readPending && !reading ? SelectionKey.OP_READ : 0) | (writePending ? SelectionKey.OP_WRITE : 0);
        }

        @Override
        void act() {
            if ((can() & SelectionKey.OP_WRITE) != 0) {
                writePending = false;
                ((DatagramUnsafe) unsafe()).flushAgain();
            }
            if ((can() & SelectionKey.OP_READ) != 0) {
                readArrived();
            }
        }
    }

    private void told(int bits) {
        LoopLink current = link;
        if (current != null) {
            current.set(bits);
        }
    }

    private void inLoop(ChannelPromise promise, Action what) {
        if (!eventLoop().inEventLoop()) {
            eventLoop().execute(() -> inLoop(promise, what));
            return;
        }
        try {
            if (!open) {
                throw new ClosedChannelException();
            }
            what.run();
            promise.trySuccess();
        } catch (IOException | RuntimeException e) {
            promise.tryFailure(e);
        }
    }

    /** An action that may fail. */
    private interface Action {
        void run() throws IOException;
    }

    // ---- addresses

    private InetSocketAddress checked(SocketAddress address) {
        return HostAddresses.checked(address, family);
    }

    @Override
    protected void doBind(SocketAddress local) throws IOException {
        bindTo(checked(local));
    }

    private DatagramEnd bindTo(InetSocketAddress local) throws IOException {
        DatagramEnd bound = new DatagramEnd(
                loopHandler().datagrams(),
                this::told,
                this::modeOf,
                HostAddresses.wildcard(local, family),
                config.getReceiveBufferSize(),
                config.getSendBufferSize());
        try {
            config.sendToGroups(bound);
        } catch (Throwable e) {
            bound.close();
            throw e;
        }
        end = bound;
        return bound;
    }

    private DatagramMode modeOf(InetSocketAddress to) {
        return loopHandler().rules().peer(to, config.mode());
    }

    /** {@return the socket; binds it if necessary} */
    private DatagramEnd bound() throws IOException {
        DatagramEnd there = end;
        return there == null ? bindTo(new InetSocketAddress(0)) : there;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new DatagramUnsafe();
    }

    private final class DatagramUnsafe extends LoopUnsafe {
        @Override
        public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            boolean wasActive = isActive();
            try {
                connectTo(remote, local);
            } catch (IOException | RuntimeException e) {
                promise.tryFailure(annotateConnectException(e, remote));
                return;
            }
            boolean told = promise.trySuccess();
            if (!wasActive && isActive()) {
                pipeline().fireChannelActive();
            }
            if (!told) {
                close(voidPromise());
            }
        }
    }

    private void connectTo(SocketAddress remote, @Nullable SocketAddress local) throws IOException {
        InetSocketAddress to = HostAddresses.specific(checked(remote));
        if (peer != null) {
            throw new AlreadyConnectedException();
        }
        DatagramEnd there = end;
        if (local != null && there == null) {
            there = bindTo(checked(local));
        } else if (there == null) {
            InetAddress towards =
                    HostAddresses.towards(to, JwarpSockets.provider().get());
            there = bindTo(new InetSocketAddress(towards, 0));
        }
        there.connect(to);
        peer = to;
    }

    @Override
    protected void doDisconnect() {
        DatagramEnd there = end;
        if (there != null && peer != null) {
            there.connect(null);
        }
        peer = null;
    }

    // ---- receiving

    @SuppressWarnings("deprecation") // the type is, the call is not
    private void readArrived() {
        DatagramEnd there = end;
        if (there == null) {
            return;
        }
        ChannelPipeline pipeline = pipeline();
        RecvByteBufAllocator.Handle allocation = unsafe().recvBufAllocHandle();
        allocation.reset(config);
        Throwable fault = null;
        reading = true;
        try {
            do {
                DatagramPacket next = receive(there, allocation);
                if (next == null) {
                    break;
                }
                readPending = false;
                pipeline.fireChannelRead(next);
            } while (open && goesOn(allocation));
        } catch (RuntimeException | Error e) { // would end the loop and all its channels
            fault = e;
        } finally {
            reading = false;
        }
        allocation.readComplete();
        pipeline.fireChannelReadComplete();
        if (fault != null) {
            pipeline.fireExceptionCaught(fault);
            unsafe().close(voidPromise()); // like Netty's channels: the next read would fail again at once
        }
        look();
    }

    /**
     * {@return whether a further datagram is read in this turn} A datagram shorter than its buffer may not be the last.
     */
    @SuppressWarnings("deprecation") // the type is, the call is not
    private static boolean goesOn(RecvByteBufAllocator.Handle allocation) {
        return allocation instanceof RecvByteBufAllocator.ExtendedHandle extended
                ? extended.continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER)
                : allocation.continueReading();
    }

    @SuppressWarnings("deprecation") // the type is, the call is not
    private @Nullable DatagramPacket receive(DatagramEnd there, RecvByteBufAllocator.Handle allocation) {
        ByteBuf buffer = allocation.allocate(config.getAllocator());
        boolean given = false;
        try {
            allocation.attemptedBytesRead(buffer.writableBytes());
            into[0] = buffer.internalNioBuffer(buffer.writerIndex(), buffer.writableBytes());
            int read = there.receive(into, 0, 1);
            if (read < 0) {
                return null;
            }
            buffer.writerIndex(buffer.writerIndex() + read);
            allocation.lastBytesRead(read);
            allocation.incMessagesRead(1);
            given = true;
            return new DatagramPacket(buffer, there.localAddress(), there.sender());
        } finally {
            into[0] = NOTHING;
            if (!given) {
                buffer.release();
            }
        }
    }

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    // ---- sending

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf) {
            return message;
        }
        if (message instanceof AddressedEnvelope<?, ?> envelope && envelope.content() instanceof ByteBuf) {
            if (envelope.recipient() != null) {
                checked(envelope.recipient());
            }
            return message;
        }
        throw new UnsupportedOperationException(
                "a datagram channel carries DatagramPacket, AddressedEnvelope of a ByteBuf, and ByteBuf, not "
                        + message.getClass().getName());
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws IOException {
        DatagramEnd there = bound();
        try {
            boolean room = true;
            for (int left = maxMessagesPerWrite(); left > 0 && room && !out.isEmpty(); left--) {
                room = sendNext(out, there);
            }
        } finally {
            flushContext();
        }
        if (!out.isEmpty()) {
            writePending = true;
            look(); // there may be room already
        }
    }

    /** Sends posted datagrams now, because the event loop may run other tasks first. */
    private void flushContext() throws IOException {
        loopHandler().datagrams().context().flush();
    }

    /**
     * {@return whether there was room for the first message} A message that cannot be sent fails alone: the next may be
     * for another peer.
     */
    private boolean sendNext(ChannelOutboundBuffer out, DatagramEnd there) {
        try {
            if (!send(out.current(), there)) {
                flushContext();
                if (!send(out.current(), there)) {
                    return false;
                }
            }
        } catch (IOException | RuntimeException e) {
            out.remove(e);
            return true;
        }
        out.remove();
        return true;
    }

    /** {@return whether there was room} */
    private boolean send(Object message, DatagramEnd there) throws IOException {
        InetSocketAddress to = peer;
        Object content = message;
        if (message instanceof AddressedEnvelope<?, ?> envelope) {
            content = envelope.content();
            to = envelope.recipient() == null ? to : recipient(checked(envelope.recipient()));
        }
        if (to == null) {
            throw new NotYetConnectedException();
        }
        ByteBuf bytes = (ByteBuf) content;
        if (bytes.nioBufferCount() != 1) {
            ByteBuffer[] parts = bytes.nioBuffers();
            return there.send(parts, 0, parts.length, to) != DatagramEnd.NO_ROOM;
        }
        from[0] = bytes.nioBuffer();
        try {
            return there.send(from, 0, 1, to) != DatagramEnd.NO_ROOM;
        } finally {
            from[0] = NOTHING;
        }
    }

    private InetSocketAddress recipient(InetSocketAddress told) throws IOException {
        InetSocketAddress to = HostAddresses.specific(told);
        InetSocketAddress only = peer;
        if (only != null && !only.equals(to)) {
            throw new AlreadyConnectedException();
        }
        return to;
    }

    // ---- groups

    @Override
    public ChannelFuture joinGroup(InetAddress group) {
        return joinGroup(group, newPromise());
    }

    @Override
    public ChannelFuture joinGroup(InetAddress group, ChannelPromise promise) {
        inLoop(promise, () -> bound().join(group, ownInterface(group)));
        return promise;
    }

    @Override
    public ChannelFuture joinGroup(InetSocketAddress group, NetworkInterface on) {
        return joinGroup(group, on, newPromise());
    }

    @Override
    public ChannelFuture joinGroup(InetSocketAddress group, NetworkInterface on, ChannelPromise promise) {
        inLoop(promise, () -> bound().join(checked(group).getAddress(), on));
        return promise;
    }

    @Override
    public ChannelFuture joinGroup(InetAddress group, NetworkInterface on, @Nullable InetAddress source) {
        return joinGroup(group, on, source, newPromise());
    }

    @Override
    public ChannelFuture joinGroup(
            InetAddress group, NetworkInterface on, @Nullable InetAddress source, ChannelPromise promise) {
        inLoop(promise, () -> {
            ofAll(source);
            bound().join(group, on);
        });
        return promise;
    }

    private static void ofAll(@Nullable InetAddress source) {
        if (source != null) {
            throw new UnsupportedOperationException(DatagramEnd.ALL_SOURCES);
        }
    }

    private NetworkInterface ownInterface(InetAddress group) throws IOException {
        NetworkInterface told = config.getNetworkInterface();
        if (told != null) {
            return told;
        }
        InetAddress own = bound().localAddress().getAddress();
        NetworkInterface found = own.isAnyLocalAddress() ? null : NetworkInterface.getByInetAddress(own);
        if (found == null) {
            throw new IOException("say on which interface to join " + group + ": there is no IP_MULTICAST_IF, and "
                    + own.getHostAddress() + ", the channel's address, belongs to no interface");
        }
        return found;
    }

    @Override
    public ChannelFuture leaveGroup(InetAddress group) {
        return leaveGroup(group, newPromise());
    }

    @Override
    public ChannelFuture leaveGroup(InetAddress group, ChannelPromise promise) {
        inLoop(promise, () -> bound().leave(group));
        return promise;
    }

    @Override
    public ChannelFuture leaveGroup(InetSocketAddress group, NetworkInterface on) {
        return leaveGroup(group, on, newPromise());
    }

    @Override
    public ChannelFuture leaveGroup(InetSocketAddress group, NetworkInterface on, ChannelPromise promise) {
        return leaveGroup(checked(group).getAddress(), promise);
    }

    @Override
    public ChannelFuture leaveGroup(InetAddress group, NetworkInterface on, @Nullable InetAddress source) {
        return leaveGroup(group, on, source, newPromise());
    }

    @Override
    public ChannelFuture leaveGroup(
            InetAddress group, NetworkInterface on, @Nullable InetAddress source, ChannelPromise promise) {
        inLoop(promise, () -> {
            ofAll(source);
            bound().leave(group);
        });
        return promise;
    }

    @Override
    public ChannelFuture block(InetAddress group, NetworkInterface on, InetAddress source) {
        return block(group, source, newPromise());
    }

    @Override
    public ChannelFuture block(InetAddress group, NetworkInterface on, InetAddress source, ChannelPromise promise) {
        return block(group, source, promise);
    }

    @Override
    public ChannelFuture block(InetAddress group, InetAddress source) {
        return block(group, source, newPromise());
    }

    @Override
    public ChannelFuture block(InetAddress group, InetAddress source, ChannelPromise promise) {
        return promise.setFailure(new UnsupportedOperationException(DatagramEnd.ALL_SOURCES));
    }

    // ---- closing

    @Override
    protected void doClose() {
        open = false;
        readPending = false;
        writePending = false;
        peer = null;
        DatagramEnd last = end;
        if (last != null) {
            last.close();
        }
    }
}
