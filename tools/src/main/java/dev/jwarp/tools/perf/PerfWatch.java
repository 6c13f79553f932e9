package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.traffic.Onlooker;
import dev.jwarp.verbs.WorkCompletion;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches notes of the other end, the user's request to end, and time limits, while messages move. A look costs the
 * measured loop little, and allocates nothing without a note. One thread; any thread may read {@link #moved}.
 */
final class PerfWatch implements Onlooker {
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Time for the other end to end a stopped step. */
    private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final int MOST_AHEAD = 8;

    private final PerfControl control;
    private final Console console;
    private final boolean client;
    private final long limitNanos;
    private long looked;
    private long heardFrom;
    private long stoppedAt;
    private long doneBy = Long.MAX_VALUE;
    private long aside;
    private boolean stop;
    private Note.@Nullable Done done;
    private Note.@Nullable End end;
    /** Notes that are not awaited yet: the other end may be a few notes ahead. */
    private final Deque<Note> others = new ArrayDeque<>();

    private volatile long moved;
    private volatile long waited;
    /** Longest time without progress at this end; no limit unless messages of this end are in flight. */
    private long stillNanos = Long.MAX_VALUE;

    private long movedBefore;
    private long movedAt;

    /** @param limit how long to wait for a note */
    PerfWatch(PerfControl control, Console console, boolean client, Duration limit) {
        this.control = control;
        this.console = console;
        this.client = client;
        this.limitNanos = limit.toNanos();
    }

    /** Begins a step. */
    void begin() {
        done = null;
        moved = 0;
        waited = 0;
        looked = System.nanoTime();
        doneBy = Long.MAX_VALUE;
    }

    /** {@return whether the step has to end early, for any reason} */
    @Override
    public boolean stop() {
        return stop;
    }

    /** {@return whether the other end has done its part of the step, or has ended the test} */
    @Override
    public boolean otherIsDone() {
        return done != null || end != null;
    }

    /** {@return the note of the other end about its part of the step; null if it has not arrived} */
    Note.@Nullable Done done() {
        return done;
    }

    /** {@return the other end's last note; null if it has not arrived} */
    Note.@Nullable End end() {
        return end;
    }

    /**
     * Notes that this end begins to move messages. Until they are complete, the other end sends no note. If no message
     * makes progress within the user's time limit, the other end counts as lost: the kernel of a stopped process still
     * acknowledges, so the transport has no time-out.
     *
     * @param gapNanos time between two messages that are spread evenly
     */
    void expectMoves(long gapNanos) {
        stillNanos = Math.min(Long.MAX_VALUE / 4, limitNanos) + gapNanos;
        movedBefore = 0;
        movedAt = System.nanoTime();
    }

    /** Notes that this end's messages are complete. */
    void expectNoMoves() {
        stillNanos = Long.MAX_VALUE;
    }

    /** Sets the time for the other end to complete the step. */
    void expectDone(long nanos) {
        doneBy = System.nanoTime() + Math.min(Long.MAX_VALUE / 4, limitNanos) + nanos;
    }

    /**
     * {@return bytes of objects that the control connection has allocated so far, which do not count as costs of the
     * test}
     */
    long aside() {
        return aside;
    }

    /** Sets the number of messages moved so far in this step, for the progress lines. */
    @Override
    public void moved(long messages) {
        moved = messages;
    }

    long moved() {
        return moved;
    }

    /** Sets the sum of the latencies of this step in nanoseconds, for the progress lines. */
    @Override
    public void waited(long nanos) {
        waited = nanos;
    }

    long waited() {
        return waited;
    }

    /**
     * Looks, if it is time for a look.
     *
     * @param idle whether the caller has nothing else to do
     * @return whether there was a look
     */
    @Override
    public boolean look(long now, boolean idle) {
        if (now - looked < (idle ? IDLE_NANOS : BUSY_NANOS)) {
            return false;
        }
        looked = now;
        look(now);
        return true;
    }

    private void look(long now) {
        long before = Meter.ofThisThread();
        for (Note note = control.poll(); note != null; note = control.poll()) {
            heardFrom = now;
            take(note);
        }
        aside += Meter.ofThisThread() - before;
        if (now > doneBy && !otherIsDone()) {
            throw silence(Duration.ofNanos(limitNanos));
        }
        if (moved != movedBefore) {
            movedBefore = moved;
            movedAt = now;
        } else if (now - Math.max(movedAt, heardFrom) > stillNanos && !stop) {
            throw ToolFailure.failed(
                    "no progress for " + Timeout.text(Duration.ofNanos(limitNanos)) + ", and no answer from "
                            + control.link().peer(),
                    "is the peer alive? --timeout sets the limit");
        }
        if (console.interruption().requested() && stoppedAt == 0) {
            stop = true;
            stoppedAt = now;
            if (!client) {
                control.say(new Note.Stop());
            }
        }
        if (stoppedAt != 0 && now - stoppedAt > LAST_WORDS_NANOS) {
            throw new EndedEarly();
        }
    }

    private void take(Note note) {
        if (note instanceof Note.Stop) {
            stop = true;
        } else if (note instanceof Note.Done said) {
            done = said;
            stop |= said.result().cut();
        } else if (note instanceof Note.End said) {
            end = said;
            stop |= said.reason() != Note.Reason.DONE;
        } else {
            others.add(note);
            if (others.size() > MOST_AHEAD) {
                throw ToolFailure.failed("the other end sends notes without waiting for answers");
            }
        }
    }

    /**
     * Waits for a note, except notes that end a step or the test.
     *
     * @param meanwhile runs again and again
     * @param limit longest time without a note
     * @return the note; null if the test has ended or has to end
     */
    @Nullable
    Note next(Runnable meanwhile, Duration limit) {
        heardFrom = System.nanoTime();
        while (true) {
            meanwhile.run();
            long now = System.nanoTime();
            look(now, true);
            Note came = others.poll();
            if (came != null) {
                return came;
            }
            if (end != null || (client && stop)) {
                return null;
            }
            if (now - heardFrom > limit.toNanos()) {
                throw silence(limit);
            }
        }
    }

    ToolFailure silence(Duration limit) {
        return ToolFailure.failed(
                "no note from " + control.link().peer() + " within " + Timeout.text(limit),
                "is the peer alive? --timeout sets the limit");
    }

    /**
     * {@return the reason of a failed work request: the note of the other end, if one arrives within a second, else the
     * completion}
     */
    @Override
    public RuntimeException why(WorkCompletion completion) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        try {
            while (end == null && System.nanoTime() < until) {
                look(System.nanoTime());
                Thread.onSpinWait();
            }
        } catch (ToolFailure gone) {
            return gone;
        }
        if (end != null) {
            return ended(end);
        }
        List<String> lines = completion.describe().lines().toList();
        return ToolFailure.failed(lines.get(0), lines.subList(1, lines.size()).toArray(String[]::new));
    }

    /** {@return the failure of a test that the other end has ended early} */
    ToolFailure ended(Note.End said) {
        return ToolFailure.failed(
                control.link().peer() + " ended the test" + (said.why().isEmpty() ? "" : ": " + said.why()));
    }
}
