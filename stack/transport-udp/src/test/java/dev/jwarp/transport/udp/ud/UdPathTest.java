package dev.jwarp.transport.udp.ud;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The rate of UD (datagram-iWARP §6)")
class UdPathTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int SIZE = 1_400;
    private static final int UNHEARD = 125_000;

    private record Reply(long at, long token, int received) {}

    private final UdPath path = new UdPath(UNHEARD, UdPath.Limit.UNHEARD);
    private final Random random = new Random(1);
    private final Deque<Reply> replies = new ArrayDeque<>();

    // The path: a bottleneck in front of a peer that answers at once.
    private double capacity = 1_000_000;
    private long queueBytes = 40_000;
    private long roundTrip = 40 * MILLI;
    private double loss;
    private boolean counts = true;
    private boolean answers = true;

    private long now = SECOND;
    private long busyUntil;
    private int received = 1;
    private long delivered;
    private long offered;
    private int probes;

    @Test
    @DisplayName("a silent peer or a group gets 10 datagrams, and then the rate of the setting")
    void unheard() {
        UdPaths paths = new UdPaths(UdpSettings.of(Map.of("jwarp.udp.unheard-pace", "1000")), 7);
        DatagramAddress stranger = DatagramAddress.of(new InetSocketAddress("192.0.2.7", 4000));
        DatagramAddress group = DatagramAddress.of(new InetSocketAddress("239.1.2.3", 4000));
        for (DatagramPeer peer : List.of(
                new DatagramPeer().set(stranger, 17, 1, 0), new DatagramPeer().set(group, Shim.GROUP_QPN, 1, 0))) {
            UdPath found = paths.of(peer);
            int atOnce = 0;
            while (atOnce < 100 && found.admittedAt(now) <= now) {
                found.sent(SIZE, now);
                atOnce++;
            }
            assertThat(atOnce).isBetween(10, 11);
            assertThat(found.admittedAt(now) - now)
                    .as("at 1,000 bytes a second")
                    .isEqualTo(SIZE * SECOND / 1_000);
        }
    }

    /** Sends for {@code nanos}, as fast as the pace allows. */
    private void send(long nanos) {
        long end = now + nanos;
        while (now < end) {
            long next = Math.max(now, path.admittedAt(now));
            if (!replies.isEmpty() && replies.peek().at <= next) {
                now = Math.max(now, replies.peek().at);
                hear(replies.poll());
                continue;
            }
            if (next > now) {
                path.waits();
            }
            now = next == now ? now + 1_000 : next; // an unlimited sender takes a microsecond for each
            path.sent(SIZE, now);
            offered += SIZE;
            if (arrives(SIZE)) {
                received++;
                delivered += SIZE;
            }
            if (path.asks(now)) {
                long token = random.nextLong();
                path.ask(token, now);
                probes++;
                if (answers && arrives(80)) {
                    replies.add(new Reply(busyUntil + roundTrip, token, counts ? received : 0));
                }
            }
        }
    }

    private boolean arrives(int octets) {
        busyUntil = Math.max(busyUntil, now);
        if ((busyUntil - now) * capacity / SECOND > queueBytes || random.nextDouble() < loss) {
            return false;
        }
        busyUntil += (long) (octets * SECOND / capacity);
        return true;
    }

    private void hear(Reply reply) {
        PathReplyBody body = new PathReplyBody();
        body.wrap(ByteBuffer.allocate(PathReplyBody.LENGTH), 0);
        body.set(reply.token, 80, 1_472);
        body.received(reply.received, 0, 0);
        if (path.answered(body, now)) {
            path.heard(now);
        }
    }

    private double rateOver(long nanos) {
        delivered = 0;
        offered = 0;
        send(nanos);
        return delivered * 1.0 * SECOND / nanos;
    }

    @Tag("DG-6-11")
    @Test
    @DisplayName("a bottleneck is used up, its queue is rarely full; a halved and a restored rate are found")
    void bottleneck() {
        send(10 * SECOND);
        assertThat(rateOver(20 * SECOND)).isBetween(0.7 * capacity, capacity * 1.01);
        assertThat(1.0 * delivered / offered).as("the share that is not lost").isGreaterThan(0.97);
        capacity = 500_000;
        send(5 * SECOND);
        assertThat(rateOver(20 * SECOND)).isBetween(0.6 * capacity, capacity * 1.01);
        assertThat(1.0 * delivered / offered).isGreaterThan(0.96);
        capacity = 1_000_000;
        send(20 * SECOND);
        assertThat(rateOver(20 * SECOND)).isGreaterThan(0.7 * capacity);
    }

    @Tag("DG-6-11")
    @Test
    @DisplayName("at most one probe for 10 datagrams, and one in a round trip")
    void questions() {
        for (int slow : new int[] {1_000_000, 50_000}) {
            capacity = slow;
            probes = 0;
            offered = 0;
            send(10 * SECOND);
            assertThat(probes).isLessThan((int) (10 * SECOND / roundTrip) + 10);
            assertThat((long) probes * 10).isLessThanOrEqualTo(offered / SIZE + 10);
        }
    }

    @Test
    @DisplayName("when answers stop, the rate falls at once, then to that of a silent peer, then to a trickle")
    void outage() {
        send(10 * SECOND);
        answers = false;
        send(2 * SECOND);
        replies.clear();
        assertThat(rateOver(5 * SECOND)).isLessThan(0.2 * capacity);
        send(15 * SECOND);
        assertThat(path.broken()).isTrue();
        assertThat(rateOver(9 * SECOND)).isLessThan(4.0 * SIZE);
        answers = true;
        send(10 * SECOND);
        assertThat(path.broken()).isFalse();
        assertThat(rateOver(20 * SECOND)).isGreaterThan(0.6 * capacity);
    }

    @Test
    @DisplayName("at a low rate datagrams are so short that 20 are sent in a second, down to the shortest segment")
    void shortDatagrams() {
        assertThat(UdPath.UNLIMITED.longest(65_507)).isEqualTo(65_507);
        assertThat(new UdPath(10_000_000, UdPath.Limit.SET).longest(65_507)).isEqualTo(65_507);
        assertThat(new UdPath(30_000, UdPath.Limit.SET).longest(65_507)).isEqualTo(1_500);
        assertThat(new UdPath(30_000, UdPath.Limit.SET).longest(1_472)).isEqualTo(1_472);
        assertThat(new UdPath(1_000, UdPath.Limit.SET).longest(1_472)).isEqualTo(320);
    }

    @Tag("DG-6-6")
    @Test
    @DisplayName("a peer without feedback has the rate of a silent one, but no circuit breaker opens")
    void notCounted() {
        counts = false;
        capacity = 1e9;
        send(20 * SECOND);
        assertThat(rateOver(SECOND)).isBetween(0.95 * UNHEARD, 1.05 * UNHEARD);
        assertThat(path.broken()).isFalse();
        counts = true;
        send(SECOND);
        assertThat(rateOver(SECOND)).as("feedback begins").isGreaterThan(20.0 * UNHEARD);
        counts = false;
        send(SECOND);
        assertThat(rateOver(SECOND)).as("feedback ends").isBetween(0.95 * UNHEARD, 1.05 * UNHEARD);
    }

    @Tag("DG-6-11")
    @Test
    @DisplayName("a longer round trip ends slow start before much is lost")
    void beginning() {
        send(2 * SECOND);
        assertThat(1.0 * delivered / offered).as("the share that is not lost").isGreaterThan(0.95);
        assertThat(delivered).isGreaterThan((long) (1.2 * capacity));
    }

    @Tag("DG-6-11")
    @Test
    @DisplayName("while an answer is late, the rate falls, before the probe is repeated")
    void lateAnswer() {
        send(10 * SECOND);
        answers = false;
        replies.clear();
        offered = 0;
        send(roundTrip); // the probe is outstanding now
        long before = offered;
        offered = 0;
        send(roundTrip);
        assertThat((double) offered).isLessThan(0.8 * before);
    }

    @Test
    @DisplayName("with random loss the rate is at most that of the path")
    void loss() {
        loss = 0.01;
        send(10 * SECOND);
        assertThat(rateOver(20 * SECOND)).isBetween(0.1 * capacity, capacity);
    }
}
