package dev.jwarp.transport.udp.net;

import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The system calls of one non-blocking UDP socket. The owner of the port only, unless said otherwise. */
public interface UdpSocket extends KernelSegments {
    /** Opens sockets with the options of the settings, and classifies failures. Any thread. */
    interface Opener {
        /** {@return the socket of a port} */
        UdpSocket port(InetSocketAddress local) throws IOException;

        /** {@return whether a port at the wildcard address has a socket for each address of this host} */
        boolean besides(UdpSocket port);

        /**
         * {@return a socket at one of this host's addresses, with the port number of a wildcard port}
         *
         * @param asked the other one there, if there is one
         */
        UdpSocket beside(UdpSocket port, @Nullable AskedSocket asked, InetSocketAddress address) throws IOException;

        /**
         * {@return the socket that reports the destination addresses of a port; null if the port needs none, or none is
         * available}
         */
        @Nullable
        AskedSocket asked(UdpSocket port, OtherAddresses taker) throws IOException;

        /**
         * {@return a new socket that has joined a group}
         *
         * @param port the socket of the port that joins; the group may have the same port number
         * @param asked the other one there, if there is one
         */
        UdpSocket group(
                InetSocketAddress group, UdpSocket port, @Nullable AskedSocket asked, @Nullable NetworkInterface on)
                throws IOException;

        /** {@return the kernel's path MTU for {@code to}, bytes; 0 if not available} Sends nothing. */
        int routeMtu(InetSocketAddress to);

        /** {@return the exception for a port that cannot be opened at {@code local}} */
        LlpException noPort(InetSocketAddress local, IOException cause);

        /** {@return the exception for a group that cannot be joined} */
        LlpException noGroup(InetSocketAddress group, IOException cause);
    }

    /** {@return the address to which the socket is bound, with the real port} Any thread. */
    InetSocketAddress localAddress();

    /** {@return the size of the receive buffer that the system granted, bytes} */
    int receiveBuffer() throws IOException;

    /**
     * {@return whether a datagram was there; if so, {@code slot} holds it, flipped, and {@link #source} is its sender}
     */
    boolean receive(ByteBuffer slot) throws IOException;

    /** {@return the source of the last datagram} Valid until the next receive. */
    DatagramAddress source();

    /** {@return the number of the batch's first {@code length} bytes that the socket took; 0 if it has no room} */
    int send(DatagramBatch batch, int length) throws IOException;

    /** {@return the class of a refusal} Not by the message's words, which are in the user's language. */
    SendRefusal refusal(IOException cause);

    /** {@return the exception to report for a refused datagram of {@code length} bytes} */
    default IOException explained(IOException cause, DatagramAddress to, int length) {
        return cause;
    }

    /** Sets the interface for datagrams to groups. Any thread, while the socket is open. */
    void groupsThrough(NetworkInterface device) throws IOException;

    /** Sets hop limit and loopback to this host of datagrams to groups. Any thread, while the socket is open. */
    void groupsReach(int hops, boolean loop) throws IOException;

    /** {@return the registration of the socket with a watcher} */
    SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException;

    /** Closes the socket. */
    void close() throws IOException;
}
