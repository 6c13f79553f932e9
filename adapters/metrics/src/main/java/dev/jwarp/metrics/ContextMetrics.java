package dev.jwarp.metrics;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Binds the counters of a {@link Context} to Micrometer. Each counter is a {@link FunctionCounter} whose name is {@code
 * jwarp.} and the counter's name with dots: {@code connections_established} becomes {@code
 * jwarp.connections.established}. The meter's description is that of the counter; its tag {@code device} is the name of
 * the device. {@code docs/counters.md} has the names and descriptions.
 *
 * <p>If a registry reads all meters in a row, the context is read once, not once for each meter. Close this object
 * before or with the context: this removes the meters. Threads: any.
 */
public final class ContextMetrics implements MeterBinder, AutoCloseable {
    /** Meters that are read within this time, in nanoseconds, have values of one moment. */
    private static final long ONE_MOMENT = 100_000_000;

    private final Supplier<List<Counter>> counters;
    private final Tags tags;
    private final ConcurrentLinkedQueue<Bound> bound = new ConcurrentLinkedQueue<>();

    /**
     * Creates the binder for the counters of this context. The caller owns this object and the context.
     *
     * @param context whose counters
     */
    public ContextMetrics(Context context) {
        this(context, Tags.empty());
    }

    /**
     * Creates the binder with additional tags, for a process with several contexts of one device.
     *
     * @param context whose counters
     * @param tags the tags of each meter, in addition to {@code device}
     */
    public ContextMetrics(Context context, Tags tags) {
        this(context::counters, tags.and("device", context.device().name()));
    }

    /**
     * Creates the binder for other counters, for instance those of an endpoint for messages: {@code new
     * ContextMetrics(endpoint::counters, Tags.of("service", "7"))}.
     *
     * @param counters reads the counters; the same ones each time
     * @param tags the tags of each meter
     */
    public ContextMetrics(Supplier<List<Counter>> counters, Tags tags) {
        this.counters = counters;
        this.tags = tags;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Moment moment = new Moment(counters, registry.config().clock());
        for (Counter counter : counters.get()) {
            // A meter has a weak reference to its object and a strong one to its function: the function keeps the
            // moment.
            Meter meter = FunctionCounter.builder(
                            "jwarp." + counter.name().replace('_', '.'), moment, same -> moment.of(counter.name()))
                    .description(counter.sentence())
                    .tags(tags)
                    .register(registry);
            bound.add(new Bound(registry, meter));
        }
    }

    /** Removes the meters from each registry to which they were bound. Further calls have no effect. */
    @Override
    public void close() {
        for (Bound one = bound.poll(); one != null; one = bound.poll()) {
            one.registry().remove(one.meter());
        }
    }

    private record Bound(MeterRegistry registry, Meter meter) {}

    /** The counters as of the last read. */
    private static final class Moment {
        private final Supplier<List<Counter>> counters;
        private final Clock clock;
        private final Map<String, Long> values = new HashMap<>();
        private long readAt;

        Moment(Supplier<List<Counter>> counters, Clock clock) {
            this.counters = counters;
            this.clock = clock;
            read();
        }

        synchronized double of(String name) {
            if (clock.monotonicTime() - readAt >= ONE_MOMENT) {
                read();
            }
            return values.getOrDefault(name, 0L);
        }

        private void read() {
            readAt = clock.monotonicTime();
            counters.get().forEach(counter -> values.put(counter.name(), counter.value()));
        }
    }
}
