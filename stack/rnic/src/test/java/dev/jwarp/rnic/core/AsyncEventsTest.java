package dev.jwarp.rnic.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.DatagramWorld;
import dev.jwarp.rnic.Inside;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.PeerNotice;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Queued async events (datagram-iWARP §15)")
class AsyncEventsTest {
    private static final int LIMIT = 1_024;

    private final DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED);
    private final Context context = world.context(0);
    private final AsyncEvents events = Inside.core(context).asyncEvents();

    @AfterEach
    void close() {
        world.close();
    }

    private static AsyncEvent event(String sentence) {
        return new AsyncEvent(AsyncEventType.PEER_FAILED, null, sentence);
    }

    private static AsyncEvent notice(int messageId) {
        PeerNotice notice = new PeerNotice(new InetSocketAddress("192.0.2.1", 7), 20, messageId, 5, 0x1100);
        return new AsyncEvent(AsyncEventType.PEER_NOTICE, null, "refused", notice);
    }

    private long counter(String name) {
        return DatagramWorld.counter(context, name);
    }

    @Test
    @DisplayName("are in order; equal events are merged at the position of the first, with a count")
    void merged() {
        events.add(event("a"));
        events.add(event("b"));
        events.add(event("a"));
        events.add(event("a"));
        assertThat(context.pollAsyncEvent()).isEqualTo(event("a").withCount(3));
        assertThat(context.pollAsyncEvent()).isEqualTo(event("b"));
        assertThat(context.pollAsyncEvent()).isNull();
        assertThat(counter("async_events_merged")).isEqualTo(2);
        events.add(event("a"));
        assertThat(Objects.requireNonNull(context.pollAsyncEvent()).count())
                .as("events that were taken do not count again")
                .isEqualTo(1);
    }

    @Test
    @DisplayName("are not equal if they are about different messages")
    void different() {
        events.add(notice(1));
        events.add(notice(2));
        events.add(notice(1));
        assertThat(context.pollAsyncEvent()).isEqualTo(notice(1).withCount(2));
        assertThat(context.pollAsyncEvent()).isEqualTo(notice(2));
    }

    @Test
    @DisplayName("are at most 1,024: the oldest is dropped first, and every drop is counted")
    void overflow() {
        events.add(event("0"));
        for (int i = 0; i < LIMIT + 4; i++) {
            events.add(event(String.valueOf(i)));
        }
        assertThat(counter("async_events_dropped"))
                .as("0 twice, then 1, 2 and 3")
                .isEqualTo(5);
        for (int i = 4; i < LIMIT + 4; i++) {
            assertThat(context.pollAsyncEvent()).isEqualTo(event(String.valueOf(i)));
        }
        assertThat(context.pollAsyncEvent()).isNull();
    }
}
