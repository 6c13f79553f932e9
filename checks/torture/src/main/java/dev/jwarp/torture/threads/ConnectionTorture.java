package dev.jwarp.torture.threads;

import dev.jwarp.torture.Crew;
import dev.jwarp.torture.Ledger;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Eight threads make every legal call on connections at random times. Each request must complete exactly once; no
 * thread may hang; deregistered memory must not be written; calls may fail only with documented errors; at the end no
 * object may be left.
 */
public final class ConnectionTorture implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int PAIRS = 6;
    /** The most closed ends that are remembered: no thread posts to older ones any more. */
    private static final int REMEMBERED = 400;

    private static final Set<WorkCompletionStatus> OUTCOMES = EnumSet.of(
            WorkCompletionStatus.SUCCESS,
            WorkCompletionStatus.LOC_PROT_ERR,
            WorkCompletionStatus.LOC_LEN_ERR,
            WorkCompletionStatus.LOC_QP_OP_ERR,
            WorkCompletionStatus.WR_FLUSH_ERR,
            WorkCompletionStatus.MW_BIND_ERR,
            WorkCompletionStatus.LOC_ACCESS_ERR,
            WorkCompletionStatus.REM_INV_REQ_ERR,
            WorkCompletionStatus.REM_ACCESS_ERR,
            WorkCompletionStatus.REM_OP_ERR,
            WorkCompletionStatus.REM_ABORT_ERR,
            WorkCompletionStatus.FATAL_ERR);

    private final Context nearContext;
    private final Context farContext;
    private final Ledger ledger = new Ledger(OUTCOMES);
    private final Station near;
    private final Station far;
    private final Calls calls = new Calls();
    private final ConcurrentLinkedQueue<End> retired = new ConcurrentLinkedQueue<>();
    private final List<Pair> pairs = new ArrayList<>();
    private final Crew crew = new Crew();
    private final long seed;

    /** Opens both sides: with inline progress in one context. */
    public ConnectionTorture(Progress progress, long seed) {
        this.seed = seed;
        // The far side may send before the near side has sent data, which needs the nudge.
        Map<String, String> settings = Map.of(
                "jwarp.rdmap.disconnect-timeout", "3000",
                "jwarp.rdmap.nudge", "on");
        nearContext = RdmaProvider.load().device("jwarp0").open(progress, settings);
        farContext = progress == Progress.INLINE
                ? nearContext
                : RdmaProvider.load().device("jwarp0").open(progress, settings);
        near = new Station(nearContext, ledger);
        far = new Station(farContext, ledger);
        for (int i = 0; i < PAIRS; i++) {
            pairs.add(new Pair(near, far, i % 2 == 0, retired));
        }
    }

    /** Runs for the duration, then ends everything and checks for leftovers. Returns a summary. */
    public String run(Duration duration) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 0; i < THREADS; i++) {
            Deeds deeds = new Deeds(seeds.nextLong(), pairs, near, far, calls);
            crew.start("torture " + i, deeds::one);
        }
        long end = System.nanoTime() + duration.toNanos();
        long lives = 0;
        while (System.nanoTime() < end) {
            long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
            crew.until("the next look", () -> System.nanoTime() > next);
            while (retired.size() > REMEMBERED) {
                forgetOldest();
                lives++;
            }
        }
        crew.finish();
        lives += retired.size();
        Crew.once("torture's end", this::end);
        return ledger.posted() + " requests of " + lives + " queue pairs, " + calls.calls() + " calls, "
                + calls.refused() + " of them refused, " + (near.regions.deregistered() + far.regions.deregistered())
                + " regions deregistered";
    }

    private void forgetOldest() {
        End oldest = retired.remove();
        if (!oldest.forgotten()) {
            retired.add(oldest); // its completions are not all polled
        }
    }

    private void end(Crew.Member me) {
        pairs.forEach(pair -> pair.close(me, calls));
        near.drain();
        far.drain();
        for (End end : retired) {
            if (!end.forgotten()) {
                throw new AssertionError("Its queue pair is closed, but requests are outstanding: " + ledger.missing());
            }
        }
        me.doing("close the rest");
        near.close();
        far.close();
        if (ledger.posted() != ledger.completed()) {
            throw new AssertionError("Requests are outstanding: " + ledger.missing());
        }
        Leftovers.check();
    }

    @Override
    public void close() {
        crew.close();
        nearContext.close();
        farContext.close();
    }
}
