package dev.jwarp.transport.tcp.netty;

import dev.jwarp.base.Share;
import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.net.TransportContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Function;

/** A listening address: each connection that Netty takes gets an engine of its event loop. */
final class NettyListener implements Transport.Listener {
    private final Channel channel;
    private final Consumer<NettyListener> onClosed;

    NettyListener(Channel channel, Consumer<NettyListener> onClosed) {
        this.channel = channel;
        this.onClosed = onClosed;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Stops listening; the port is free when this returns, unless the caller is the event loop that listens. */
    @Override
    public void close() {
        onClosed.accept(this);
        ChannelFuture closing = channel.close();
        if (!channel.eventLoop().inEventLoop()) {
            closing.awaitUninterruptibly();
        }
    }

    /** Sets up the connections that were taken. */
    @SuppressWarnings("FutureReturnValueIgnored") // no thread waits for this close
    static final class Taker extends ChannelInitializer<Channel> {
        private final TransportContext context;
        private final Function<Channel, NettyLoop> loops;
        private final ConnectionHandler handler;

        Taker(TransportContext context, Function<Channel, NettyLoop> loops, ConnectionHandler handler) {
            this.context = context;
            this.loops = loops;
            this.handler = handler;
        }

        @Override
        protected void initChannel(Channel taken) {
            InetSocketAddress remote = addressOf(taken.remoteAddress());
            long now = System.nanoTime();
            Share place = context.reserveConnection(remote, now);
            if (place == null) {
                taken.config().setOption(ChannelOption.SO_LINGER, 0); // no half-open rest, and the peer knows at once
                taken.close();
                return;
            }
            NettyStream stream;
            try {
                stream = newStream(taken, remote, now);
            } catch (Throwable e) {
                context.releaseConnection(place);
                throw e; // Netty closes it
            }
            context.counters().countShared(TcpCounter.ACCEPTED);
            stream.start(place);
            try {
                taken.pipeline().addLast(stream);
            } catch (Throwable e) {
                stream.abort(); // it is in no pipeline that could tell it of its end
                throw e; // Netty closes it
            }
        }

        private NettyStream newStream(Channel taken, InetSocketAddress remote, long nowNanos) {
            NettyLoop loop = loops.apply(taken);
            NettyStream stream = new NettyStream(loop, remote, addressOf(taken.localAddress()), null);
            stream.attach(loop.engines().responder(stream, handler, nowNanos));
            return stream;
        }

        /** A peer that has left already has no address any more. */
        private static InetSocketAddress addressOf(Object address) {
            return address instanceof InetSocketAddress known ? known : new InetSocketAddress(0);
        }
    }

    /** Counts what the system refused; Netty itself rests for a second then. */
    static final class FailureCounter extends ChannelInboundHandlerAdapter {
        private final TransportContext context;

        FailureCounter(TransportContext context) {
            this.context = context;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            context.counters().countShared(TcpCounter.ACCEPT_FAILED);
            ctx.fireExceptionCaught(cause);
        }
    }
}
