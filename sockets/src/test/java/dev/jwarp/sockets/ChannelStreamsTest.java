package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Streams of java.nio.channels.Channels, which hold the lock of their channel in each call,")
class ChannelStreamsTest {
    /** The object that has the streams. */
    private enum Kind {
        CONNECTED,
        ACCEPTED,
        TCP
    }

    private Ends ends;
    private ServerSocketChannel plain;
    private SocketChannel channel;
    private SocketChannel peer;

    @BeforeEach
    void open() throws IOException {
        ends = new Ends();
        plain = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        peer.close();
        plain.close();
        ends.close();
    }

    private void connect(Kind kind) throws IOException {
        SocketChannel connecting = ends.connecting.openSocketChannel();
        if (kind == Kind.TCP) {
            connecting.setOption(JwarpSocketOptions.MODE, SocketMode.TCP).connect(plain.getLocalAddress());
            peer = plain.accept();
            channel = connecting;
        } else {
            connecting.connect(ends.address());
            SocketChannel accepted = ends.listener.accept();
            channel = kind == Kind.CONNECTED ? connecting : accepted;
            peer = kind == Kind.CONNECTED ? accepted : connecting;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("write while another thread waits for input:")
    void writeWhileReading(Kind kind) throws Exception {
        connect(kind);
        InputStream in = Channels.newInputStream(channel);
        OutputStream out = Channels.newOutputStream(channel);
        Ends.Waiting<Integer> reading = ends.waits(in::read);
        Patience.get(ends.run(() -> {
            out.write(new byte[] {1, 2, 3});
            return null;
        }));
        ByteBuffer three = ByteBuffer.allocate(3);
        while (three.hasRemaining()) {
            peer.read(three);
        }
        assertThat(reading.outcome().isDone()).isFalse();
        peer.write(ByteBuffer.wrap(new byte[] {4}));
        assertThat(Patience.get(reading.outcome())).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("read while another thread waits to write:")
    void readWhileWriting(Kind kind) throws Exception {
        connect(kind);
        byte[] much = new byte[20_000_000];
        Ends.Waiting<?> writing = ends.waits(() -> {
            Channels.newOutputStream(channel).write(much);
            return null;
        });
        peer.write(ByteBuffer.wrap(new byte[] {5}));
        Future<Integer> read = ends.run(Channels.newInputStream(channel)::read);
        assertThat(Patience.get(read)).isEqualTo(5);
        assertThat(writing.outcome().isDone()).isFalse();
        ByteBuffer all = ByteBuffer.allocate(much.length);
        while (all.hasRemaining()) {
            peer.read(all);
        }
        Patience.get(writing.outcome());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("of one channel read alternately:")
    void twoReaders(Kind kind) throws Exception {
        connect(kind);
        Ends.Waiting<Integer> first = ends.waits(Channels.newInputStream(channel)::read);
        Ends.Waiting<Integer> second = ends.waits(Channels.newInputStream(channel)::read);
        peer.write(ByteBuffer.wrap(new byte[] {6}));
        peer.write(ByteBuffer.wrap(new byte[] {7}));
        assertThat(Patience.get(first.outcome()) + Patience.get(second.outcome()))
                .isEqualTo(13);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("are closed by the interrupt of a waiting thread:")
    void interrupt(Kind kind) throws Exception {
        connect(kind);
        Ends.Waiting<Integer> reading = ends.waits(Channels.newInputStream(channel)::read);
        reading.thread().interrupt();
        assertThatThrownBy(() -> Patience.get(reading.outcome())).isInstanceOf(ClosedByInterruptException.class);
        assertThat(channel.isOpen()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("end the wait of a thread when they are closed:")
    void closed(Kind kind) throws Exception {
        connect(kind);
        InputStream in = Channels.newInputStream(channel);
        Ends.Waiting<Integer> reading = ends.waits(in::read);
        in.close();
        assertThatThrownBy(() -> Patience.get(reading.outcome()))
                .isInstanceOf(AsynchronousCloseException.class)
                .isNotInstanceOf(ClosedByInterruptException.class);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("report the close, too, if the call has only begun:")
    void closedBefore(Kind kind) throws Exception {
        connect(kind);
        BlockingLock.Call late = () -> {
            while (channel.isOpen()) {
                Thread.onSpinWait();
            }
            return channel.read(ByteBuffer.allocate(1));
        };
        Future<Integer> interrupted = ends.run(() -> {
            Thread.currentThread().interrupt();
            synchronized (channel.blockingLock()) {
                return BlockingLock.call(channel, late);
            }
        });
        assertThatThrownBy(() -> Patience.get(interrupted)).isInstanceOf(ClosedByInterruptException.class);
        peer.close();

        connect(kind);
        Ends.Waiting<Integer> waiting = ends.waits(() -> {
            synchronized (channel.blockingLock()) {
                return BlockingLock.call(channel, late);
            }
        });
        channel.close();
        assertThatThrownBy(() -> Patience.get(waiting.outcome()))
                .isInstanceOf(AsynchronousCloseException.class)
                .isNotInstanceOf(ClosedByInterruptException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "TCP"})
    @DisplayName("of datagrams write while another thread waits for a datagram:")
    void datagrams(SocketMode mode) throws Exception {
        connect(Kind.CONNECTED);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (DatagramChannel near = ends.connecting.openDatagramChannel();
                DatagramChannel far = ends.listening.openDatagramChannel()) {
            near.setOption(JwarpSocketOptions.MODE, mode).bind(any);
            far.setOption(JwarpSocketOptions.MODE, mode).bind(any);
            near.connect(far.getLocalAddress());
            far.connect(near.getLocalAddress());
            Ends.Waiting<Integer> reading = ends.waits(Channels.newInputStream(near)::read);
            Future<?> written = ends.run(() -> {
                Channels.newOutputStream(near).write(8);
                return null;
            });
            Patience.get(written);
            ByteBuffer one = ByteBuffer.allocate(1);
            far.read(one);
            far.write(one.flip());
            assertThat(Patience.get(reading.outcome())).isEqualTo(8);
        }
    }
}
