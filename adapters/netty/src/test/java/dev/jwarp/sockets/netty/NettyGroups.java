package dev.jwarp.sockets.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DatagramPacket;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.DatagramMulticastIPv6Test;
import io.netty.testsuite.transport.socket.DatagramMulticastTest;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.TestInfo;

/**
 * Netty's tests of multicast, and some more, in an {@code OwnNetwork}, since they use the first multicast interface.
 * This is a program of its own, since JUnit would run the tests in the network of the build.
 */
final class NettyGroups {
    /** In these tests two channels share a port by SO_REUSEADDR, which is a setting in jwarp. */
    private static final EventLoopGroup LOOPS =
            new MultiThreadIoEventLoopGroup(2, JwarpIoHandler.newFactory(Map.of("jwarp.progress.shared-port", "on")));

    private NettyGroups() {}

    /** Exits with status 0 if all tests pass. */
    public static void main(String[] arguments) throws Exception {
        int status = 1; // exit() is needed, since event loops keep running
        try {
            TestInfo called = new Called(NettyGroups.class.getDeclaredMethod("main", String[].class));
            new Four().testMulticast(called);
            new Six().testMulticast(called);
            options();
            System.out.println("all have passed");
            status = 0;
        } catch (Throwable e) {
            e.printStackTrace(System.out);
        } finally {
            System.exit(status);
        }
    }

    /** Tests the options for sending to groups, set before and after the bind. */
    private static void options() throws Exception {
        NetworkInterface other = NetworkInterface.getByName("jwarp0");
        NetworkInterface joined = NetworkInterface.getByName("jwarp1");
        InetSocketAddress any = new InetSocketAddress("0.0.0.0", 0);
        KeptDatagrams heard = new KeptDatagrams();
        JwarpDatagramChannel member =
                (JwarpDatagramChannel) bootstrap(heard).bind(any).sync().channel();
        int port = Objects.requireNonNull(member.localAddress()).getPort();
        InetSocketAddress group = new InetSocketAddress("239.7.8.11", port);
        InetSocketAddress alone = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        member.joinGroup(group, joined).sync();
        JwarpDatagramChannel sender = (JwarpDatagramChannel) bootstrap(new KeptDatagrams())
                .option(ChannelOption.IP_MULTICAST_IF, joined)
                .option(ChannelOption.IP_MULTICAST_TTL, 0)
                .option(ChannelOption.IP_MULTICAST_LOOP_DISABLED, true)
                .bind(any)
                .sync()
                .channel();

        send(sender, "without loop", group);
        send(sender, "alone", alone);
        hears(heard, "alone");
        sender.config().setLoopbackModeDisabled(false);
        send(sender, "with loop", group);
        hears(heard, "with loop");
        sender.config().setNetworkInterface(other);
        send(sender, "through another interface", group);
        send(sender, "alone", alone);
        hears(heard, "alone");
        sender.config().setInterface(joined.getInetAddresses().nextElement());
        send(sender, "through the right one", group);
        hears(heard, "through the right one");
    }

    private static Bootstrap bootstrap(KeptDatagrams heard) {
        return new Bootstrap().group(LOOPS).channel(JwarpDatagramChannel.class).handler(heard);
    }

    private static void send(JwarpDatagramChannel from, String text, InetSocketAddress to) throws InterruptedException {
        from.writeAndFlush(new DatagramPacket(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII), to))
                .sync();
    }

    private static void hears(KeptDatagrams heard, String wanted) throws InterruptedException {
        String came = heard.next();
        if (!wanted.equals(came)) {
            throw new IllegalStateException("came '" + came + "', and not '" + wanted + "'");
        }
    }

    /** A test's info by its method. */
    private record Called(Method method) implements TestInfo {
        @Override
        public String getDisplayName() {
            return method.getName();
        }

        @Override
        public Set<String> getTags() {
            return Set.of();
        }

        @Override
        public Optional<Class<?>> getTestClass() {
            return Optional.of(NettyGroups.class);
        }

        @Override
        public Optional<Method> getTestMethod() {
            return Optional.of(method);
        }
    }

    private static final class Four extends DatagramMulticastTest {
        @Override
        protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
            return NettyTestsuiteTest.datagrams(LOOPS);
        }
    }

    private static final class Six extends DatagramMulticastIPv6Test {
        @Override
        protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
            return NettyTestsuiteTest.datagrams(LOOPS);
        }
    }
}
