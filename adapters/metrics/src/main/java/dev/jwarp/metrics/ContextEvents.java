package dev.jwarp.metrics;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import java.util.HashMap;
import java.util.Map;
import jdk.jfr.FlightRecorder;

/**
 * Records the counters of a {@link Context} with the JDK's Flight Recorder, as events {@code jwarp.Counter}: device, counter,
 * value, and change since the last event. Counters that did not change are left out. While no recording wants these events
 * nothing is read. The period is 10 s, unless the recording says another one ({@code jwarp.Counter#period}).
 *
 * <p>Close this before the context. Threads: any.
 */
public final class ContextEvents implements AutoCloseable {
    private final Context context;
    private final Map<String, Long> recorded = new HashMap<>();
    private final Runnable hook = this::record;

    /**
     * Starts to take part in recordings. It belongs to the caller, as the context does.
     *
     * @param context whose counters
     */
    public ContextEvents(Context context) {
        this.context = context;
        FlightRecorder.addPeriodicEvent(CounterEvent.class, hook);
    }

    private synchronized void record() {
        String device = context.device().name();
        for (Counter counter : context.counters()) {
            long change = counter.value() - recorded.getOrDefault(counter.name(), 0L);
            if (change != 0) {
                recorded.put(counter.name(), counter.value());
                new CounterEvent(device, counter.name(), counter.value(), change).commit();
            }
        }
    }

    /** Takes no more part in recordings. More calls do nothing. */
    @Override
    public void close() {
        FlightRecorder.removePeriodicEvent(hook);
    }
}
