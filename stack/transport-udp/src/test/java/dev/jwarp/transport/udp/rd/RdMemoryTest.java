package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Memory of reliable channels")
class RdMemoryTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CHANNELS = 10_000;

    private final RdSim sim = new RdSim(1);
    private final ReceivedDatagram datagram = new ReceivedDatagram();
    private final Shim shim = datagram.shim();
    private final RdFields said = new RdFields();

    private static long allocated() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Receives an RD-OPEN from any address. */
    private void open(RdHost to, DatagramAddress from, int number, long now) {
        shim.addressed(to.number, number, to.key).message(1, 16);
        open(4711, 100);
        to.endpoint.opener.onOpen(datagram.from(from), said, true, true, now);
    }

    private void open(int tag, int firstPsn) {
        said.tag = tag;
        said.psn = firstPsn;
        said.previousTag = 0;
        said.window = 256;
    }

    @Test
    @DisplayName("an accepted idle channel takes a few hundred bytes")
    void idle() {
        RdHost host = new RdHost(sim, 1, 17);
        sim.drops = p -> true;
        DatagramAddress address = new DatagramAddress();
        open(host, address.setIpv4(1, 1), 16, sim.now()); // allocates the fixed part
        host.pump();
        long before = allocated();
        for (int i = 0; i < CHANNELS; i++) {
            open(host, address.setIpv4(i, 5), 99, sim.now());
        }
        long octets = (allocated() - before) / CHANNELS;
        System.out.printf(Locale.ROOT, "bytes of an accepted idle channel, tables included: %d%n", octets);
        assertThat(host.endpoint.channels()).isEqualTo(CHANNELS + 1);
        assertThat(octets).isLessThan(900);
    }

    @Test
    @DisplayName("in steady state nothing is allocated, even with gaps and repetitions")
    void steadyState() {
        Loop loop = new Loop();
        loop.deliver(20_000);
        long least = Long.MAX_VALUE;
        for (int attempt = 0;
                attempt < 5 && least >= 10_000;
                attempt++) { // the JVM may allocate in this thread sometimes
            long before = allocated();
            loop.deliver(20_000);
            least = Math.min(least, allocated() - before);
        }
        assertThat(loop.a.counted(UdpCounter.RD_REPEATED)).isPositive();
        assertThat(loop.a.upper.lost).isEmpty();
        assertThat(least / 20_000.0).as("bytes per datagram").isLessThan(0.5);
    }

    /** Two hosts that always have work, with every 20th datagram of data lost; the network does not allocate. */
    private static final class Loop extends RdSim {
        final RdHost a = new RdHost(this, 1, 17);
        private final RdHost b = new RdHost(this, 2, 18);
        private final RdPacket[] ring = new RdPacket[1024];
        private int head;
        private int size;
        private int data;

        Loop() {
            super(1);
            Arrays.setAll(ring, i -> new RdPacket(Kind.DATA, a.address, b.address));
            a.upper.records = false;
            b.upper.records = false;
            a.post(b, 100_000_000, 1);
            b.post(a, 100_000_000, 1);
        }

        @Override
        RdPacket packet(Kind kind, DatagramAddress from, DatagramAddress to) {
            return ring[(head + size) % ring.length].begin(kind, from, to);
        }

        @Override
        void send(RdPacket packet) {
            if (packet.kind != Kind.DATA || ++data % 20 != 7) { // else the next datagram overwrites it
                size++;
            }
        }

        @Override
        void at(long nanos, Runnable what) {} // each step is a time of all timers

        void deliver(int datagrams) {
            long end = a.upper.acceptedSegments + datagrams;
            while (a.upper.acceptedSegments < end) {
                run(10_000);
                for (int left = size; left > 0; left--) {
                    RdPacket next = ring[head];
                    head = (head + 1) % ring.length;
                    size--;
                    deliver(next);
                }
                a.onTime();
                b.onTime();
            }
        }
    }

    @Test
    @DisplayName("a draining channel keeps its datagrams: it is not idle, although it takes no memory")
    void drains() {
        RdHost host = new RdHost(sim, 1, 17, RdHost.limits(256, 64, 16, 64));
        sim.drops = p -> true;
        Ahead draining = new Ahead(host, 1);
        Ahead largest = new Ahead(host, 2);
        Ahead taker = new Ahead(host, 3);
        draining.data(2, 16, 2); // every other one is missing, beginning with the expected one
        largest.data(2, 40, 1);
        taker.data(2, 8, 1);
        assertThat(host.endpoint.stashes.free()).isZero();
        for (int i = 0; i < 3; i++) {
            sim.run(RdSim.millis(300));
            draining.data(1 + 2 * i, 1, 1); // fills one gap, and one kept datagram is delivered, too
        }
        assertThat(host.endpoint.stashes.free()).isEqualTo(3);
        sim.run(RdSim.millis(100));
        taker.data(10, 3, 1);
        sim.run(RdSim.millis(100));
        assertThat(sim.now() - draining.since).isGreaterThan(RdSettings.IDLE_AFTER);
        largest.data(42, 1, 1);
        assertThat(host.counted(UdpCounter.RD_STASH_TAKEN_BACK)).isZero();
        assertThat(host.counted(UdpCounter.RD_AHEAD))
                .as("the largest gets nothing")
                .isEqualTo(1);
        draining.data(7, 13, 2);
        assertThat(host.upper.offered).as("all kept datagrams are delivered").isEqualTo(32);
    }

    /** A peer of a host, whose datagrams a test controls. */
    private final class Ahead {
        final long since = sim.now();
        private final RdHost to;
        private final DatagramAddress address;
        private final ByteBuffer segment = ByteBuffer.allocate(RdUpper.HEADER + RdUpper.MARKS);
        private final int tag;

        Ahead(RdHost to, int last) {
            this.to = to;
            address = new DatagramAddress().setIpv4(0x0a00_0000 + last, 5);
            tag = 1000 + last;
            to.randoms.add((long) tag);
            to.randoms.add(0L); // its first PSN
            open(to, address, 99, sim.now());
        }

        /** Receives {@code count} datagrams from {@code first} on, counted from 1, with steps of {@code step}. */
        void data(int first, int count, int step) {
            for (int i = 0; i < count; i++) {
                shim.addressed(to.number, 99, tag).message(1, 16);
                said.psn = 99 + first + i * step;
                datagram.from(address).body(segment, 0, segment.capacity());
                to.endpoint.onData(datagram, said, sim.now());
            }
        }
    }

    @Test
    @DisplayName("counters and tables are bounded, whatever sources send")
    void strangers() {
        RdHost host = new RdHost(sim, 1, 17);
        sim.drops = p -> true;
        DatagramAddress address = new DatagramAddress();
        ByteBuffer nothing = ByteBuffer.allocate(64);
        for (int i = 0; i < CHANNELS; i++) {
            shim.addressed(host.number, 99, i).message(1, 16);
            said.psn = i;
            host.endpoint.onData(datagram.from(address.setIpv4(i, 5)).body(nothing, 0, 64), said, sim.now());
            open(i + 1, 0);
            host.endpoint.opener.onOpen(datagram, said, false, false, sim.now());
        }
        assertThat(host.endpoint.channels()).isZero();
        assertThat(host.counted(UdpCounter.RD_TAG)).isEqualTo(CHANNELS);
    }
}
