package dev.jwarp.metrics;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;

/**
 * Records the counters of a {@link Context} with the JDK's Flight Recorder, as events {@code jwarp.Counter}: device,
 * counter, value, and change since the last event. Unchanged counters have no event. Counters are read only while a
 * recording has these events enabled. The default period is 10 s; a recording can set another one ({@code
 * jwarp.Counter#period}).
 *
 * <p>Close this before the context. Threads: any.
 */
public final class ContextEvents implements AutoCloseable {
    private final String source;
    private final Supplier<List<Counter>> counters;
    private final Map<String, Long> recorded = new HashMap<>();
    private final Runnable hook = this::record;

    /**
     * Registers the events with Flight Recorder. The caller owns this object and the context.
     *
     * @param context the context with the counters
     */
    public ContextEvents(Context context) {
        this(context.device().name(), context::counters);
    }

    /**
     * Registers events for other counters, for instance those of an endpoint for messages: {@code new
     * ContextEvents("service 7", endpoint::counters)}.
     *
     * @param source what the field {@code device} of the events has
     * @param counters reads the counters
     */
    public ContextEvents(String source, Supplier<List<Counter>> counters) {
        this.source = source;
        this.counters = counters;
        FlightRecorder.addPeriodicEvent(CounterEvent.class, hook);
    }

    private synchronized void record() {
        for (Counter counter : counters.get()) {
            long change = counter.value() - recorded.getOrDefault(counter.name(), 0L);
            if (change != 0) {
                recorded.put(counter.name(), counter.value());
                new CounterEvent(source, counter.name(), counter.value(), change).commit();
            }
        }
    }

    /** Unregisters the events. Further calls have no effect. */
    @Override
    public void close() {
        FlightRecorder.removePeriodicEvent(hook);
    }
}
