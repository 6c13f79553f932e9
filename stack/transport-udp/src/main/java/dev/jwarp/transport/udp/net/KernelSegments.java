package dev.jwarp.transport.udp.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What Linux does for one UDP socket and {@code java.nio} has no option for: several equal datagrams in one system call, and "do
 * not fragment". The calls themselves stay those of the channel. The owner of the port only.
 */
public interface KernelSegments {
    /** Finds it for the sockets of {@code java.nio}; a service, as it takes native code that the drivers do not know. */
    interface Finder {
        /** {@return what the kernel does for the UDP socket of this process at this address; null if it cannot be asked} */
        @Nullable
        KernelSegments find(InetSocketAddress local);

        /** {@return the largest IP packet that the kernel believes the path there takes, bytes; 0 if it does not tell} Sends nothing. */
        int routeMtu(InetSocketAddress to);
    }

    /**
     * {@return whether what is sent from now on is never cut into fragments, whatever the kernel believes of the path (RFC 8899 §4.5);
     * or may be, as short as every path takes it} IP_MTU_DISCOVER.
     */
    boolean keepWhole(boolean whole);

    /** {@return whether the kernel puts equal datagrams of one source together for this socket, from now on} UDP_GRO. */
    boolean coalesce();

    /**
     * {@return whether the kernel cuts what is sent into datagrams of {@code size} bytes, from now on; 0 for not}
     * UDP_SEGMENT.
     */
    boolean segment(int size);

    /** {@return whether a send may have been refused because it was to be cut} Not for want of room, or by a filter. */
    boolean mayBeOfSegments(IOException e);
}
