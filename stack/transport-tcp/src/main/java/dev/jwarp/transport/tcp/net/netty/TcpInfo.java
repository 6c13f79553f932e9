package dev.jwarp.transport.tcp.net.netty;

import dev.jwarp.llp.StreamDriver;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP_INFO of a socket, of Linux. The JDK does not give the descriptor of a socket of {@code java.nio}: {@link #find} finds the descriptor of this process whose TCP socket has these two addresses. The channel
 * owns the descriptor; this class only asks it.
 */
public final class TcpInfo {
    private static final Logger LOG = LoggerFactory.getLogger(TcpInfo.class);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    /** Descriptors that are looked at to find one: where there are more, the time is spent better. */
    private static final int MOST = 1024;

    // Linux, include/uapi: asm-generic/socket.h, linux/in.h, linux/tcp.h.
    private static final int SOL_SOCKET = 1;
    private static final int SO_PROTOCOL = 38;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int SEGMENT = 16;
    private static final int NOT_SENT = 144;
    private static final int LENGTH = NOT_SENT + Integer.BYTES;

    private final Socket socket;
    private final ByteBuffer info = ByteBuffer.allocate(LENGTH).order(ByteOrder.nativeOrder());

    /**
     * Of a socket of the caller's, who asks no more once it is closed.
     *
     * @param socket of TCP
     */
    public TcpInfo(Socket socket) {
        this.socket = socket;
    }

    /**
     * {@return what can be asked of the socket of this process between these addresses; null if it is not found}
     *
     * @param local the address of this end
     * @param remote that of the peer
     */
    public static @Nullable TcpInfo find(InetSocketAddress local, InetSocketAddress remote) {
        return Epoll.isAvailable() ? look(local, remote) : null; // loads the native library, which Socket needs
    }

    /**
     * {@return bytes that TCP has taken and not sent, as {@link StreamDriver#unsentOctets} has it} A system call.
     *
     * @param segment bytes of a segment, as the caller believes; 0: of any size
     */
    public int unsent(int segment) {
        try {
            info.clear().putInt(NOT_SENT, -1); // a kernel before 4.6 does not tell
            socket.getRawOpt(IPPROTO_TCP, TCP_INFO, info);
            return segment == 0 || info.getInt(SEGMENT) == segment
                    ? info.getInt(NOT_SENT)
                    : StreamDriver.OTHER_SEGMENTS;
        } catch (IOException e) {
            LOG.trace("A connection has gone meanwhile", e);
            return StreamDriver.UNKNOWN;
        }
    }

    private static @Nullable TcpInfo look(InetSocketAddress local, InetSocketAddress remote) {
        int looked = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path one : all) {
                Socket socket = socketAt(one, local, remote);
                if (socket != null) {
                    return new TcpInfo(socket);
                }
                if (++looked == MOST) {
                    break;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("The descriptors of this process cannot be looked through", e);
        }
        return null;
    }

    /** {@return the TCP socket between these addresses, if that is what the descriptor stands for} Other threads open and close descriptors meanwhile. */
    private static @Nullable Socket socketAt(Path descriptor, InetSocketAddress local, InetSocketAddress remote) {
        try {
            if (!Files.readSymbolicLink(descriptor).toString().startsWith("socket:")) {
                return null;
            }
            Socket socket = new Socket(Integer.parseInt(descriptor.getFileName().toString()));
            boolean wanted = socket.getIntOpt(SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP
                    && local.equals(socket.localAddress())
                    && remote.equals(socket.remoteAddress());
            return wanted ? socket : null;
        } catch (IOException | ChannelException e) {
            LOG.trace("Descriptor {} has gone meanwhile", descriptor, e);
            return null;
        }
    }
}
