package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("Completion channels")
class NotificationsTest {
    private static final class Notified {
        final CompletionChannel channel;
        final CompletionQueue completions;
        final Connected pair;
        private final WorkCompletion[] into = WorkCompletion.array(16);

        Notified(World world) {
            channel = world.listening().createCompletionChannel();
            completions = world.listening().createCompletionQueue(64, channel);
            pair = Connected.reporting(world, completions);
            for (int i = 0; i < 8; i++) {
                pair.passive.receive(i, 0, 8);
            }
        }

        void send(boolean solicited) {
            pair.active.queuePair.postSend(
                    new SendWorkRequest().solicited(solicited).add(pair.active.memory, 0, 1));
            pair.active.success();
        }

        void drain(int expected) {
            int taken = 0;
            while (taken < expected) {
                int now = completions.await(into, Endpoint.PATIENCE);
                assertThat(now).isPositive();
                taken += now;
            }
        }
    }

    @EachWorld
    @DisplayName("deliver one event for each request of a notification")
    void once(World.Kind kind) {
        try (World world = World.of(kind)) {
            Notified side = new Notified(world);
            side.completions.requestNotification(false);
            side.send(false);
            assertThat(side.channel.await(Endpoint.PATIENCE)).isSameAs(side.completions);
            side.send(false);
            side.drain(2);
            assertThat(side.channel.poll()).as("not requested again").isNull();
            side.completions.requestNotification(false);
            side.send(false);
            assertThat(side.channel.await(Endpoint.PATIENCE)).isSameAs(side.completions);
        }
    }

    @Tag("RDMAP-5.3-6")
    @EachWorld
    @DisplayName("deliver events of solicited messages only, on request")
    void solicited(World.Kind kind) {
        try (World world = World.of(kind)) {
            Notified side = new Notified(world);
            side.completions.requestNotification(true);
            side.send(false);
            side.drain(1);
            assertThat(side.channel.poll()).isNull();
            side.send(true);
            assertThat(side.channel.await(Endpoint.PATIENCE)).isSameAs(side.completions);
        }
    }

    @EachWorld
    @DisplayName("deliver events of errors as of solicited messages")
    void errors(World.Kind kind) {
        try (World world = World.of(kind)) {
            Notified side = new Notified(world);
            side.completions.requestNotification(true);
            side.pair.active.queuePair.close();
            assertThat(side.channel.await(Endpoint.PATIENCE)).isSameAs(side.completions);
        }
    }

    @EachWorld
    @DisplayName("wait no longer than the timeout")
    void timeout(World.Kind kind) {
        try (World world = World.of(kind)) {
            Notified side = new Notified(world);
            assertThat(side.channel.await(Duration.ofMillis(2))).isNull();
            assertThat(side.completions.await(WorkCompletion.array(1), Duration.ofMillis(2)))
                    .isZero();
            assertThat(side.pair.active.events.await(Duration.ZERO)).isNull();
            assertThat(world.listening().awaitAsyncEvent(Duration.ofMillis(-1))).isNull();
        }
    }

    @EachWorld
    @DisplayName("are required for a notification")
    void none(World.Kind kind) {
        try (World world = World.of(kind)) {
            CompletionQueue alone = world.listening().createCompletionQueue(8);
            assertThatThrownBy(() -> alone.requestNotification(false))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("Create it with one");
        }
    }
}
