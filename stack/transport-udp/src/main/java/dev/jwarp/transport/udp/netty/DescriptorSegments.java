package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.net.KernelSegments;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the descriptor of a java.nio socket. The JDK hides the descriptor's number; /proc shows it: the only descriptor
 * of this process for a UDP socket with the channel's local address, which no other socket can have while the channel is
 * open. The channel owns and closes the descriptor; this class never closes, reads or writes it. The owner of the
 * channel only.
 */
public final class DescriptorSegments {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorSegments.class);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    // Linux, include/uapi/asm-generic/socket.h and include/linux/net.h.
    private static final int SOL_SOCKET = 1;
    private static final int SO_TYPE = 3;
    private static final int SOCK_DGRAM = 2;

    /** Searches of all descriptors: the first one finds the socket, unless the process is out of descriptors. */
    private static final int ATTEMPTS = 3;

    /** Descriptors to try before a search of all. */
    private static final int NEXT = 16;

    private DescriptorSegments() {}

    /** Searches the descriptors of this process. This class can be loaded without Netty: then it finds nothing. */
    public static final class DescriptorFinder implements KernelSegments.Finder {
        /** For {@link java.util.ServiceLoader}. */
        public DescriptorFinder() {}

        @Override
        public @Nullable KernelSegments find(InetSocketAddress local) {
            try {
                return DescriptorSegments.find(local);
            } catch (LinkageError e) {
                LoggerFactory.getLogger(DescriptorFinder.class).debug("There is no suitable Netty", e);
                return null;
            }
        }

        @Override
        public int routeMtu(InetSocketAddress to) {
            try {
                return Epoll.isAvailable() ? SendFailure.pathMtu(to) : 0;
            } catch (LinkageError e) {
                return 0;
            }
        }
    }

    private static @Nullable KernelSegments find(InetSocketAddress local) {
        if (!Epoll.isAvailable()) { // this loads the native code
            return null;
        }
        // The system gives the lowest free number: a channel that was opened just now is below the next one.
        Socket found = socket(local, Math.max(0, EpollSocket.nextDescriptor() - NEXT));
        return found == null ? null : new EpollSocket(found, !(local.getAddress() instanceof Inet4Address));
    }

    /**
     * {@return the UDP socket of this process that is bound to {@code local}; null if it is not found} The caller must
     * not close it. Netty's native code is loaded.
     *
     * @param likely the first descriptor to try, before a search of all, which takes long in a process with thousands
     */
    static @Nullable Socket socket(InetSocketAddress local, int likely) {
        Socket found = null;
        for (int i = 0; i < NEXT && found == null; i++) {
            found = socketAt(DESCRIPTORS.resolve(Integer.toString(likely + i)), local);
        }
        for (int i = 0; i < ATTEMPTS && found == null; i++) {
            found = look(local);
        }
        return found;
    }

    private static @Nullable Socket look(InetSocketAddress local) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path one : all) {
                Socket socket = socketAt(one, local);
                if (socket != null) {
                    return socket;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("The descriptors of this process cannot be listed", e);
        }
        return null;
    }

    /**
     * {@return the UDP socket at this address if the descriptor is such a socket; else null} Other threads open and
     * close descriptors meanwhile, so that the same number may belong to another socket at the next system call. A
     * socket keeps its inode as long as it lives, and no later socket gets it: if the inode is the same before and
     * after, all results belong to one socket.
     */
    private static @Nullable Socket socketAt(Path descriptor, InetSocketAddress local) {
        try {
            Path inode = Files.readSymbolicLink(descriptor);
            if (!inode.toString().startsWith("socket:")) {
                return null;
            }
            Socket socket = new Socket(Integer.parseInt(descriptor.getFileName().toString()));
            boolean wanted = socket.getIntOpt(SOL_SOCKET, SO_TYPE) == SOCK_DGRAM && local.equals(socket.localAddress());
            return wanted && inode.equals(Files.readSymbolicLink(descriptor)) ? socket : null;
        } catch (IOException | ChannelException e) {
            LOG.trace("Descriptor {} was closed meanwhile", descriptor, e);
            return null;
        }
    }
}
