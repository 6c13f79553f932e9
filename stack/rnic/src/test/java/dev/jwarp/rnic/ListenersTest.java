package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A listener")
class ListenersTest {
    private static CmId listener(World world, CmEventChannel events) {
        CmId listener = world.listening().createId(events);
        listener.bind(world.address(0));
        listener.listen(0);
        return listener;
    }

    private static Endpoint connecting(World world, CmId listener) {
        Endpoint active = Connected.endpoint(world, world.connecting());
        active.id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        active.event(CmEventType.ADDR_RESOLVED);
        active.id.connect(ConnectionParameters.DEFAULT);
        return active;
    }

    private static long requests(World world) {
        return world.listening().counters().stream()
                .filter(counter -> counter.name().equals("requests_received"))
                .findFirst()
                .orElseThrow()
                .value();
    }

    @EachWorld
    @DisplayName("that goes to another channel takes the requests along that nobody took")
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
    @DisplayName("that is closed goes nowhere: its channel can be closed")
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
    @DisplayName("that closes while requests come in leaves none of them behind in its channel")
    void closingWhileRequestsCome() {
        try (World world = World.of(World.Kind.THREADED)) {
            for (int i = 0; i < 300; i++) {
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
                events.close(); // it throws if a request still uses it
                for (Endpoint side : all) {
                    side.id.close();
                    side.memory.close();
                }
            }
        }
    }
}
