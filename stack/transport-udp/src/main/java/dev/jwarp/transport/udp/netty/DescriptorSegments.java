package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.net.KernelSegments;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets options on the descriptor of a java.nio socket. The JDK keeps the number of it for itself; the system tells: it is the
 * process's one descriptor of a UDP socket with this very address, which no other socket can have. The descriptor stays the channel's,
 * which closes it; here it is never closed, read from or written to.
 */
public final class DescriptorSegments implements KernelSegments {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorSegments.class);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    // Linux, include/uapi/asm-generic/socket.h and include/linux/net.h.
    private static final int SOL_SOCKET = 1;
    private static final int SO_TYPE = 3;
    private static final int SOCK_DGRAM = 2;

    private final Socket socket;

    private DescriptorSegments(Socket socket) {
        this.socket = socket;
    }

    /** Looks through the descriptors of this process. */
    public static final class DescriptorFinder implements Finder {
        /** For {@link java.util.ServiceLoader}. */
        public DescriptorFinder() {}

        @Override
        public @Nullable KernelSegments find(InetSocketAddress local) {
            if (!Epoll.isAvailable()) { // this loads the native code
                return null;
            }
            try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
                for (Path one : all) {
                    Socket socket = datagramSocket(one);
                    if (socket != null && local.equals(socket.localAddress())) {
                        return new DescriptorSegments(socket);
                    }
                }
            } catch (IOException e) {
                LOG.debug("The descriptors of this process cannot be looked through", e);
            }
            return null;
        }

        private static @Nullable Socket datagramSocket(Path descriptor) {
            try {
                if (Files.readSymbolicLink(descriptor).toString().startsWith("socket:")) {
                    Socket socket =
                            new Socket(Integer.parseInt(descriptor.getFileName().toString()));
                    return socket.getIntOpt(SOL_SOCKET, SO_TYPE) == SOCK_DGRAM ? socket : null;
                }
            } catch (IOException e) {
                LOG.trace("Descriptor {} has gone meanwhile", descriptor, e);
            }
            return null;
        }
    }

    @Override
    public boolean coalesce() {
        return EpollSocket.coalesce(socket);
    }

    @Override
    public boolean segment(int size) {
        return EpollSocket.segment(socket, size);
    }

    @Override
    public boolean mayBeOfSegments(IOException e) {
        return SendFailure.mayBeOfSegments(e);
    }
}
