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

    /** {@return whether a datagram was there; it has been given to the engine} */
    boolean receiveOne(DatagramEngine to, long nowNanos) throws IOException;

    /** {@return who sent what was received last} Valid until the next receive. */
    DatagramAddress source();

    /**
     * Sends through this socket.
     *
     * @return bytes of the batch's first datagrams that the system took; 0 if it has no room
     */
    int transmit(DatagramBatch batch) throws IOException;

    /** Whether {@link PortIo#roomAgain} is wanted when the system has room to send. */
    void awaitRoom(boolean wanted);

    /** Closes it. */
    void end();
}
