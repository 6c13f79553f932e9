package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.Counter;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Counters")
class CountersTest {
    private static Map<String, Long> counters(Endpoint side) {
        Map<String, Long> values = new HashMap<>();
        for (Counter counter : side.context.counters()) {
            assertThat(counter.sentence()).as(counter.name()).endsWith(".");
            assertThat(values.put(counter.name(), counter.value()))
                    .as(counter.name() + " is there once")
                    .isNull();
        }
        return values;
    }

    @Test
    @DisplayName("count work, and keep the count when the queue pair is gone")
    void work() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 100);
            pair.passive.receive(2, 0, 100);
            pair.passive.receive(3, 0, 100);
            pair.active.send(1, 0, 60);
            pair.active.send(2, 0, 40);
            pair.active.next(2);
            pair.passive.next(2);
            for (int i = 0; i < 2; i++) {
                assertThat(counters(pair.active))
                        .containsEntry("sends_posted", 2L)
                        .containsEntry("sends_completed", 2L);
                assertThat(counters(pair.passive))
                        .containsEntry("receives_posted", 3L)
                        .containsEntry("receives_completed", 2L)
                        .containsEntry("bytes_received", 100L)
                        .containsEntry("completions_in_error", (long) i);
                pair.active.queuePair.close();
                pair.passive.queuePair.close();
            }
        }
    }

    @Test
    @DisplayName("count connections: requested, established, ended in order, broken")
    void connections() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Connected first = Connected.in(world);
            Connected second = Connected.in(world);
            first.active.id.disconnect();
            first.active.event(CmEventType.DISCONNECTED);
            first.passive.event(CmEventType.DISCONNECTED);
            second.active.queuePair.close();
            second.passive.event(CmEventType.DISCONNECTED);
            assertThat(counters(first.passive))
                    .containsEntry("requests_received", 2L)
                    .containsEntry("connections_established", 2L)
                    .containsEntry("connections_ended", 1L)
                    .containsEntry("connections_broken", 1L);
            assertThat(counters(first.active)).containsEntry("requests_received", 0L);
        }
    }

    @Test
    @DisplayName("count failed set-ups, on both sides")
    void failures() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            var events = world.listening().createEventChannel();
            var listener = world.listening().createId(events);
            listener.bind(world.address(0));
            listener.listen(0);
            Endpoint active = Connected.endpoint(world, world.connecting());
            active.id.resolveAddress(null, java.util.Objects.requireNonNull(listener.localAddress()));
            active.event(CmEventType.ADDR_RESOLVED);
            active.id.connect(dev.jwarp.verbs.ConnectionParameters.DEFAULT);
            var request = java.util.Objects.requireNonNull(events.await(Endpoint.PATIENCE));
            request.id().reject(new byte[0]);
            active.event(CmEventType.REJECTED);
            assertThat(counters(active)).containsEntry("connections_failed", 1L);
            Endpoint second = Connected.endpoint(world, world.connecting());
            second.id.resolveAddress(null, java.util.Objects.requireNonNull(listener.localAddress()));
            second.id.connect(dev.jwarp.verbs.ConnectionParameters.DEFAULT);
            events.await(Endpoint.PATIENCE);
            second.id.close();
            world.settle();
            Map<String, Long> counted = new HashMap<>();
            world.listening().counters().forEach(counter -> counted.put(counter.name(), counter.value()));
            assertThat(counted).containsEntry("requests_rejected", 1L).containsEntry("requests_failed", 1L);
        }
    }

    @Test
    @DisplayName("count merged async events")
    void asyncEvents() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Endpoint side = Connected.endpoint(world, world.connecting());
            var shared = side.domain.createSharedReceiveQueue(4, 1);
            for (int i = 0; i < 4100; i++) {
                shared.armLimit(1);
            }
            assertThat(counters(side))
                    .containsEntry("async_events_merged", 4_099L)
                    .containsEntry("async_events_dropped", 0L);
        }
    }
}
