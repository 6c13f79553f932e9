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
 * Linux's TCP_INFO of a socket. The JDK does not provide the descriptor of a {@code java.nio} socket, so {@link #find}
 * searches the descriptors of this process for the TCP socket with the two addresses. The channel owns the descriptor;
 * this class only queries it.
 */
public final class TcpInfo {
    private static final Logger LOG = LoggerFactory.getLogger(TcpInfo.class);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    /** Maximum number of descriptors in a search, to limit its time. */
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
     * Creates an object for a socket of the caller, which makes no query after closing the socket.
     *
     * @param socket a TCP socket
     */
    public TcpInfo(Socket socket) {
        this.socket = socket;
    }

    /**
     * {@return TCP_INFO of this process's socket between these addresses; null if not found}
     *
     * @param local local address of the socket
     * @param remote the peer's address
     */
    public static @Nullable TcpInfo find(InetSocketAddress local, InetSocketAddress remote) {
        return Epoll.isAvailable() ? look(local, remote) : null; // loads the native library, which Socket needs
    }

    /**
     * {@return the number of bytes that TCP has accepted and not sent, as {@link StreamDriver#unsentOctets}} A system
     * call.
     *
     * @param segment assumed size of a segment in bytes; 0 for any size
     */
    public int unsent(int segment) {
        try {
            info.clear().putInt(NOT_SENT, -1); // not filled by kernels before 4.6
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

    /**
     * {@return the TCP socket of the descriptor if it has these addresses, otherwise null} Other threads may open and
     * close descriptors meanwhile.
     */
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
