package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Journal;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Transcript;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs cases, several at a time if there are several devices. The results are in the order of the cases, in whatever
 * order the cases end. No device can stop a run: each case has a deadline, and its record has a limit.
 */
public final class Runner {
    /** Milliseconds between two checks for cases that last too long and for a request to end the run. */
    private static final long LOOK_MILLIS = 100;

    /** Milliseconds that running cases may take to end after such a request. */
    private static final long LEAVE_MILLIS = 2_000;

    private static final long LEAST_LIMIT_MILLIS = 60_000;

    /**
     * Limit of the kept bytes of one conversation, for cases that passed and for all cases once {@link #ALL_KEPT} is
     * reached.
     */
    private static final long FEW_KEPT = 64 << 10;

    private static final long ALL_KEPT = 256 << 20;

    private final Patience patience;
    private final boolean strict;
    private final Exclusions exclusions;
    private final Consumer<Result> progress;
    private final long limitMillis;
    private final AtomicLong keepable = new AtomicLong(ALL_KEPT);
    private List<Variation> variations = List.of();
    private Attribution attribution = new Attribution(List.of());

    /**
     * A runner.
     *
     * @param patience how long the tester waits
     * @param strict whether to run also cases of recommendations (SHOULD)
     * @param exclusions known deviations
     * @param progress called with each result, one at a time
     */
    public Runner(Patience patience, boolean strict, Exclusions exclusions, Consumer<Result> progress) {
        // The longest case that waits for timers of the device takes half of the least deadline.
        this(
                patience,
                strict,
                exclusions,
                progress,
                Math.max(LEAST_LIMIT_MILLIS, 10 * patience.answerMillis() + 4 * patience.closeMillis()));
    }

    Runner(Patience patience, boolean strict, Exclusions exclusions, Consumer<Result> progress, long limitMillis) {
        this.patience = patience;
        this.strict = strict;
        this.exclusions = exclusions;
        this.progress = progress;
        this.limitMillis = limitMillis;
    }

    /** Adds cases that may explain why another one fails. Call this before any run. */
    public Runner attributing(List<TestCase> all) {
        attribution = new Attribution(all);
        return this;
    }

    /**
     * Repeats each case that passes with each of these choices of the tester, where the case leaves them open. Call
     * this before any run.
     */
    public Runner under(List<Variation> tried) {
        variations = List.copyOf(tried);
        return this;
    }

    /**
     * Runs all cases. Each device has a thread of its own, which takes the next case.
     *
     * @param ended polled until it is true; then no more cases begin, running cases are given up, and the results of
     *     the others are returned
     */
    public List<Result> run(List<TestCase> cases, List<? extends Subject> devices, BooleanSupplier ended)
            throws InterruptedException {
        AtomicReferenceArray<@Nullable Result> results = new AtomicReferenceArray<>(cases.size());
        AtomicInteger next = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean(); // all threads end, even if the next case is answered again
        BooleanSupplier end = () -> {
            if (ended.getAsBoolean()) {
                over.set(true);
            }
            return over.get();
        };
        CountDownLatch done = new CountDownLatch(devices.size());
        List<Watch> watches = new ArrayList<>();
        for (Subject device : devices) {
            Watch watch = new Watch();
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (int i = next.getAndIncrement();
                                    i < cases.size() && !end.getAsBoolean();
                                    i = next.getAndIncrement()) {
                                take(cases.get(i), i, device, watch, results);
                            }
                        } finally {
                            done.countDown();
                        }
                    },
                    "conform-" + watches.size());
            thread.setDaemon(true);
            watches.add(watch);
            thread.start();
        }
        watch(watches, done, end);
        List<Result> all = new ArrayList<>();
        for (int i = 0; i < cases.size(); i++) {
            Result result = results.get(i);
            if (result != null) {
                all.add(result);
            } else if (!over.get()) {
                all.add(fault(cases.get(i), "the tester failed: the thread of this case ended before it"));
            }
        }
        return List.copyOf(all);
    }

    /**
     * Finds out what a device can do, before its cases.
     *
     * @param closer whether to find out also what no case depends on
     * @param ended polled, as for {@link #run}
     */
    public void survey(TestedDevice device, boolean closer, BooleanSupplier ended) throws InterruptedException {
        Trial trial = new Trial(device, patience, List.of());
        Watch watch = new Watch();
        CountDownLatch done = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    watch.begin(trial);
                    try (trial) {
                        trial.survey(closer);
                    } finally {
                        watch.end();
                        done.countDown();
                    }
                },
                "conform-survey");
        thread.setDaemon(true);
        thread.start();
        watch(List.of(watch), done, ended);
    }

    /** Waits for the cases, and gives up those that last too long; all of them if the run is to end. */
    private void watch(List<Watch> watches, CountDownLatch done, BooleanSupplier ended) throws InterruptedException {
        try {
            while (!done.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (ended.getAsBoolean()) {
                    watches.forEach(w -> w.abandon(0, false));
                    // A thread that has not ended by then is a daemon; its result is not needed.
                    boolean unused = done.await(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
                    return;
                }
                watches.forEach(w -> w.abandon(limitMillis, true));
            }
        } catch (InterruptedException e) {
            watches.forEach(w -> w.abandon(0, false));
            throw e;
        }
    }

    private void take(
            TestCase test, int i, Subject device, Watch watch, AtomicReferenceArray<@Nullable Result> results) {
        Result result;
        try {
            result = attribution.of(test, (other, hurried) -> run(other, device, watch, hurried));
        } catch (Exception | Error e) {
            result = fault(test, tester(e));
        }
        if (watch.left()) {
            return;
        }
        results.set(i, result);
        try {
            synchronized (progress) {
                progress.accept(result);
            }
        } catch (Exception | Error e) {
            results.set(i, fault(test, tester(e)));
        }
    }

    /** Whether cases can no longer be judged, because the device has ceased to answer. */
    public boolean deaf() {
        return attribution.gone();
    }

    /** Runs one case without a deadline. A runner remembers the result. An exception of the case becomes a result. */
    public Result run(TestCase test, Subject device) {
        return attribution.of(test, (other, hurried) -> run(other, device, new Watch(), hurried));
    }

    private Result run(TestCase test, Subject device, Watch watch, boolean hurried) {
        String veto = exclusions.veto(test);
        if (!veto.isEmpty()) {
            return Result.without(test, Verdict.SKIPPED, "not tried: " + veto, "");
        }
        if (!strict && !test.requirement().strength().binding()) {
            String strength = test.requirement().strength().words();
            return Result.without(test, Verdict.SKIPPED, "a " + strength + ": --strict tries it too", "");
        }
        Patience own = hurried ? patience.hurried() : patience;
        Attempt attempt = device.attempt(test, own);
        Result usual = run(test, attempt, device, watch);
        return usual.verdict() != Verdict.PASS || !attempt.leavesOpen()
                ? usual
                : under(usual, chosen -> {
                    Attempt other = device.attempt(test, own);
                    return !watch.left() && other.under(chosen) ? run(test, other, device, watch) : usual;
                });
    }

    /** Tries the other choices of the tester; a failure names the fewest choices that cause it. */
    private Result under(Result usual, Function<Variation, Result> attempt) {
        Result worst = usual;
        List<Variation> failing = new ArrayList<>();
        for (Variation chosen : variations) {
            if (failing.stream().noneMatch(chosen::contains)) {
                Result result = attempt.apply(chosen);
                if (!result.good()) {
                    worst = worst.verdict() == Verdict.FAIL ? worst : result;
                    failing.add(simplest(chosen, attempt));
                }
            }
        }
        return failing.isEmpty()
                ? usual
                : worst.only(failing.stream()
                        .map(c -> String.join(" and ", c.values()))
                        .toList());
    }

    private static Variation simplest(Variation failing, Function<Variation, Result> attempt) {
        for (Variation simpler : failing.simpler()) {
            if (!simpler.equals(Variation.USUAL) && !attempt.apply(simpler).good()) {
                return simplest(simpler, attempt);
            }
        }
        return failing;
    }

    /** One run of a case. */
    private Result run(TestCase test, Attempt attempt, Subject device, Watch watch) {
        long began = System.nanoTime();
        Verdict verdict = Verdict.PASS;
        Result.Charge charge = Result.Charge.NONE;
        Expectation expected = Expectation.NONE;
        String actual = "";
        watch.begin(attempt);
        try (attempt) {
            test.body().run(attempt);
        } catch (Deviation e) {
            boolean shown = !e.requirement().isEmpty();
            String broken = shown ? e.requirement() : test.requirement().id();
            charge = new Result.Charge(broken, shown ? e.suspects() : suspects(test, e.suspects(), attempt));
            if (test.tests(broken)) {
                verdict = Verdict.FAIL;
                expected = e.expectation();
                actual = e.actual();
            } else {
                verdict = Verdict.INCONCLUSIVE;
                actual = "because of " + broken + ": expected " + e.expected() + ", got " + e.actual();
            }
        } catch (Skip e) {
            verdict = Verdict.SKIPPED;
            actual = String.valueOf(e.getMessage());
        } catch (Inconclusive e) {
            verdict = Verdict.INCONCLUSIVE;
            charge = new Result.Charge("", suspects(test, e.suspects(), attempt));
            actual = String.valueOf(e.getMessage());
        } catch (Exception | Error e) {
            // A fault of the tester is reported as such and never charged to the device.
            verdict = Verdict.INCONCLUSIVE;
            actual = tester(e);
        } finally {
            watch.end();
        }
        if (watch.late()) {
            verdict = Verdict.INCONCLUSIVE;
            charge = Result.Charge.NONE;
            expected = Expectation.NONE;
            actual = "the case was not over after " + limitMillis
                    + " ms: the tester has closed its connections. Does the device read, and does it ever stop sending?";
        }
        if (!device.survived()) {
            String before = actual.isEmpty() ? verdict.toString() : actual;
            verdict = Verdict.FAIL;
            charge = Result.Charge.to(test.requirement().id());
            expected = new Expectation.Other("a device whose program goes on");
            actual = "the device's program ended; it was started again. The case: " + before;
        }
        if (verdict == Verdict.FAIL || verdict == Verdict.INCONCLUSIVE) {
            attempt.failed();
        }
        String known = exclusions.reason(test);
        return new Result(
                test,
                verdict,
                charge,
                expected,
                actual,
                known,
                System.nanoTime() - began,
                kept(attempt.recorded(), verdict));
    }

    /**
     * Requirements that may explain why a case did not pass: those that must hold before the case, and those that its
     * conversations rely on.
     */
    private static List<String> suspects(TestCase test, List<String> named, Attempt attempt) {
        List<String> suspects = new ArrayList<>(named);
        suspects.addAll(test.after());
        suspects.addAll(attempt.relied());
        return suspects;
    }

    /** The part of the conversations that is kept until the end of the run. */
    private List<Transcript> kept(List<Transcript> conversations, Verdict verdict) {
        List<Transcript> kept = new ArrayList<>();
        for (Transcript conversation : conversations) {
            boolean whole = verdict != Verdict.PASS && keepable.get() > 0;
            Transcript closed = Journal.closed(conversation, whole ? Journal.BUDGET : FEW_KEPT);
            closed.events().forEach(e -> keepable.addAndGet(-e.octets().length));
            kept.add(closed);
        }
        return kept;
    }

    private static String tester(Throwable e) {
        return "the tester failed: " + e + (e.getStackTrace().length > 0 ? " at " + e.getStackTrace()[0] : "");
    }

    private Result fault(TestCase test, String what) {
        return Result.without(test, Verdict.INCONCLUSIVE, what, exclusions.reason(test));
    }

    /** The state of one device's thread: which case runs, since when, and whether it was given up. Thread-safe. */
    private static final class Watch {
        private @Nullable Attempt attempt;
        private @Nullable Thread thread;
        private long began;
        private boolean late;
        private boolean left;

        /** A case begins in the calling thread. */
        synchronized void begin(Attempt begun) {
            attempt = begun;
            thread = Thread.currentThread();
            began = System.nanoTime();
            late = false;
            if (left) {
                begun.abandon();
            }
        }

        /** The case has ended. From now on its thread is not interrupted. */
        synchronized void end() {
            attempt = null;
            // The interrupt was meant for this case, not for the next work of the thread.
            boolean wished = Thread.interrupted();
            assert !wished || late || left : "interrupted without a reason";
        }

        /**
         * Gives up the running case if it has lasted so long.
         *
         * @param late true if the duration is the reason; false if no result is needed any more
         */
        synchronized void abandon(long millis, boolean late) {
            left |= !late;
            Attempt running = attempt;
            Thread worker = thread;
            if (running == null
                    || worker == null
                    || TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) < millis) {
                return;
            }
            this.late = late;
            running.abandon();
            worker.interrupt();
        }

        /** Whether the case that ended last was given up because it lasted too long. */
        synchronized boolean late() {
            return late;
        }

        /** Whether no more results are wanted. */
        synchronized boolean left() {
            return left;
        }
    }
}
