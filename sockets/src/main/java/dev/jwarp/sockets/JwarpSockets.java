package dev.jwarp.sockets;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Channels over RDMA in a program that has others too. Threads: any. */
public final class JwarpSockets {
    private static final JwarpSelectorProvider PROVIDER = new JwarpSelectorProvider();

    private JwarpSockets() {}

    /** {@return what opens them, for libraries that take a provider} */
    public static JwarpSelectorProvider provider() {
        return PROVIDER;
    }

    /** {@return a new channel, neither bound nor connected} */
    public static SocketChannel openSocketChannel() {
        return PROVIDER.openSocketChannel();
    }

    /** {@return a new channel to listen with} */
    public static ServerSocketChannel openServerSocketChannel() {
        return PROVIDER.openServerSocketChannel();
    }

    /**
     * {@return a new channel for datagrams, neither bound nor connected} It is of UDP where there is no transport for datagrams on the class path (jwarp-transport-udp).
     *
     * @throws IOException if it is of UDP and cannot be opened
     */
    public static DatagramChannel openDatagramChannel() throws IOException {
        return PROVIDER.openDatagramChannel();
    }

    /**
     * From now on each {@code new Socket()} and {@code new ServerSocket()} of this JVM is a stream of {@link #provider}, and each {@code new DatagramSocket()} and {@code new MulticastSocket()} a channel of it, also in libraries and in the JDK. Sockets that
     * there are already stay what they are. Once in a JVM, and not to be taken back. {@link JwarpSocketAgent} does it before the program begins.
     *
     * @throws IOException if the sockets of this JVM are another's already, or jwarp's
     */
    @SuppressWarnings("deprecation") // for programs that can choose the sockets they make; these cannot
    public static void takeJavaNet() throws IOException {
        Socket.setSocketImplFactory(ChannelSocketImpl::new);
        ServerSocket.setSocketFactory(() -> new ChannelSocketImpl(openServerSocketChannel()));
        DatagramSocket.setDatagramSocketImplFactory(() -> ChannelDatagramSocket.implementation(PacketSocketImpl::new));
    }

    /**
     * Lets the peer of a stream write to memory of this program by offsets, without a word to the program ({@code riomap}). The peer has said how many ranges it
     * can be told of at a time: its {@link JwarpSocketOptions#MAP_SIZE}, or RDMA_IOMAPSIZE. Waits, if it cannot be told at once, also where the channel does not
     * block.
     *
     * @param channel of RDMA and of this library, connected
     * @param memory a direct buffer, from its position to its limit
     * @param offset the peer's name for its first byte
     * @return what takes it back
     * @throws IOException if the peer takes no more, or there is no connection any more
     * @throws UnsupportedOperationException if the stream goes over TCP
     */
    public static SharedMemory share(SocketChannel channel, ByteBuffer memory, long offset) throws IOException {
        return rdma(channel).share(memory, offset);
    }

    /**
     * Writes to memory that the peer has told of ({@code riowrite}): its program does not learn it. What is written later, there or to the stream, comes later.
     *
     * @param channel of RDMA and of this library, connected
     * @param offset where to, by the peer's names
     * @param data from position to limit; the position moves by what is returned
     * @return how many bytes: all, if the channel blocks
     * @throws IOException if the peer has told of no memory there, or there is no connection any more
     * @throws UnsupportedOperationException if the stream goes over TCP
     */
    public static int write(SocketChannel channel, long offset, ByteBuffer data) throws IOException {
        return rdma(channel).write(offset, data);
    }

    /**
     * {@return whether what was read last was the end of a message; true before anything was read} Of a channel with {@link JwarpSocketOptions#MESSAGES}.
     *
     * @param channel of RDMA and of this library, connected
     * @throws IOException if there is no connection
     * @throws UnsupportedOperationException if the stream goes over TCP
     */
    public static boolean messageEnded(SocketChannel channel) throws IOException {
        return rdma(channel).messageEnded();
    }

    private static RdmaSocketChannel rdma(SocketChannel channel) {
        if (channel instanceof RoutedSocketChannel routed) {
            return routed.rdma();
        }
        if (channel instanceof RdmaSocketChannel rdma) {
            return rdma;
        }
        throw new IllegalArgumentException("this is no channel of jwarp's: " + channel);
    }

    /** {@return a new selector, of channels of the JDK too} */
    public static Selector openSelector() {
        return PROVIDER.openSelector();
    }
}
