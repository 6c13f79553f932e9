package dev.jwarp.rnic.core;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.rdmap.RdmapCounter;
import dev.jwarp.rdmap.RdmapCounters;
import dev.jwarp.verbs.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The counters of one context: the device's own, and those of its streams. Any thread. */
public final class Counters {
    private final Tally<RnicCounter> own = new Tally<>(RnicCounter.class);
    private final RdmapCounters streams = new RdmapCounters();

    public void increment(RnicCounter counter) {
        own.countShared(counter);
    }

    public void add(RnicCounter counter, long amount) {
        own.addShared(counter, amount);
    }

    long get(RnicCounter counter) {
        return own.get(counter);
    }

    /** Adds the counts of a queue pair that is closed now. */
    public void add(QueuePairCounts counts) {
        for (RnicCounter counter : RnicCounter.values()) {
            add(counter, counts.get(counter));
        }
    }

    /** {@return the counters of the streams} */
    public RdmapCounters streams() {
        return streams;
    }

    /** {@return all counters; {@code live} has the counts of the open queue pairs} */
    public List<Counter> all(QueuePairCounts live, List<TransportCounter> ofTransport) {
        List<Counter> all = new ArrayList<>();
        for (RnicCounter counter : RnicCounter.values()) {
            all.add(new Counter(lower(counter.name()), get(counter) + live.get(counter), counter.sentence()));
        }
        for (RdmapCounter counter : RdmapCounter.values()) {
            all.add(new Counter(counter.counterName(), streams.get(counter), counter.sentence()));
        }
        for (TerminateCode code : TerminateCode.values()) {
            all.add(new Counter(
                    "found_" + lower(code.name()),
                    streams.found(code),
                    code.ofSender()
                            ? "Streams that this side ended because it failed itself, with a Terminate: "
                                    + code.triple() + "."
                            : "Errors that this side found: " + code.sentence() + "."));
        }
        for (TerminateCode code : TerminateCode.values()) {
            all.add(new Counter(
                    "told_" + lower(code.name()), streams.told(code), "Terminates of peers: " + code.sentence() + "."));
        }
        for (TransportCounter counter : ofTransport) {
            all.add(new Counter(counter.name(), counter.value(), counter.sentence() + "."));
        }
        return List.copyOf(all);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
