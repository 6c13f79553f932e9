package dev.jwarp.transport.udp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.DatagramChannels;
import dev.jwarp.transport.udp.net.NotRun;
import dev.jwarp.transport.udp.net.UdpContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The socket of a port on the event loop")
class LoopSocketTest {
    private static final int SOCKETS = 500;
    private static final int SOL_IP = 0;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int DO_NOT_FRAGMENT_WHATEVER_THE_PATH = 3;
    private static final int IP_MULTICAST_ALL = 49;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final UdpContext context = new UdpContext(UdpSettings.of(Map.of()), 0, () -> 0);
    private final LoopSockets sockets = new LoopSockets(context, group.next(), true);

    @AfterEach
    void end() {
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @BeforeEach
    void epoll() {
        NotRun.unless(Epoll.isAvailable(), "epoll is not available here");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "0.0.0.0", "::"})
    @Tag("DG-4.5-8")
    @DisplayName("has a channel of java.nio, whatever its address, and the options of its descriptor")
    void channel(String address) throws IOException {
        LoopSocket socket = sockets.port(new InetSocketAddress(address, 0));
        try {
            assertThat(socket.channel()).isNotNull();
            assertThat(socket.descriptor.getIntOpt(SOL_IP, IP_MTU_DISCOVER))
                    .isEqualTo(DO_NOT_FRAGMENT_WHATEVER_THE_PATH);
            assertThat(socket.descriptor.getIntOpt(SOL_IP, IP_MULTICAST_ALL)).isZero();
        } finally {
            socket.close();
        }
    }

    @Test
    @DisplayName("lets IP fragment its datagrams if a setting says so")
    void fragments() throws IOException {
        UdpContext cutting = new UdpContext(UdpSettings.of(Map.of("jwarp.udp.fragments", "on")), 0, () -> 0);
        LoopSocket socket = new LoopSockets(cutting, group.next(), true)
                .port(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try {
            assertThat(socket.descriptor.getIntOpt(SOL_IP, IP_MTU_DISCOVER))
                    .isNotEqualTo(DO_NOT_FRAGMENT_WHATEVER_THE_PATH);
        } finally {
            socket.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    @DisplayName("closes its descriptor once, since another socket may have the number afterwards")
    void closes(String address) throws IOException {
        LoopSocket socket = sockets.port(new InetSocketAddress(address, 0));
        socket.close();
        // The next socket gets the number of the closed one.
        try (DatagramChannel next = new DatagramChannels(context).openPort(new InetSocketAddress(address, 0))) {
            socket.close();
            assertThat(next.receive(ByteBuffer.allocate(1))).isNull();
        }
    }

    @RepeatedTest(3)
    @DisplayName("that may be shared gets an unused port if any port is asked for; others may bind to it afterwards")
    void anyPortToShare() throws IOException {
        UdpContext sharing = new UdpContext(UdpSettings.of(Map.of("jwarp.progress.shared-port", "on")), 0, () -> 0);
        LoopSockets shared = new LoopSockets(sharing, group.next(), true);
        List<LoopSocket> all = new ArrayList<>();
        try {
            Set<InetSocketAddress> addresses = new HashSet<>();
            for (int i = 0; i < SOCKETS; i++) {
                LoopSocket one = shared.port(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                all.add(one);
                addresses.add(one.descriptor.localAddress());
            }
            assertThat(addresses).hasSize(SOCKETS);
            InetSocketAddress first = all.get(0).descriptor.localAddress();
            LoopSocket second = shared.port(first);
            all.add(second);
            assertThat(second.descriptor.localAddress()).isEqualTo(first);
        } finally {
            for (LoopSocket one : all) {
                one.close();
            }
        }
    }
}
