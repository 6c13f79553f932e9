package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A listener")
class ListenersTest {
    private static CmId listener(World world, CmEventChannel events) {
        CmId listener = world.listening().createId(events);
        listener.bind(world.address(0));
        listener.listen(0);
        return listener;
    }

    private static Endpoint connecting(World world, CmId listener) {
        return connecting(world, listener, null);
    }

    private static Endpoint connecting(World world, CmId listener, @Nullable InetSocketAddress source) {
        Endpoint active = Connected.endpoint(world, world.connecting());
        active.id.resolveAddress(source, Objects.requireNonNull(listener.localAddress()));
        active.event(CmEventType.ADDR_RESOLVED);
        active.id.connect(ConnectionParameters.DEFAULT);
        return active;
    }

    private static long requests(World world) {
        return count(world, "requests_received");
    }

    private static long count(World world, String name) {
        return world.listening().counters().stream()
                .filter(counter -> counter.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    @ParameterizedTest
    @EnumSource(
            value = World.Kind.class,
            names = {"INLINE", "THREADED"})
    @DisplayName("with a full backlog rejects the oldest request of the source with most requests for a new one")
    void shares(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmEventChannel events = world.listening().createEventChannel();
            CmId listener = world.listening().createId(events);
            listener.bind(world.address(0));
            listener.listen(3);
            List<Endpoint> crowd = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                crowd.add(connecting(world, listener));
                long sent = i + 1L;
                world.until("the request is there", () -> requests(world) == sent);
            }
            Endpoint tooMany = connecting(world, listener);
            tooMany.event(CmEventType.REJECTED);
            Endpoint other = connecting(world, listener, new InetSocketAddress("127.0.0.2", 0));
            crowd.get(0).event(CmEventType.REJECTED);
            assertThat(count(world, "requests_turned_away")).isEqualTo(2);
            assertThat(count(world, "requests_rejected")).isZero();

            List<Endpoint> served = List.of(crowd.get(1), crowd.get(2), other);
            for (Endpoint side : served) {
                CmId request =
                        Objects.requireNonNull(events.await(Endpoint.PATIENCE)).id();
                Connected.endpoint(world, request).id.accept(ConnectionParameters.DEFAULT);
                side.event(CmEventType.ESTABLISHED);
            }
            for (int i = 0; i < 3; i++) { // the whole backlog is free again
                connecting(world, listener);
            }
            world.until("the requests are there", () -> requests(world) == 8);
            assertThat(count(world, "requests_turned_away")).isEqualTo(2);
        }
    }

    @EachWorld
    @DisplayName("that migrates to another channel takes its pending requests along")
    void migrate(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmEventChannel first = world.listening().createEventChannel();
            CmEventChannel second = world.listening().createEventChannel();
            CmId listener = listener(world, first);
            Endpoint active = connecting(world, listener);
            world.until("the request is there", () -> requests(world) == 1);
            listener.migrate(second);
            first.close();

            CmId request =
                    Objects.requireNonNull(second.await(Endpoint.PATIENCE)).id();
            assertThat(request.channel()).isSameAs(second);
            request.close();
            active.event(CmEventType.REJECTED);
        }
    }

    @EachWorld
    @DisplayName("that is closed does not migrate: its channel can be closed")
    void migrateClosed(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmEventChannel events = world.listening().createEventChannel();
            CmId listener = listener(world, events);
            listener.close();
            assertThatThrownBy(() -> listener.migrate(events))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED));
            events.close();
        }
    }

    @Test
    @DisplayName("that closes while requests arrive leaves none of them in its channel")
    void closingWhileRequestsCome() {
        try (World world = World.of(World.Kind.THREADED)) {
            for (int i = 0; i < Whole.or(60, 300); i++) {
                CmEventChannel events = world.listening().createEventChannel();
                CmId listener = listener(world, events);
                List<Endpoint> all = new ArrayList<>();
                for (int k = 0; k < 3; k++) {
                    all.add(connecting(world, listener));
                }
                long before = requests(world);
                long end = System.nanoTime() + 2_000_000L;
                while (requests(world) == before && System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                listener.close();
                events.close(); // throws if a request still uses the channel
                for (Endpoint side : all) {
                    side.id.close();
                    side.memory.close();
                }
            }
        }
    }
}
