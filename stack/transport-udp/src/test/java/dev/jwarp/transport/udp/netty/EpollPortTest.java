package dev.jwarp.transport.udp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.transport.udp.engine.ToyUpper;
import dev.jwarp.transport.udp.net.NotRun;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A port that always has data to send")
class EpollPortTest {
    private static final int QUEUE_PAIR = 16;
    private static final int ALL = 40_000;
    /** Twice the most datagrams of a look: the program's wake-up and the look's own may be in one round. */
    private static final int TWO_LOOKS = 2 * 16 * 64;

    private final AtomicInteger composed = new AtomicInteger();
    private int atLastRound;
    private volatile int mostInARound;

    @Test
    @DisplayName("does not delay sockets or timers: the event loop's round ends between two looks of the port")
    void rounds() throws Exception {
        NotRun.unless(Epoll.isAvailable(), "epoll is not available here");
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try (DatagramTransport transport =
                        new NettyDatagramTransportProvider().open(Map.of(), new GivenLoops(group, null));
                DatagramSocket sink = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            DatagramPeer to = new DatagramPeer()
                    .set(DatagramAddress.of((InetSocketAddress) sink.getLocalSocketAddress()), QUEUE_PAIR, 1, 1_472);
            countRounds((SingleThreadEventLoop) group.next());
            sendWithoutEnd(transport, to);
            await().until(() -> composed.get() >= ALL && mostInARound > 0);
            assertThat(mostInARound).isLessThanOrEqualTo(TWO_LOOKS);
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    private void sendWithoutEnd(DatagramTransport transport, DatagramPeer to) {
        byte[] payload = new byte[1_400];
        DatagramPort port = transport.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ToyUpper upper = new ToyUpper(QUEUE_PAIR);
        upper.onComposed = () -> {
            if (composed.incrementAndGet() < ALL) {
                upper.send(to, payload);
            }
        };
        port.attach(DatagramService.UD, QUEUE_PAIR, 1, false, upper);
        await().until(() -> upper.events.contains("attached"));
        upper.lower().execute(() -> {
            upper.send(to, payload);
            upper.lower().doorbell();
        });
    }

    private void countRounds(SingleThreadEventLoop loop) {
        loop.executeAfterEventLoopIteration(() -> {
            int now = composed.get();
            mostInARound = Math.max(mostInARound, now - atLastRound);
            atLastRound = now;
            if (now < ALL) {
                loop.execute(() -> countRounds(loop));
            }
        });
    }
}
