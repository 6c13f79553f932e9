package dev.jwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Counters as meters of Micrometer")
class ContextMetricsTest {
    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final Context context = Ends.open();

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    @DisplayName("exist for each counter, with its description and the device")
    void eachCounter() {
        new ContextMetrics(context).bindTo(registry);

        assertThat(context.counters())
                .isNotEmpty()
                .allSatisfy(counter -> assertThat(meter(counter.name()).getId().getDescription())
                        .isEqualTo(counter.sentence()));
        assertThat(meter("connections_established").getId().getTag("device")).isEqualTo("jwarp0");
    }

    @Test
    @DisplayName("have current values, all of one moment")
    void values() {
        new ContextMetrics(context).bindTo(registry);
        Ends.connectOnce(context);

        assertThat(meter("connections_established").count())
                .as("in the same moment")
                .isZero();
        clock.add(Duration.ofMillis(100));
        assertThat(value("connections_established")).isEqualTo(2);
        assertThat(meter("connections_established").count()).isEqualTo(2);
    }

    @Test
    @DisplayName("stay valid while the program keeps only the registry, as with Micrometer's binders")
    void programKeepsNothing() {
        new ContextMetrics(context).bindTo(registry);
        WeakReference<Object> garbage = new WeakReference<>(new Object());
        while (garbage.get() != null) {
            System.gc();
        }
        Ends.connectOnce(context);
        clock.add(Duration.ofMillis(100));

        assertThat(meter("connections_established").count()).isEqualTo(2);
    }

    @Test
    @DisplayName("of two contexts are distinguished by the program's tags")
    void twoContexts() {
        try (Context other = Ends.open()) {
            new ContextMetrics(context, Tags.of("pool", "a")).bindTo(registry);
            new ContextMetrics(other, Tags.of("pool", "b")).bindTo(registry);
        }
        assertThat(registry.find("jwarp.connections.established").meters())
                .extracting(meter -> meter.getId().getTag("pool"))
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    @DisplayName("can be of other objects")
    void others() {
        long[] sent = {5};
        ContextMetrics metrics = new ContextMetrics(
                () -> List.of(new Counter("messages_sent", sent[0], "Messages.")), Tags.of("service", "7"));
        metrics.bindTo(registry);
        assertThat(meter("messages_sent").count()).isEqualTo(5);
        sent[0] = 6;
        clock.add(Duration.ofMillis(100));
        assertThat(meter("messages_sent").count()).isEqualTo(6);
        assertThat(meter("messages_sent").getId().getTag("service")).isEqualTo("7");
    }

    @Test
    @DisplayName("are removed when the binder is closed, and can be read after the context is closed")
    void closed() {
        ContextMetrics metrics = new ContextMetrics(context);
        metrics.bindTo(registry);
        context.close();
        clock.add(Duration.ofSeconds(1));
        assertThat(meter("connections_established").count()).isZero();

        metrics.close();
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    private FunctionCounter meter(String name) {
        return registry.get("jwarp." + name.replace('_', '.')).functionCounter();
    }

    private long value(String name) {
        return context.counters().stream()
                .filter(counter -> counter.name().equals(name))
                .mapToLong(Counter::value)
                .sum();
    }
}
