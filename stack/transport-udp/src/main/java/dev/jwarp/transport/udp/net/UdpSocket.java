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

/** The system calls of one UDP socket, which does not block. The owner of the port only, unless said otherwise. */
public interface UdpSocket extends SegmentedSend.Way {
    /** Opens sockets with the options that the settings ask for, and knows what it means that one cannot be opened. Any thread. */
    interface Opener {
        /** {@return a socket of its own for a port} */
        UdpSocket port(InetSocketAddress local) throws IOException;

        /** {@return whether a port at the wildcard address has a socket for each address of this host} */
        boolean besides(UdpSocket port);

        /**
         * {@return a socket at one of this host's addresses, with the number of a port at the wildcard address}
         *
         * @param asked the other one there, if there is one
         */
        UdpSocket beside(UdpSocket port, @Nullable AskedSocket asked, InetSocketAddress address) throws IOException;

        /** {@return the socket that tells which addresses a port is asked at; null if it needs none, or it cannot be had} */
        @Nullable
        AskedSocket asked(UdpSocket port, AskedSocket.Taker taker) throws IOException;

        /**
         * {@return a socket of its own for a group, which it has joined}
         *
         * @param port the socket of the port that joins, whose number the group may have, too
         * @param asked the other one there, if there is one
         */
        UdpSocket group(
                InetSocketAddress group, UdpSocket port, @Nullable AskedSocket asked, @Nullable NetworkInterface on)
                throws IOException;

        /** {@return the largest IP packet that the kernel believes the path there takes, bytes; 0 if it cannot be asked} Sends nothing. */
        int routeMtu(InetSocketAddress to);

        /** {@return that there is no port at {@code local}, and why} */
        LlpException noPort(InetSocketAddress local, IOException cause);

        /** {@return that a group cannot be joined, and why} */
        LlpException noGroup(InetSocketAddress group, IOException cause);
    }

    /** {@return where it is bound, with the real port} Any thread. */
    InetSocketAddress localAddress();

    /** {@return bytes that the system granted for receiving} */
    int receiveBuffer() throws IOException;

    /** {@return whether something was there; then {@code slot} holds it, ready to be read, and {@link #source} is its sender} */
    boolean receive(ByteBuffer slot) throws IOException;

    /** {@return who sent what was received last} Valid until the next receive. */
    DatagramAddress source();

    /** {@return how many of the batch's first {@code length} bytes the socket took; 0 if it has no room} */
    @Override
    int send(DatagramBatch batch, int length) throws IOException;

    /** {@return whether a read may bring several datagrams from now on} */
    boolean coalesce();

    /** {@return what it means that the system refused a datagram} Not by its words: they are in the user's language. */
    SendRefusal refusal(IOException cause);

    /** {@return what to tell of a datagram of {@code length} bytes that the system refused} */
    default IOException explained(IOException cause, DatagramAddress to, int length) {
        return cause;
    }

    /** Has datagrams to groups leave through that interface. Any thread. */
    void groupsThrough(NetworkInterface device) throws IOException;

    /** Sets how many hops datagrams to groups go, and whether members on this host get them. Any thread. */
    void groupsReach(int hops, boolean loop) throws IOException;

    /** {@return the watch over it} */
    SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException;

    /** Closes it. */
    void close() throws IOException;
}
