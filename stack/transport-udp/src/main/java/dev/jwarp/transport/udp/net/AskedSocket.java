package dev.jwarp.transport.udp.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The socket beside one at the wildcard address that reads what is sent to addresses of this host without a socket of their own, as
 * 127.0.0.2, and tells which address that was: {@code java.nio} does not. IPv4 only, where a whole network is the host's own without being
 * listed. Few datagrams come: the address gets a socket then. Any thread.
 */
public interface AskedSocket {
    /** Opens it; a service, as it takes native code that the drivers do not know. */
    interface Opener {
        /** {@return one at this port, which another socket has that lets it be shared; null if it cannot be had} */
        @Nullable
        AskedSocket open(int port, Taker taker);
    }

    /** Who gets what comes. */
    interface Taker {
        /**
         * A datagram came; a thread of the socket's.
         *
         * @param bytes the taker's from now on
         * @param asked which address it was sent to; perhaps one of several hosts
         */
        void take(byte[] bytes, InetSocketAddress from, InetAddress asked);
    }

    /** Whether other sockets of this user may have the same port. */
    void share(boolean shared);

    /** Closes it: nothing is given to the taker once this is back, but for what it is taking. */
    void close();
}
