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

/** Opens channels over RDMA in a program that has other channels, too. Any thread. */
public final class JwarpSockets {
    private static final JwarpSelectorProvider PROVIDER = new JwarpSelectorProvider();

    private JwarpSockets() {}

    /** {@return the provider of these channels, for libraries that need one} */
    public static JwarpSelectorProvider provider() {
        return PROVIDER;
    }

    /** {@return a new channel, neither bound nor connected} */
    public static SocketChannel openSocketChannel() {
        return PROVIDER.openSocketChannel();
    }

    /** {@return a new listening channel, not bound} */
    public static ServerSocketChannel openServerSocketChannel() {
        return PROVIDER.openServerSocketChannel();
    }

    /**
     * {@return a new channel for datagrams, neither bound nor connected} It is a UDP channel if there is no transport
     * for datagrams on the class path (jwarp-transport-udp).
     *
     * @throws IOException if a UDP channel cannot be opened
     */
    public static DatagramChannel openDatagramChannel() throws IOException {
        return PROVIDER.openDatagramChannel();
    }

    /**
     * Makes each new {@code Socket}, {@code ServerSocket}, {@code DatagramSocket} and {@code MulticastSocket} of this
     * JVM use channels of {@link #provider}, also in libraries and in the JDK. Existing sockets do not change. Can be
     * called once in a JVM, and cannot be undone. {@link JwarpSocketAgent} calls it before the program begins.
     *
     * @throws IOException if this JVM already has a factory of sockets
     */
    @SuppressWarnings("deprecation") // deprecated for programs that can choose their sockets; unchanged programs cannot
    public static void takeJavaNet() throws IOException {
        Socket.setSocketImplFactory(ChannelSocketImpl::new);
        ServerSocket.setSocketFactory(() -> new ChannelSocketImpl(openServerSocketChannel()));
        DatagramSocket.setDatagramSocketImplFactory(() -> ChannelDatagramSocket.implementation(PacketSocketImpl::new));
    }

    /**
     * Lets the peer of a stream write to memory of this program by offsets, without notification ({@code riomap}). The
     * peer limits the number of shared ranges: {@link JwarpSocketOptions#MAP_SIZE}, or RDMA_IOMAPSIZE. Blocks if the
     * peer cannot be notified at once, also on a non-blocking channel.
     *
     * @param channel a connected RDMA channel of this library
     * @param memory a direct buffer, from its position to its limit
     * @param offset the offset by which the peer addresses its first byte
     * @return the handle that ends the sharing
     * @throws IOException if the peer allows no more ranges, or the connection has ended
     * @throws UnsupportedOperationException if the stream uses TCP
     */
    public static SharedMemory share(SocketChannel channel, ByteBuffer memory, long offset) throws IOException {
        return rdma(channel).share(memory, offset);
    }

    /**
     * Writes to memory that the peer has shared ({@code riowrite}), without notification of its program. Later writes,
     * to the memory or to the stream, arrive later.
     *
     * @param channel a connected RDMA channel of this library
     * @param offset the peer's offset of the first byte
     * @param data from position to limit; the position advances by the result
     * @return the number of written bytes: all on a blocking channel
     * @throws IOException if the peer shares no memory there, or the connection has ended
     * @throws UnsupportedOperationException if the stream uses TCP
     */
    public static int write(SocketChannel channel, long offset, ByteBuffer data) throws IOException {
        return rdma(channel).write(offset, data);
    }

    /**
     * {@return whether the last read returned the end of a message; true before the first read} For a channel with
     * {@link JwarpSocketOptions#MESSAGES}.
     *
     * @param channel a connected RDMA channel of this library
     * @throws IOException if there is no connection
     * @throws UnsupportedOperationException if the stream uses TCP
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
        throw new IllegalArgumentException("this is not a channel of jwarp: " + channel);
    }

    /** {@return a new selector, which also accepts channels of the JDK} */
    public static Selector openSelector() {
        return PROVIDER.openSelector();
    }
}
