package dev.jwarp.rdmap;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.TerminateCode;

/** The counters of one device, shared by its streams. Any thread. */
public final class RdmapCounters {
    private final Tally<RdmapCounter> counts = new Tally<>(RdmapCounter.class);
    private final Tally<TerminateCode> found = new Tally<>(TerminateCode.class);
    private final Tally<TerminateCode> told = new Tally<>(TerminateCode.class);

    /** Creates counters that are zero. */
    public RdmapCounters() {}

    /** {@return the value of a counter} */
    public long get(RdmapCounter counter) {
        return counts.get(counter);
    }

    /** {@return the number of errors with this code that this side found} */
    public long found(TerminateCode code) {
        return found.get(code);
    }

    /** {@return the number of Terminate messages with this code that peers sent} */
    public long told(TerminateCode code) {
        return told.get(code);
    }

    void count(RdmapCounter counter) {
        counts.countShared(counter);
    }

    void countFound(TerminateCode code) {
        found.countShared(code);
    }

    void countTold(TerminateCode code) {
        told.countShared(code);
    }
}
