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

/**
 * Binds the counters of a {@link Context} to Micrometer. Each counter is a {@link FunctionCounter} whose name is {@code jwarp.}
 * and the counter's name with dots, so that {@code connections_established} is {@code jwarp.connections.established}; its description
 * is the counter's sentence, its tag {@code device} the name of the device. The names and sentences are in
 * {@code docs/counters.md}.
 *
 * <p>A registry that reads all meters in a row reads the context once, not once for each meter. Close this before the context,
 * or with it: that removes the meters. Threads: any.
 */
public final class ContextMetrics implements MeterBinder, AutoCloseable {
    /** Meters that are read within this time, in nanoseconds, show one moment. */
    private static final long ONE_MOMENT = 100_000_000;

    private final Context context;
    private final Tags tags;
    private final ConcurrentLinkedQueue<Bound> bound = new ConcurrentLinkedQueue<>();

    /**
     * Creates the binder for the counters of this context. It belongs to the caller, as the context does.
     *
     * @param context whose counters
     */
    public ContextMetrics(Context context) {
        this(context, Tags.empty());
    }

    /**
     * The same with tags of the caller's own, for a process with several contexts of one device.
     *
     * @param context whose counters
     * @param tags added to {@code device} on each meter
     */
    public ContextMetrics(Context context, Tags tags) {
        this.context = context;
        this.tags = tags.and("device", context.device().name());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Moment moment = new Moment(context, registry.config().clock());
        for (Counter counter : context.counters()) {
            // A meter refers to its object weakly, to its function strongly: the function keeps the moment.
            Meter meter = FunctionCounter.builder(
                            "jwarp." + counter.name().replace('_', '.'), moment, same -> moment.of(counter.name()))
                    .description(counter.sentence())
                    .tags(tags)
                    .register(registry);
            bound.add(new Bound(registry, meter));
        }
    }

    /** Removes the meters from each registry that they were bound to. More calls do nothing. */
    @Override
    public void close() {
        for (Bound one = bound.poll(); one != null; one = bound.poll()) {
            one.registry().remove(one.meter());
        }
    }

    private record Bound(MeterRegistry registry, Meter meter) {}

    /** What the counters said when one of them was last asked for. */
    private static final class Moment {
        private final Context context;
        private final Clock clock;
        private final Map<String, Long> values = new HashMap<>();
        private long readAt;

        Moment(Context context, Clock clock) {
            this.context = context;
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
            List<Counter> now = context.counters();
            now.forEach(counter -> values.put(counter.name(), counter.value()));
        }
    }
}
