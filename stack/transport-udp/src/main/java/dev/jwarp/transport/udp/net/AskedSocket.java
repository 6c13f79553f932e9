package dev.jwarp.transport.udp.net;

import org.jspecify.annotations.Nullable;

/**
 * A second socket at the wildcard address, which receives datagrams to addresses of this host without a socket of their
 * own (such as 127.0.0.2), and reports the destination address, which {@code java.nio} does not. IPv4 only, where a
 * whole network can belong to the host without being listed. Few datagrams come here: the first one to an address opens
 * a socket for that address. Any thread.
 */
public interface AskedSocket {
    /** Opens such sockets; a service, since this needs native code that the drivers do not know. */
    interface Opener {
        /** {@return a socket at this port, which another socket shares at that time; null if it is not available} */
        @Nullable
        AskedSocket open(int port, OtherAddresses taker);
    }

    /** Sets whether other sockets of this user may bind to the same port. */
    void share(boolean shared);

    /** Closes the socket: after the return no call to the taker begins. */
    void close();
}
