package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramEngine;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One socket of a port: its own, or that of a group. The owner of the port only. */
public interface PortSocket {
    /** {@return the group; null for the port's own socket} */
    @Nullable
    DatagramAddress group();

    /** {@return whether a datagram was there; if so, the engine has received it} */
    boolean receiveOne(DatagramEngine to, long nowNanos) throws IOException;

    /** {@return the source of the last datagram} Valid until the next receive. */
    DatagramAddress source();

    /**
     * Sends through this socket.
     *
     * @return bytes of the batch's first datagrams that the system took; 0 if it has no room
     */
    int transmit(DatagramBatch batch) throws IOException;

    /** Sets whether {@link PortIo#roomAgain} is called when the system has room to send. */
    void awaitRoom(boolean wanted);

    /** Closes the socket. */
    void end();
}
