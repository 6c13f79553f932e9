package dev.jwarp.transport.udp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.net.KernelSegments;
import dev.jwarp.transport.udp.net.NotRun;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Segments through the channels of java.nio")
class DescriptorSegmentsTest {
    private static final int SIZE = 1_400;
    private static final int COUNT = 40;

    // Linux, include/uapi/linux: in.h, udp.h.
    private static final int SOL_UDP = 17;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;

    private final DescriptorSegments.DescriptorFinder finder = new DescriptorSegments.DescriptorFinder();

    @BeforeEach
    void epoll() {
        NotRun.unless(Epoll.isAvailable(), "epoll is not available here");
    }

    private static DatagramChannel open(StandardProtocolFamily family) throws IOException {
        String host = family == StandardProtocolFamily.INET ? "127.0.0.1" : "::1";
        DatagramChannel channel = DatagramChannel.open(family).bind(new InetSocketAddress(host, 0));
        return (DatagramChannel) channel.configureBlocking(false);
    }

    private static InetSocketAddress address(DatagramChannel channel) throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    @ParameterizedTest
    @EnumSource(names = {"INET", "INET6"})
    @DisplayName("a batch takes one call to send and one to receive, and no byte is lost")
    void batch(StandardProtocolFamily family) throws IOException {
        try (DatagramChannel from = open(family);
                DatagramChannel to = open(family)) {
            KernelSegments sending = finder.find(address(from));
            KernelSegments receiving = finder.find(address(to));
            assertThat(sending).isNotNull();
            assertThat(receiving).isNotNull();
            NotRun.unless(sending.segment(SIZE) && receiving.coalesce(), "this kernel has no UDP_SEGMENT or UDP_GRO");

            ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16).limit(COUNT * SIZE);
            assertThat(from.send(memory, to.getLocalAddress())).isEqualTo(COUNT * SIZE);
            memory.clear();
            while (to.receive(memory) == null) {
                Thread.onSpinWait();
            }
            assertThat(memory.position()).isEqualTo(COUNT * SIZE);
            memory.clear();
            assertThat(to.receive(memory)).isNull();
        }
    }

    @Test
    @DisplayName("a TCP connection at the same port number, or another socket, is not mistaken for the socket")
    void others() throws IOException {
        try (DatagramChannel other = open(StandardProtocolFamily.INET);
                ServerSocketChannel tcp = ServerSocketChannel.open();
                DatagramChannel channel = atPortOf(tcp)) {
            KernelSegments found = finder.find(address(channel));
            assertThat(found).isNotNull();
            NotRun.unless(found.segment(0), "this kernel has no UDP_SEGMENT"); // TCP refuses the option
            channel.close();
            assertThat(finder.find(address(other))).isNotNull();
        }
    }

    /**
     * Binds {@code tcp} and the returned channel to the same port number; retries if another process has the number.
     */
    private static DatagramChannel atPortOf(ServerSocketChannel tcp) throws IOException {
        while (true) {
            DatagramChannel channel = open(StandardProtocolFamily.INET);
            try {
                tcp.bind(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), address(channel).getPort()));
                return channel;
            } catch (BindException taken) {
                channel.close();
            }
        }
    }

    /**
     * Opens and closes sockets of all kinds until {@code stop}. Returns how many had an option that this test did not
     * set.
     */
    private static int churn(AtomicBoolean stop) throws IOException {
        int wrong = 0;
        while (!stop.get()) {
            Socket udp = Socket.newSocketDgram();
            Socket tcp = Socket.newSocketStream();
            try (ServerSocketChannel other = ServerSocketChannel.open()) {
                udp.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                other.bind(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), udp.localAddress().getPort()));
                wrong += udp.getIntOpt(SOL_UDP, UDP_GRO) == 0 && udp.getIntOpt(SOL_UDP, UDP_SEGMENT) == 0 ? 0 : 1;
            } catch (BindException e) {
                // Another socket has this port.
            } finally {
                udp.close();
                tcp.close();
            }
        }
        return wrong;
    }

    @Test
    @DisplayName("are found, and no other socket is changed, while other threads open and close sockets")
    void whileOthersOpenAndClose() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<FutureTask<Integer>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FutureTask<Integer> task = new FutureTask<>(() -> churn(stop));
            others.add(task);
            new Thread(task, "opens and closes").start();
        }
        try {
            for (int i = 0; i < Whole.or(400, 1_500); i++) {
                try (DatagramChannel channel = open(StandardProtocolFamily.INET)) {
                    KernelSegments found = finder.find(address(channel));
                    assertThat(found).as("socket %d", i).isNotNull();
                    found.coalesce();
                    found.segment(SIZE);
                }
            }
        } finally {
            stop.set(true);
            for (FutureTask<Integer> other : others) {
                assertThat(other.get(Patience.SECONDS, TimeUnit.SECONDS))
                        .as("changed sockets of other threads")
                        .isZero();
            }
        }
    }
}
