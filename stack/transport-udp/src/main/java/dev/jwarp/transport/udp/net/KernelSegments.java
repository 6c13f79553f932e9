package dev.jwarp.transport.udp.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Linux options of one UDP socket that {@code java.nio} lacks: several equal datagrams in one system call, and "do not
 * fragment". The owner of the port only.
 */
public interface KernelSegments {
    /** Finds the sockets of {@code java.nio}; a service, since this needs native code that the drivers do not know. */
    interface Finder {
        /** {@return the options of this process's UDP socket at this address; null if they are not available} */
        @Nullable
        KernelSegments find(InetSocketAddress local);

        /** {@return the kernel's path MTU for {@code to}, bytes; 0 if not available} Sends nothing. */
        int routeMtu(InetSocketAddress to);
    }

    /**
     * Forbids or allows IP to fragment datagrams from now on (IP_MTU_DISCOVER). If forbidden, the kernel's path MTU
     * does not limit datagrams (RFC 8899 §4.5). If allowed, fragments are as short as every path takes.
     *
     * @return whether the kernel has accepted the option
     */
    boolean keepWhole(boolean whole);

    /** {@return whether the kernel joins equal datagrams of one source for this socket, from now on} UDP_GRO. */
    boolean coalesce();

    /**
     * {@return whether the kernel cuts each send into datagrams of {@code size} bytes from now on; 0 turns this off}
     * UDP_SEGMENT.
     */
    boolean segment(int size);

    /** {@return whether segmentation may be the cause of a refused send} Lack of memory and packet filters are not. */
    boolean mayBeOfSegments(IOException e);
}
