package dev.jwarp.torture.model;

import dev.jwarp.base.Tally;
import dev.jwarp.rnic.RnicProvider;
import dev.jwarp.sim.SimLink;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.SimTransport;
import dev.jwarp.torture.Choices;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Random programs of operations: stack and model agree on bytes, order and completions")
@Timeout(value = 1, unit = TimeUnit.DAYS) // the run has a duration and watches itself
class OperationsTest {
    @ParameterizedTest
    @EnumSource
    @DisplayName("over TCP")
    void overTcp(Progress progress) {
        forAWhile(seed -> new Tcp(progress));
    }

    @Test
    @DisplayName("over a simulated network")
    void simulated() {
        forAWhile(Simulated::new);
    }

    private interface Closing extends Operations.Place, AutoCloseable {
        @Override
        void close();
    }

    /** Runs one program after the other, each with a new seed; with a given seed only that program. */
    private void forAWhile(LongFunction<Closing> places) {
        long end = System.nanoTime() + Choices.duration().toNanos();
        do {
            Choices.seeded(getClass(), seed -> {
                try (Closing place = places.apply(seed)) {
                    Operations.run(place, seed);
                }
            });
        } while (!Choices.one() && System.nanoTime() < end);
    }

    /** Settings with which the far side may fill its queue before the near side has sent data. */
    private static final Map<String, String> FAR_MAY_BEGIN = Map.of(
            "jwarp.rdmap.nudge", "on",
            "jwarp.tcp.request-timeout", "90000", // for a busy machine
            "jwarp.tcp.accept-timeout", "90000");

    private static final class Tcp implements Closing {
        private final Context near;
        private final Context far;

        Tcp(Progress progress) {
            near = RdmaProvider.load().device("jwarp0").open(progress, FAR_MAY_BEGIN);
            far = progress == Progress.INLINE
                    ? near
                    : RdmaProvider.load().device("jwarp0").open(progress, FAR_MAY_BEGIN);
        }

        @Override
        public Context near() {
            return near;
        }

        @Override
        public Context far() {
            return far;
        }

        @Override
        public InetAddress address() {
            return InetAddress.getLoopbackAddress();
        }

        @Override
        public void move() {
            if (!near.poll()) {
                Thread.onSpinWait();
            }
        }

        @Override
        public Duration patience() {
            return Duration.ofSeconds(90);
        }

        @Override
        public long now() {
            return System.nanoTime();
        }

        @Override
        public void close() {
            near.close();
            far.close();
        }
    }

    private static final class Simulated implements Closing {
        private final SimNetwork network;
        private final Context near;
        private final Context far;
        private final InetAddress address;

        Simulated(long seed) {
            network = new SimNetwork(seed);
            network.link(SimLink.any(network.random()));
            SimTransport nearHost = host(1);
            SimTransport farHost = host(2);
            near = open(nearHost);
            far = open(farHost);
            address = farHost.address(0).getAddress();
        }

        private SimTransport host(int number) {
            try {
                return network.host(
                        InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}),
                        new MpaEngineFactory(TcpSettings.of(Map.of()), new Tally<>(TcpCounter.class)));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(e);
            }
        }

        private Context open(SimTransport transport) {
            return new RnicProvider()
                    .rnic()
                    .open(
                            transport,
                            () -> network.clock().nowNanos(),
                            new SplittableRandom(network.random().nextLong()),
                            FAR_MAY_BEGIN);
        }

        @Override
        public Context near() {
            return near;
        }

        @Override
        public Context far() {
            return far;
        }

        @Override
        public InetAddress address() {
            return address;
        }

        @Override
        public void move() {
            network.runFor(TimeUnit.MICROSECONDS.toNanos(100));
        }

        @Override
        public Duration patience() {
            return Duration.ofHours(1);
        }

        @Override
        public long now() {
            return network.clock().nowNanos();
        }

        @Override
        public void close() {
            near.close();
            far.close();
        }
    }
}
