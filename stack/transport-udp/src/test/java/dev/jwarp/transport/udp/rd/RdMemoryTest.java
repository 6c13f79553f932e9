package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Memory of reliable channels")
class RdMemoryTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CHANNELS = 10_000;

    private final RdSim sim = new RdSim(1);
    private final Shim shim = new Shim();

    private static long allocated() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** An RD-OPEN from somewhere. */
    private void open(RdHost to, DatagramAddress from, int number, long now) {
        shim.addressed(to.number, number, to.key).message(1, 16);
        to.endpoint.opener().onOpen(shim, 4711, 100, 0, 256, true, true, from, now);
    }

    @Test
    @DisplayName("an idle channel that was accepted takes a few hundred octets")
    void idle() {
        RdHost host = new RdHost(sim, 1, 17);
        sim.drops = p -> true;
        DatagramAddress address = new DatagramAddress();
        open(host, address.setIpv4(1, 1), 16, sim.now()); // what is made once
        host.pump();
        long before = allocated();
        for (int i = 0; i < CHANNELS; i++) {
            open(host, address.setIpv4(i, 5), 99, sim.now());
        }
        long octets = (allocated() - before) / CHANNELS;
        System.out.printf(Locale.ROOT, "octets of an accepted idle channel, tables included: %d%n", octets);
        assertThat(host.endpoint.channels()).isEqualTo(CHANNELS + 1);
        assertThat(octets).isLessThan(900);
    }

    @Test
    @DisplayName("in steady state nothing is allocated, with gaps and repetitions too")
    void steadyState() {
        Loop loop = new Loop();
        loop.run(20_000);
        long before = allocated();
        loop.run(20_000);
        long octets = allocated() - before;
        assertThat(loop.b.repeats + loop.a.repeats).isPositive();
        assertThat(octets / 20_000.0).as("octets per datagram").isLessThan(0.5);
    }

    /** Two endpoints face to face without a network, every 20th datagram of data lost; nothing of the test allocates. */
    private static final class Loop {
        final DirectHost a = new DirectHost(1);
        final DirectHost b = new DirectHost(2);
        long now = 1_000_000_000L;

        Loop() {
            a.other = b;
            b.other = a;
        }

        void run(int datagrams) {
            long end = a.accepted + datagrams;
            while (a.accepted < end) {
                now += 10_000;
                a.turn(now);
                b.turn(now);
            }
        }
    }

    @Test
    @DisplayName("counters and tables are bounded: nothing grows with strangers")
    void strangers() {
        RdHost host = new RdHost(sim, 1, 17);
        sim.drops = p -> true;
        DatagramAddress address = new DatagramAddress();
        ByteBuffer nothing = ByteBuffer.allocate(64);
        for (int i = 0; i < CHANNELS; i++) {
            shim.addressed(host.number, 99, i).message(1, 16);
            host.endpoint.onData(shim, i, 0, 1, true, address.setIpv4(i, 5), nothing, 0, 64, sim.now());
            host.endpoint.opener().onOpen(shim, i + 1, 0, 0, 256, false, false, address, sim.now());
        }
        assertThat(host.endpoint.channels()).isZero();
        assertThat(host.counted(UdpCounter.RD_TAG)).isEqualTo(CHANNELS);
    }
}
