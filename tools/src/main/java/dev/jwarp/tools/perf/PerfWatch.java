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
 * What else there is to see to while messages move: the other end's notes, the user's wish to end, a sign of life. Looking
 * costs the measured loop next to nothing, and allocates nothing while there is nothing to be seen. One thread; any thread
 * may read {@link #moved}.
 */
final class PerfWatch implements Onlooker {
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How long the other end may take to end what was stopped. */
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
    /** Notes that are not awaited yet: an end may be ahead by a note or two. */
    private final Deque<Note> others = new ArrayDeque<>();

    private volatile long moved;
    private volatile long waited;
    /** How long nothing may move at this end; no limit unless messages of this end are under way. */
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

    /** A step begins. */
    void begin() {
        done = null;
        moved = 0;
        waited = 0;
        looked = System.nanoTime();
        doneBy = Long.MAX_VALUE;
    }

    /** {@return whether the step is to end early, for whatever reason} */
    @Override
    public boolean stop() {
        return stop;
    }

    /** {@return whether the other end has done its part of the step, or will not do more} */
    @Override
    public boolean otherIsDone() {
        return done != null || end != null;
    }

    /** {@return what the other end said when it was done} */
    Note.@Nullable Done done() {
        return done;
    }

    /** {@return the other end's last note, if it has come} */
    Note.@Nullable End end() {
        return end;
    }

    /**
     * From now on this end moves messages, and the other end says nothing before they are through: if none gets on for as long as the user
     * has patience, it is gone. A stopped peer still has a kernel that acknowledges, so that no time-out of the transport needs to end it.
     *
     * @param gapNanos between two messages that are to be spread evenly
     */
    void expectMoves(long gapNanos) {
        stillNanos = Math.min(Long.MAX_VALUE / 4, limitNanos) + gapNanos;
        movedBefore = 0;
        movedAt = System.nanoTime();
    }

    /** This end's messages are through. */
    void expectNoMoves() {
        stillNanos = Long.MAX_VALUE;
    }

    /** From now on the other end has so long to be done with the step. */
    void expectDone(long nanos) {
        doneBy = System.nanoTime() + Math.min(Long.MAX_VALUE / 4, limitNanos) + nanos;
    }

    /** {@return bytes of objects that the control connection made so far: they are no part of what is measured} */
    long aside() {
        return aside;
    }

    /** Messages moved so far in this step, for the sign of life. */
    @Override
    public void moved(long messages) {
        moved = messages;
    }

    long moved() {
        return moved;
    }

    /** Nanoseconds that this end has waited for all messages of this step, as it counts their latency; for the sign of life. */
    @Override
    public void waited(long nanos) {
        waited = nanos;
    }

    long waited() {
        return waited;
    }

    /**
     * Looks, if it is time to.
     *
     * @param idle whether there is nothing else to do
     * @return whether it has looked
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
                    "nothing moved for " + Timeout.text(Duration.ofNanos(limitNanos)) + ", and "
                            + control.link().peer() + " said nothing",
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
                throw ToolFailure.failed("the other end says one note after another, and waits for none");
            }
        }
    }

    /**
     * Waits for a note that is neither of an end of a step nor of all.
     *
     * @param meanwhile done again and again
     * @param limit how long the other end may say nothing
     * @return the note; null if the conversation is over, or shall be
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
                control.link().peer() + " said nothing for " + Timeout.text(limit),
                "is the peer alive? --timeout sets the limit");
    }

    /** {@return why a work request failed: what the other end says of it, if it says something within a moment} */
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

    /** {@return a failure for an end that came too soon} */
    ToolFailure ended(Note.End said) {
        return ToolFailure.failed(
                control.link().peer() + " ended the test" + (said.why().isEmpty() ? "" : ": " + said.why()));
    }
}
