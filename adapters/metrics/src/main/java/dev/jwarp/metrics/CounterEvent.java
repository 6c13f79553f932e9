package dev.jwarp.metrics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** One counter that has changed since it was last recorded. Flight Recorder writes the fields. */
@Name("jwarp.Counter")
@Label("Counter of jwarp")
@Description("A counter of a jwarp context that has changed since it was last recorded")
@Category("jwarp")
@Period("10 s")
@StackTrace(false)
final class CounterEvent extends Event {
    @Label("Device")
    final String device;

    @Label("Counter")
    final String counter;

    @Label("Value")
    @Description("Since the context was opened")
    final long value;

    @Label("Change")
    @Description("Since the counter was last recorded")
    final long change;

    CounterEvent(String device, String counter, long value, long change) {
        this.device = device;
        this.counter = counter;
        this.value = value;
        this.change = change;
    }
}
