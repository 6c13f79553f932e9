package dev.jwarp.rnic.portmap.nio;

import dev.jwarp.llp.nio.SystemChannels;
import dev.jwarp.rnic.portmap.PortMapQuestion;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A question in progress, with its sockets. The UDP socket is connected, so that the system drops datagrams of other
 * sources and reports ICMP errors at once. A TCP socket reserves the local port of the future connection, because the
 * REQUEST contains that port, and the peer's kernel identifies the connection by it. The port mapper's thread only,
 * except for the creation.
 */
final class Asking implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Asking.class);
    private static final int IN_A_ROW = 64;

    private final InetSocketAddress remote;
    private final @Nullable InetSocketAddress local;
    private final Consumer<PortMapper.Answer> told;
    private final DatagramChannel channel;
    private final @Nullable SocketChannel kept;
    private final InetSocketAddress connecting;
    private @Nullable PortMapQuestion question;

    private Asking(
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            Consumer<PortMapper.Answer> told,
            DatagramChannel channel,
            @Nullable SocketChannel kept,
            InetSocketAddress connecting) {
        this.remote = remote;
        this.local = local;
        this.told = told;
        this.channel = channel;
        this.kept = kept;
        this.connecting = connecting;
    }

    /** Opens the sockets of a question. */
    static Asking open(
            InetSocketAddress remote, @Nullable InetSocketAddress local, int port, Consumer<PortMapper.Answer> told)
            throws IOException {
        InetAddress host = remote.getAddress();
        boolean ipv4 = host instanceof Inet4Address;
        DatagramChannel channel = SystemChannels.provider()
                .openDatagramChannel(ipv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        SocketChannel kept = null;
        try {
            channel.configureBlocking(false);
            if (local != null && !local.getAddress().isAnyLocalAddress()) {
                channel.bind(new InetSocketAddress(local.getAddress(), 0));
            }
            channel.connect(new InetSocketAddress(host, port));
            InetAddress from = ((InetSocketAddress) channel.getLocalAddress()).getAddress();
            int tcpPort = local == null ? 0 : local.getPort();
            if (tcpPort == 0) {
                kept = SystemChannels.provider().openSocketChannel();
                kept.bind(new InetSocketAddress(from, 0));
                tcpPort = ((InetSocketAddress) kept.getLocalAddress()).getPort();
            }
            return new Asking(remote, local, told, channel, kept, new InetSocketAddress(from, tcpPort));
        } catch (IOException | RuntimeException e) {
            channel.close();
            if (kept != null) {
                kept.close();
            }
            throw e;
        }
    }

    DatagramChannel channel() {
        return channel;
    }

    void begin(long handle, long waitNanos, long nowNanos) {
        question = new PortMapQuestion(handle, connecting, remote, waitNanos, nowNanos);
    }

    private PortMapQuestion question() {
        return Objects.requireNonNull(question);
    }

    long nextTimeout() {
        return question().nextTimeout();
    }

    /** Reads and sends datagrams. Returns whether the question is still open. */
    boolean move(ByteBuffer buffer, long nowNanos) {
        PortMapQuestion asked = question();
        try {
            for (int i = 0; i < IN_A_ROW && channel.read(buffer.clear()) > 0; i++) {
                asked.input(buffer.flip());
            }
            for (ByteBuffer out = asked.output(nowNanos); out != null; out = asked.output(nowNanos)) {
                channel.write(out);
            }
        } catch (IOException e) {
            LOG.debug("There is no port mapper beside {}: {}", remote, e.toString());
            asked.unreachable();
        }
        return asked.state() == PortMapQuestion.State.ASKING;
    }

    /** Closes the sockets, and reports the outcome. */
    void tell() {
        close();
        PortMapQuestion asked = question();
        if (asked.state() == PortMapQuestion.State.MAPPED) {
            InetSocketAddress mapped = new InetSocketAddress(remote.getAddress(), asked.mappedPort());
            told.accept(new PortMapper.Answer(true, mapped, connecting));
        } else {
            told.accept(new PortMapper.Answer(false, remote, local));
        }
    }

    /** Closes the sockets, and reports that no answer arrived. */
    void tellUnanswered() {
        question().unreachable();
        tell();
    }

    @Override
    public void close() {
        try {
            channel.close();
            if (kept != null) {
                kept.close();
            }
        } catch (IOException e) {
            LOG.debug("closing: {}", e.toString());
        }
    }
}
