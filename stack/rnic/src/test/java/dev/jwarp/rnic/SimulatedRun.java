package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.SimLink;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.StreamFault;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.QueuePairState;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Two complete stacks on one simulated network. A seed determines the path, the configurations of both sides, their
 * operations, and the faults. In every case each request completes exactly once and in order, bytes are placed
 * correctly and nowhere else, and the run ends.
 */
final class SimulatedRun {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int SMALL_SEGMENT = 64;

    private final SimNetwork network;
    private final RandomGenerator random;
    private final boolean faulty;
    private final boolean violent;
    private final int largest;

    SimulatedRun(long seed, @Nullable Consumer<String> log) {
        network = new SimNetwork(seed);
        if (log != null) {
            network.log(log);
        }
        random = network.random();
        SimLink link = SimLink.any(random);
        network.link(link);
        // Delivery byte by byte takes long, so there is less data then.
        largest = link.largestSegment() < SMALL_SEGMENT ? 100 : 1 << random.nextInt(4, 12);
        faulty = random.nextBoolean();
        violent = random.nextInt(4) == 0;
    }

    long play() {
        Map<String, String> settings = settings();
        if (faulty) {
            network.inject(0, StreamFault.any(random, random.nextBoolean() ? 200 : 20_000));
        }
        try (World world = World.simulated(network, settings)) {
            int operations = Math.min(random.nextInt(1, 60), SimulatedParty.mostOperations(largest));
            SimulatedParty active = new SimulatedParty("active", world.connecting(), random, operations);
            SimulatedParty passive = new SimulatedParty("passive", world.listening(), random, operations);
            if (connect(world, active, passive)) {
                work(active, passive);
                end(active, passive);
                check(active, passive);
            }
        }
        return network.traceHash();
    }

    private Map<String, String> settings() {
        boolean oldRevision = random.nextInt(8) == 0;
        // Without a checksum a flipped bit may change any byte undetected, so such runs have checksums.
        return Map.of(
                "jwarp.mpa.crc", faulty || random.nextBoolean() ? "on" : "off",
                "jwarp.mpa.markers", random.nextBoolean() ? "on" : "off",
                "jwarp.mpa.peer-to-peer", !oldRevision && random.nextBoolean() ? "on" : "off",
                "jwarp.mpa.revision", oldRevision ? "1" : "2",
                "jwarp.device.read-depth", String.valueOf(random.nextInt(1, 9)));
    }

    /** {@return whether both sides have a queue pair; start-up may have met a fault} */
    private boolean connect(World world, SimulatedParty active, SimulatedParty passive) {
        CmId listener = world.listening().createId(passive.events);
        listener.bind(world.address(0));
        listener.listen(0);
        CmId id = world.connecting().createId(active.events);
        id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        active.use(id);
        id.connect(ConnectionParameters.DEFAULT);
        long end = network.clock().after(30 * SECOND);
        boolean accepted = false;
        while (network.clock().nowNanos() < end && !(ended(active) && accepted == ended(passive))) {
            network.runFor(SECOND / 1000);
            active.take(passive);
            passive.take(active);
            CmEvent request = accepted ? null : event(passive, CmEventType.CONNECT_REQUEST);
            if (request != null) {
                accepted = true;
                passive.use(request.id());
                request.id().accept(ConnectionParameters.DEFAULT);
            }
            if (event(active, CmEventType.ESTABLISHED) != null && event(passive, CmEventType.ESTABLISHED) != null) {
                return true;
            }
        }
        if (!faulty) {
            throw new AssertionError("not connected: " + active.seen + passive.seen);
        }
        return accepted;
    }

    private static @Nullable CmEvent event(SimulatedParty side, CmEventType type) {
        return side.seen.stream()
                .filter(event -> event.type() == type)
                .findFirst()
                .orElse(null);
    }

    private static boolean ended(SimulatedParty side) {
        return side.seen.stream()
                .anyMatch(event -> event.type() == CmEventType.DISCONNECTED
                        || event.type() == CmEventType.CONNECT_ERROR
                        || event.type() == CmEventType.UNREACHABLE
                        || event.type() == CmEventType.REJECTED);
    }

    private void work(SimulatedParty active, SimulatedParty passive) {
        long patience = network.clock().after(10 * SECOND);
        while (!(active.finished() && passive.finished())
                && !(ended(active) && ended(passive))
                && network.clock().nowNanos() < patience) {
            SimulatedParty side = random.nextBoolean() ? active : passive;
            SimulatedParty other = side == active ? passive : active;
            for (int i = random.nextInt(6); i > 0; i--) {
                if (side.queuePair().state() == QueuePairState.RTS || random.nextInt(16) == 0) {
                    side.postOne(other, largest);
                }
            }
            if (violent && random.nextInt(100) == 0) {
                violence(side);
            }
            network.runFor(random.nextLong(SECOND / 1000));
            active.take(passive);
            passive.take(active);
        }
        if (!faulty && !violent) {
            assertThat(active.finished() && passive.finished())
                    .as("without faults all operations complete")
                    .isTrue();
        }
        network.runFor(SECOND);
    }

    /** A disruptive call that a program may make at any time. */
    private void violence(SimulatedParty side) {
        if (side.closed) {
            return;
        }
        switch (random.nextInt(4)) {
            case 0 -> side.queuePair().modify(QueuePairState.ERR);
            case 1 -> Objects.requireNonNull(side.id).disconnect();
            case 2 -> side.closeSomething();
            default -> {
                side.queuePair().close();
                side.closed = true;
            }
        }
    }

    private void end(SimulatedParty active, SimulatedParty passive) {
        active.take(passive);
        passive.take(active);
        Objects.requireNonNull(active.id).disconnect();
        if (faulty || violent) {
            // One of them may miss it.
            Objects.requireNonNull(passive.id).disconnect();
        }
        long patience = network.clock().after(90 * SECOND);
        while (!(ended(active) && ended(passive))) {
            assertThat(network.clock().nowNanos())
                    .as("both connections end: %s %s", active.seen, passive.seen)
                    .isLessThan(patience);
            network.runFor(SECOND / 10);
            active.take(passive);
            passive.take(active);
        }
    }

    private void check(SimulatedParty active, SimulatedParty passive) {
        active.checkComplete();
        passive.checkComplete();
        active.checkMemory();
        passive.checkMemory();
        if (!faulty && !violent) {
            active.checkAllDone(passive);
            passive.checkAllDone(active);
            assertThat(Objects.requireNonNull(event(active, CmEventType.DISCONNECTED))
                            .error())
                    .isNull();
            assertThat(Objects.requireNonNull(event(passive, CmEventType.DISCONNECTED))
                            .error())
                    .isNull();
        }
    }
}
