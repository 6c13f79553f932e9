package dev.jwarp.transport.tcp.netty;

import dev.jwarp.llp.LlpFailure;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.StreamSocket;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens socket descriptors of Linux.
 *
 * @param settings the options of the sockets
 */
public record DescriptorSockets(TcpSettings settings) implements StreamSocket.Opener {
    /** Converts the exception that Netty throws if the system has no descriptor left, which is no IOException. */
    private static Socket newSocket() throws IOException {
        try {
            return Socket.newSocketStream();
        } catch (ChannelException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public StreamSocket open(@Nullable InetSocketAddress local) throws IOException {
        if (local != null && local.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        Socket socket = newSocket();
        try {
            DescriptorSocket opened = new DescriptorSocket(settings, socket);
            opened.prepare();
            if (local != null) {
                socket.setReuseAddress(true);
                socket.bind(local);
            }
            return opened;
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public StreamSocket.Listening listen(InetSocketAddress local, int backlog) throws IOException {
        if (local.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        Socket socket = newSocket();
        try {
            socket.setReuseAddress(true);
            if (settings.on(TcpSetting.SHARED_PORT)) {
                socket.setReusePort(true);
            }
            // Before the bind: the window that TCP offers is fixed with the connection.
            DescriptorSocket.setBuffers(socket, settings);
            socket.bind(local);
            socket.listen(backlog);
            return new DescriptorSocket.Listener(settings, socket, Objects.requireNonNull(socket.localAddress()));
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public LlpFailure whyNotBound(@Nullable InetSocketAddress local, Throwable cause) {
        return cause instanceof UnresolvedAddressException
                ? LlpFailure.ADDRESS_NOT_AVAILABLE
                : ErrorNumber.meaning(cause);
    }

    @Override
    public LlpFailure whyNotConnected(@Nullable InetSocketAddress local, Throwable cause) {
        return ErrorNumber.meaning(cause);
    }
}
