package dev.jwarp.sockets.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.SocketMode;
import dev.jwarp.sockets.datagram.DatagramEnd;
import dev.jwarp.vectors.Patience;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.DatagramChannelConfig;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A datagram channel of Netty over RDMA")
@SuppressWarnings("FutureReturnValueIgnored") // failures are seen at the other end
class JwarpDatagramChannelTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final Loops loops = new Loops();
    private final EventLoopGroup near = loops.of(1);
    private final EventLoopGroup far = loops.of(1);

    @AfterEach
    void end() throws InterruptedException {
        loops.close();
        keeps.forEach(KeptDatagrams::release);
    }

    private final List<KeptDatagrams> keeps = new ArrayList<>();

    private KeptDatagrams keep() {
        KeptDatagrams made = new KeptDatagrams();
        keeps.add(made);
        return made;
    }

    /** Echoes datagrams. */
    private static final class Answer extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            DatagramPacket packet = (DatagramPacket) message;
            context.writeAndFlush(new DatagramPacket(packet.content(), packet.sender()));
        }
    }

    private final KeptDatagrams kept = keep();

    private static Bootstrap bootstrap(EventLoopGroup group, ChannelInboundHandlerAdapter handler) {
        return new Bootstrap()
                .group(group)
                .channel(JwarpDatagramChannel.class)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(1 << 16))
                .handler(handler);
    }

    private JwarpDatagramChannel bound(Bootstrap bootstrap) throws InterruptedException {
        return (JwarpDatagramChannel) bootstrap.bind(ANY).sync().channel();
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static InetSocketAddress at(JwarpDatagramChannel channel) {
        return Objects.requireNonNull(channel.localAddress());
    }

    private static @Nullable Throwable fault(ChannelFuture future) {
        assertThat(future.awaitUninterruptibly(Loops.PATIENCE_SECONDS, TimeUnit.SECONDS))
                .isTrue();
        return future.cause();
    }

    @Test
    @DisplayName("talks to a DatagramChannel of java.nio over RDMA, in both directions")
    void nio() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept));
        try (DatagramChannel nio = JwarpSockets.openDatagramChannel().bind(ANY)) {
            nio.send(ByteBuffer.wrap("question".getBytes(StandardCharsets.US_ASCII)), at(channel));
            DatagramPacket question = kept.packet();
            assertThat(question.content().toString(StandardCharsets.US_ASCII)).isEqualTo("question");
            assertThat(question.sender()).isEqualTo(nio.getLocalAddress());
            assertThat(question.recipient()).isEqualTo(at(channel));
            question.release();

            channel.writeAndFlush(new DatagramPacket(text("answer"), question.sender()));

            ByteBuffer into = ByteBuffer.allocate(100);
            assertThat(nio.receive(into)).isEqualTo(at(channel));
            assertThat(StandardCharsets.US_ASCII.decode(into.flip()).toString()).isEqualTo("answer");
        }
        assertThat(plain()).isZero();
        assertThat(kept.threads).hasSize(1).allMatch(thread -> near.next().inEventLoop(thread));
    }

    /** {@return the number of plain datagrams received by the loop} */
    private long plain() throws Exception {
        return count("rx_plain");
    }

    /**
     * Sends a datagram to a channel of the near loop, and waits for its arrival: the system may reorder two datagrams.
     */
    private void sendAndAwait(JwarpDatagramChannel from, String text, JwarpDatagramChannel to) throws Exception {
        long before = count("rx_datagrams");
        from.writeAndFlush(new DatagramPacket(text(text), at(to))).sync();
        await().until(() -> count("rx_datagrams") > before);
    }

    private long count(String name) throws Exception {
        return near.submit(() -> JwarpIoHandler.of(near.next()).datagrams().context().counters().stream()
                        .filter(counter -> counter.name().endsWith(name))
                        .mapToLong(counter -> counter.value())
                        .sum())
                .get();
    }

    @Test
    @DisplayName("talks to plain UDP at the same port, too")
    void plainPeer() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept));
        try (DatagramSocket udp = new DatagramSocket(ANY)) {
            byte[] question = "in plain UDP".getBytes(StandardCharsets.US_ASCII);
            udp.send(new java.net.DatagramPacket(question, question.length, at(channel)));
            assertThat(kept.next()).isEqualTo("in plain UDP");
            channel.writeAndFlush(new DatagramPacket(text("answer"), (InetSocketAddress) udp.getLocalSocketAddress()));
            java.net.DatagramPacket answer = new java.net.DatagramPacket(new byte[100], 100);
            udp.receive(answer);
            assertThat(new String(answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII))
                    .isEqualTo("answer");
            assertThat(fault(channel.writeAndFlush(new DatagramPacket(
                            Unpooled.EMPTY_BUFFER, (InetSocketAddress) udp.getLocalSocketAddress()))))
                    .hasMessageStartingWith("an empty plain datagram cannot be sent");
        }
        assertThat(plain()).isOne();
    }

    @Test
    @DisplayName("sends plain UDP at once to peers that speak it by its option")
    void mode() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept).option(JwarpChannelOption.MODE, SocketMode.TCP));
        assertThat(channel.config().getOption(JwarpChannelOption.MODE)).isEqualTo(SocketMode.TCP);
        try (DatagramSocket udp = new DatagramSocket(ANY)) {
            channel.writeAndFlush(new DatagramPacket(text("plain"), (InetSocketAddress) udp.getLocalSocketAddress()));
            java.net.DatagramPacket packet = new java.net.DatagramPacket(new byte[100], 100);
            udp.receive(packet);
            assertThat(packet.getLength()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1_400, 1_473, 2_049, 9_000, DatagramEnd.LONGEST})
    @DisplayName("carries datagrams of every length of UDP, from buffers of any kind, unchanged")
    void lengths(int length) throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept));
        JwarpDatagramChannel other = bound(bootstrap(far, new Answer()));
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        ByteBuf heap = Unpooled.buffer(length + 1).writeBytes(bytes);
        ByteBuf direct = Unpooled.directBuffer(length + 1).writeBytes(bytes);
        int cut = length / 3;
        ByteBuf parts = Unpooled.compositeBuffer()
                .addComponent(true, Unpooled.buffer(length + 1).writeBytes(bytes, 0, cut))
                .addComponent(true, Unpooled.directBuffer(length + 1).writeBytes(bytes, cut, length - cut));
        for (ByteBuf each : List.of(heap, direct, parts)) {
            channel.writeAndFlush(new DatagramPacket(each, at(other)));
            DatagramPacket back = kept.packet();
            assertThat(ByteBufUtil.getBytes(back.content())).isEqualTo(bytes);
            back.release();
            await().until(() -> each.refCnt() == 0);
        }
    }

    @Test
    @DisplayName("fails only the datagram that can never be sent, with a clear message")
    void tooLong() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept));
        ByteBuf bytes = Unpooled.buffer().writeZero(DatagramEnd.LONGEST + 1);
        ChannelFuture long1 = channel.write(new DatagramPacket(bytes, at(channel)));
        ChannelFuture unresolved = channel.write(
                new DatagramPacket(text("nobody"), InetSocketAddress.createUnresolved("no.such.host.invalid", 1)));
        ChannelFuture wrong = channel.write("a string");
        ChannelFuture unconnected = channel.write(text("to whom?"));
        channel.writeAndFlush(new DatagramPacket(text("next"), at(channel)));
        assertThat(fault(long1))
                .isInstanceOf(IOException.class)
                .hasMessage("Message too long: a datagram has at most 65507 bytes, not 65508");
        assertThat(fault(unresolved)).isInstanceOf(java.nio.channels.UnresolvedAddressException.class);
        assertThat(fault(wrong)).hasMessageContaining("not java.lang.String");
        assertThat(fault(unconnected)).isInstanceOf(NotYetConnectedException.class);
        assertThat(bytes.refCnt()).isZero();
        assertThat(kept.next()).isEqualTo("next");
    }

    @Test
    @DisplayName("that is connected receives from and sends to its peer only, until it is disconnected")
    void connected() throws Exception {
        KeptDatagrams others = keep();
        JwarpDatagramChannel peer = bound(bootstrap(far, others));
        JwarpDatagramChannel stranger = bound(bootstrap(far, keep()));
        JwarpDatagramChannel channel = (JwarpDatagramChannel)
                bootstrap(near, kept).connect(at(peer)).sync().channel();
        assertThat(channel.isConnected()).isTrue();
        assertThat(channel.remoteAddress()).isEqualTo(at(peer));
        assertThat(at(channel).getAddress()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(fault(channel.connect(at(stranger)))).isInstanceOf(AlreadyConnectedException.class);

        channel.write(text("bytes alone"));
        channel.write(new DefaultAddressedEnvelope<>(text("an envelope"), at(peer)));
        channel.flush();
        assertThat(List.of(others.next(), others.next())).containsExactlyInAnyOrder("bytes alone", "an envelope");
        assertThat(fault(channel.writeAndFlush(new DatagramPacket(text("x"), at(stranger)))))
                .isInstanceOf(AlreadyConnectedException.class);
        sendAndAwait(stranger, "unheard", channel);
        peer.writeAndFlush(new DatagramPacket(text("heard"), at(channel)));
        assertThat(kept.next()).isEqualTo("heard");

        channel.disconnect().sync();

        assertThat(channel.isConnected()).isFalse();
        assertThat(channel.isActive()).isTrue();
        assertThat(channel.remoteAddress()).isNull();
        stranger.writeAndFlush(new DatagramPacket(text("heard, too"), at(channel)));
        assertThat(kept.next()).isEqualTo("heard, too");
        assertThat(fault(channel.writeAndFlush(text("x")))).isInstanceOf(NotYetConnectedException.class);
    }

    @Test
    @DisplayName("that is not bound sends nothing, or is bound by its first datagram if an option says so")
    @SuppressWarnings("deprecation") // Netty's channels have this option
    void bindsItself() throws Exception {
        JwarpDatagramChannel other = bound(bootstrap(far, kept));
        Channel unbound = bootstrap(near, keep()).register().sync().channel();
        assertThat(unbound.isActive()).isFalse();
        assertThat(fault(unbound.writeAndFlush(new DatagramPacket(text("x"), at(other)))))
                .isInstanceOf(NotYetConnectedException.class);
        Channel active = bootstrap(near, keep())
                .option(ChannelOption.DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION, true)
                .register()
                .sync()
                .channel();
        active.writeAndFlush(new DatagramPacket(text("first"), at(other)));
        assertThat(kept.next()).isEqualTo("first");
        assertThat(((InetSocketAddress) active.localAddress()).getPort()).isPositive();
    }

    @Test
    @DisplayName("reads only one datagram for each read() without auto-read")
    void autoRead() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept).option(ChannelOption.AUTO_READ, false));
        JwarpDatagramChannel other = bound(bootstrap(far, keep()));
        for (int i = 0; i < 5; i++) {
            sendAndAwait(other, "datagram " + i, channel);
        }
        for (int i = 0; i < 5; i++) {
            int asked = i + 1;
            assertThat(kept.came).isEmpty();
            channel.read();
            assertThat(kept.next()).isEqualTo("datagram " + i);
            await().until(() -> kept.rounds.get() == asked);
        }
        channel.config().setAutoRead(true);
        other.writeAndFlush(new DatagramPacket(text("more"), at(channel)));
        assertThat(kept.next()).isEqualTo("more");
    }

    @Test
    @DisplayName("reads several datagrams in one turn, as the allocator says")
    @SuppressWarnings("deprecation") // the option configures the allocator
    void turns() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.MAX_MESSAGES_PER_READ, 16));
        JwarpDatagramChannel other = bound(bootstrap(far, keep()));
        for (int i = 0; i < 40; i++) {
            sendAndAwait(other, "datagram " + i, channel);
        }
        channel.config().setAutoRead(true);
        for (int i = 0; i < 40; i++) {
            assertThat(kept.next()).isEqualTo("datagram " + i);
        }
        await().until(() -> kept.rounds.get() > 0);
        assertThat(kept.rounds.get()).isBetween(1, 39);
    }

    @Test
    @DisplayName("joins groups at its port, and receives over RDMA and plain UDP; it cannot block sources")
    void groups() throws Exception {
        InetAddress group = InetAddress.getByName("239.7.8.10");
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        JwarpDatagramChannel member = (JwarpDatagramChannel) new Bootstrap()
                .group(near)
                .handler(kept)
                .channelFactory(() -> new JwarpDatagramChannel(SocketProtocolFamily.INET))
                .bind(0)
                .sync()
                .channel();
        InetSocketAddress at = new InetSocketAddress(group, at(member).getPort());
        JwarpDatagramChannel other = bound(bootstrap(far, keep()));
        assertThat(fault(member.joinGroup(at, loopback))).isNull();
        assertThat(fault(member.joinGroup(at, loopback))).isNull();

        other.writeAndFlush(new DatagramPacket(text("to all"), at));
        assertThat(kept.next()).isEqualTo("to all");
        try (DatagramChannel udp = DatagramChannel.open(java.net.StandardProtocolFamily.INET)) {
            udp.setOption(java.net.StandardSocketOptions.IP_MULTICAST_IF, loopback);
            udp.send(ByteBuffer.wrap("plain".getBytes(StandardCharsets.US_ASCII)), at);
            assertThat(kept.next()).isEqualTo("plain");
        }

        assertThat(fault(member.leaveGroup(at, loopback))).isNull();
        other.write(new DatagramPacket(text("to others"), at));
        other.writeAndFlush(new DatagramPacket(
                text("to you"), new InetSocketAddress(InetAddress.getLoopbackAddress(), at.getPort())));
        assertThat(kept.next()).isEqualTo("to you");

        assertThat(fault(member.joinGroup(group))).hasMessageContaining("say on which interface");
        assertThat(fault(other.joinGroup(group))).isNull();
        assertThat(fault(member.joinGroup(InetAddress.getLoopbackAddress(), loopback, null)))
                .hasMessageContaining("is not a multicast address");
        assertThat(fault(member.joinGroup(group, loopback, InetAddress.getLoopbackAddress())))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("joined for all sources");
        assertThat(fault(member.block(group, InetAddress.getLoopbackAddress())))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("joined for all sources");
    }

    @Test
    @DisplayName("has the options of groups of Netty's channels, set before it is bound and after")
    void groupOptions() throws Exception {
        InetAddress group = InetAddress.getByName("239.7.8.11");
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        JwarpDatagramChannel member = (JwarpDatagramChannel) bootstrap(near, kept)
                .option(ChannelOption.IP_MULTICAST_IF, loopback)
                .option(ChannelOption.IP_MULTICAST_TTL, 0)
                .option(ChannelOption.IP_MULTICAST_LOOP_DISABLED, true)
                .bind(0)
                .sync()
                .channel();
        assertThat(member.config().getOptions())
                .containsEntry(ChannelOption.IP_MULTICAST_IF, loopback)
                .containsEntry(
                        ChannelOption.IP_MULTICAST_ADDR,
                        loopback.getInetAddresses().nextElement())
                .containsEntry(ChannelOption.IP_MULTICAST_TTL, 0)
                .containsEntry(ChannelOption.IP_MULTICAST_LOOP_DISABLED, true);
        assertThat(fault(member.joinGroup(group)))
                .as("on the interface of its option")
                .isNull();
        member.writeAndFlush(new DatagramPacket(
                text("to all"), new InetSocketAddress(group, at(member).getPort())));
        assertThat(kept.next()).isEqualTo("to all");

        DatagramChannelConfig config = new JwarpDatagramChannel().config();
        assertThat(config.getNetworkInterface()).isNull();
        assertThat(config.getInterface()).isNull();
        assertThat(config.getTimeToLive()).isOne();
        assertThat(config.isLoopbackModeDisabled()).isFalse();
        config.setInterface(InetAddress.getLoopbackAddress());
        assertThat(config.getNetworkInterface()).isEqualTo(loopback);
        assertThatThrownBy(() -> config.setInterface(InetAddress.getByName("192.0.2.77")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("192.0.2.77 belongs to no interface");
        assertThatThrownBy(() -> config.setTimeToLive(256)).hasMessage("IP_MULTICAST_TTL is 0 to 255, not 256");
        assertThatThrownBy(() -> config.setTimeToLive(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> config.setNetworkInterface(null)).hasMessageContaining("is an interface, not null");

        member.close().sync();
        assertThatThrownBy(() -> member.config().setTimeToLive(1)).hasMessageContaining("is closed");
        assertThat(member.config().getTimeToLive()).isZero();
    }

    @Test
    @DisplayName("accepts thousands of sends from many threads: promises complete, none arrives twice, nothing is left")
    void fromManyThreads() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, keep()).option(ChannelOption.SO_SNDBUF, 8_192));
        JwarpDatagramChannel other = bound(bootstrap(far, kept).option(ChannelOption.SO_RCVBUF, 1 << 24));
        ConcurrentLinkedQueue<ByteBuf> sent = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<ChannelFuture> promises = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int own = i;
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 2_500; n++) {
                    ByteBuf bytes =
                            Unpooled.buffer(200).writeInt(own).writeInt(n).writeZero(192);
                    sent.add(bytes);
                    promises.add(channel.write(new DatagramPacket(bytes, at(other))));
                    if (n % 7 == 0) {
                        channel.flush();
                    }
                }
                channel.flush();
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (ChannelFuture each : promises) {
            assertThat(fault(each)).isNull();
        }
        assertThat(sent).hasSize(10_000).allMatch(bytes -> bytes.refCnt() == 0);
        assertThat(channel.isWritable()).isTrue();
        List<Set<Integer>> came = Stream.generate(() -> (Set<Integer>) new HashSet<Integer>())
                .limit(5)
                .toList();
        while (came.get(4).isEmpty()) { // a datagram may be lost
            other.writeAndFlush(
                    new DatagramPacket(Unpooled.buffer(8).writeInt(4).writeInt(0), at(other)));
            DatagramPacket packet = kept.came.poll(1_000, TimeUnit.MILLISECONDS);
            while (packet != null && came.get(4).isEmpty()) {
                int thread = packet.content().readInt();
                int number = packet.content().readInt();
                assertThat(came.get(thread).add(number)).as("arrives once").isTrue();
                packet.release();
                packet = kept.came.poll();
            }
            ReferenceCountUtil.release(packet);
        }
        assertThat(came.stream().mapToInt(Set::size).sum())
                .as("others were lost, as with UDP")
                .isGreaterThan(100);
    }

    @Test
    @DisplayName("that is closed while sending fails the unsent datagrams, releases all buffers, and frees its port")
    void closes() throws Exception {
        JwarpDatagramChannel other = bound(bootstrap(far, kept));
        List<ByteBuf> sent = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            JwarpDatagramChannel channel = bound(bootstrap(near, keep()).option(ChannelOption.SO_SNDBUF, 8_192));
            List<ChannelFuture> promises = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                ByteBuf bytes = Unpooled.buffer().writeZero(3_000);
                sent.add(bytes);
                promises.add(channel.write(new DatagramPacket(bytes, at(other))));
            }
            InetSocketAddress where = at(channel);
            channel.flush();
            channel.close().sync();
            for (ChannelFuture each : promises) {
                Throwable fault = fault(each);
                assertThat(fault == null || fault instanceof ClosedChannelException)
                        .isTrue();
            }
            assertThat(fault(channel.writeAndFlush(new DatagramPacket(text("late"), at(other)))))
                    .isInstanceOf(ClosedChannelException.class);
            Channel again = bootstrap(near, keep()).bind(where).sync().channel(); // the port is free at once
            again.close().sync();
        }
        assertThat(sent).allMatch(bytes -> bytes.refCnt() == 0);
        for (DatagramPacket packet = kept.came.poll(); packet != null; packet = kept.came.poll()) {
            packet.release();
        }
        JwarpDatagramChannel last = bound(bootstrap(near, keep()));
        await().until(
                        () -> { // among so many, any datagram may be lost
                            last.writeAndFlush(new DatagramPacket(text("after"), at(other)));
                            DatagramPacket packet = kept.came.poll(200, TimeUnit.MILLISECONDS);
                            String text =
                                    packet == null ? "after" : packet.content().toString(StandardCharsets.US_ASCII);
                            ReferenceCountUtil.release(packet);
                            assertThat(text.length()).isIn(3_000, 5);
                            return packet != null && text.equals("after");
                        });
    }

    @Test
    @DisplayName("that its own handler closes reads nothing more")
    void closedByHandler() throws Exception {
        AtomicInteger read = new AtomicInteger();
        JwarpDatagramChannel channel = bound(bootstrap(near, new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ((DatagramPacket) message).release();
                        read.incrementAndGet();
                        context.close();
                    }
                })
                .option(ChannelOption.AUTO_READ, false));
        JwarpDatagramChannel other = bound(bootstrap(far, keep()));
        for (int i = 0; i < 5; i++) {
            sendAndAwait(other, "x", channel);
        }
        channel.config().setAutoRead(true);
        channel.closeFuture().sync();
        near.submit(() -> {}).sync();
        assertThat(read).hasValue(1);
    }

    @Test
    @DisplayName("reports an address that is in use, or not of this host")
    void bindErrors() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept));
        assertThat(fault(bootstrap(far, keep()).bind(at(channel)))).isInstanceOf(BindException.class);
        assertThat(fault(bootstrap(far, keep()).bind(new InetSocketAddress("192.0.2.1", 0))))
                .isInstanceOf(BindException.class);
    }

    @Test
    @DisplayName("can be deregistered from its loop and registered again, but not with another one once it is bound")
    void staysOnItsLoop() throws Exception {
        JwarpDatagramChannel channel = bound(bootstrap(near, kept));
        JwarpDatagramChannel other = bound(bootstrap(far, keep()));
        channel.deregister().sync();
        near.next().register(channel).sync();
        other.writeAndFlush(new DatagramPacket(text("still here"), at(channel)));
        assertThat(kept.next()).isEqualTo("still here");
        channel.deregister().sync();
        assertThat(fault(far.next().register(channel)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("stays with the event loop on which it was bound");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    @DisplayName("truncates a datagram that is longer than the allocated buffer, as UDP does")
    void cuts() throws Exception {
        JwarpDatagramChannel channel =
                bound(bootstrap(near, kept).option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4)));
        channel.writeAndFlush(new DatagramPacket(text("a long one"), at(channel)));
        assertThat(kept.next()).isEqualTo("a lo");
        channel.writeAndFlush(new DatagramPacket(text("next"), at(channel)));
        assertThat(kept.next()).isEqualTo("next");
    }

    @Test
    @DisplayName("without memory for datagrams is closed, and other channels of its loop continue")
    void noMemory() throws Exception {
        JwarpDatagramChannel channel =
                bound(bootstrap(near, keep()).option(ChannelOption.RECVBUF_ALLOCATOR, new Loops.NoMemory()));
        JwarpDatagramChannel other = bound(bootstrap(near, kept));
        other.writeAndFlush(new DatagramPacket(text("x"), at(channel)));
        assertThat(channel.closeFuture().await(Loops.PATIENCE_SECONDS, TimeUnit.SECONDS))
                .isTrue();
        other.writeAndFlush(new DatagramPacket(text("goes on"), at(other)));
        assertThat(kept.next()).isEqualTo("goes on");
    }

    @Test
    @DisplayName("shares its loop with streams, wakes it at once, and leaves it idle without datagrams")
    void besideStreams() throws Exception {
        JwarpDatagramChannel answers = bound(bootstrap(near, new Answer()));
        Channel listener = new ServerBootstrap()
                .group(near)
                .channel(JwarpServerSocketChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        context.writeAndFlush(message);
                    }
                })
                .bind(ANY)
                .sync()
                .channel();
        AtomicInteger bytes = new AtomicInteger();
        Channel stream = new Bootstrap()
                .group(far)
                .channel(JwarpSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        bytes.addAndGet(((ByteBuf) message).readableBytes());
                        ((ByteBuf) message).release();
                    }
                })
                .connect(listener.localAddress())
                .sync()
                .channel();
        JwarpDatagramChannel asks = bound(bootstrap(far, kept));
        for (int i = 0; i < 300; i++) {
            int sent = i + 1;
            asks.writeAndFlush(new DatagramPacket(text("datagram " + i), at(answers)));
            assertThat(kept.next()).isEqualTo("datagram " + i);
            stream.writeAndFlush(text("x"));
            await().pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofNanos(50_000))
                    .until(() -> bytes.get() == sent);
        }
        long busy = processorTime();
        near.schedule(() -> {}, 600, TimeUnit.MILLISECONDS).sync();
        assertThat(Duration.ofNanos(processorTime() - busy)).isLessThan(Duration.ofMillis(200));
    }

    /** {@return the processor time of the loop's thread, nanoseconds} */
    private long processorTime() throws Exception {
        return near.submit(() -> ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime())
                .get();
    }

    @Test
    @DisplayName("works with Netty's DNS resolver and a server of plain UDP")
    void resolver() throws Exception {
        try (DatagramSocket server = new DatagramSocket(ANY)) {
            Thread answering = new Thread(() -> answerNames(server));
            answering.start();
            DnsNameResolver resolver = new DnsNameResolverBuilder(near.next())
                    .datagramChannelFactory(() -> {
                        JwarpDatagramChannel channel = new JwarpDatagramChannel();
                        channel.config().setOption(JwarpChannelOption.MODE, SocketMode.TCP);
                        return channel;
                    })
                    .nameServerProvider(new SingletonDnsServerAddressStreamProvider(
                            (InetSocketAddress) server.getLocalSocketAddress()))
                    .queryTimeoutMillis(Patience.LIMIT.toMillis())
                    .build();
            assertThat(resolver.resolve("name.example.com.").get(Loops.PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .extracting(InetAddress::getHostAddress)
                    .isEqualTo("192.0.2.7");
            resolver.close();
        }
    }

    /** Answers each question with 192.0.2.7, and questions for IPv6 with no address. */
    private static void answerNames(DatagramSocket server) {
        try {
            while (true) {
                java.net.DatagramPacket packet = new java.net.DatagramPacket(new byte[512], 512);
                server.receive(packet);
                ByteBuffer question = ByteBuffer.wrap(packet.getData(), 0, packet.getLength());
                int end = 12;
                while (question.get(end) != 0) {
                    end += question.get(end) + 1;
                }
                end += 5;
                boolean four = question.getShort(end - 4) == 1;
                ByteBuffer answer = ByteBuffer.allocate(512)
                        .put(question.array(), 0, end)
                        .putShort(2, (short) 0x8180)
                        .putShort(6, (short) (four ? 1 : 0))
                        .putInt(8, 0);
                if (four) {
                    answer.putShort((short) 0xC00C)
                            .putShort((short) 1)
                            .putShort((short) 1)
                            .putInt(60)
                            .putShort((short) 4);
                    answer.put(new byte[] {(byte) 192, 0, 2, 7});
                }
                server.send(new java.net.DatagramPacket(answer.array(), answer.position(), packet.getSocketAddress()));
            }
        } catch (IOException e) {
            // closed: the test is over
        }
    }
}
