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

    /** {@return how often it happened} */
    public long get(RdmapCounter counter) {
        return counts.get(counter);
    }

    /** {@return how often this side found an error with this code} */
    public long found(TerminateCode code) {
        return found.get(code);
    }

    /** {@return how often a peer told us this code in its Terminate} */
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
