package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.perf.PerfResult.Side;
import dev.jwarp.tools.traffic.TrafficEnd;
import dev.jwarp.tools.traffic.TrafficPlace;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A test between two ends: they exchange their places, run one step after another, and end. One thread. */
final class PerfConversation {
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PerfSettings settings;
    private final Console console;
    private final PerfControl control;
    private final TrafficEnd end;
    private final PerfWatch watch;
    private final PerfReporter reporter;
    private final Ticker ticker;
    private final boolean client;
    private final Meter meter;
    private long warmUpNanos;
    private boolean met;

    PerfConversation(
            PerfSettings settings,
            Console console,
            PerfControl control,
            TrafficEnd end,
            PerfReporter reporter,
            Ticker ticker,
            boolean client) {
        this.settings = settings;
        this.console = console;
        this.control = control;
        this.end = end;
        this.reporter = reporter;
        this.ticker = ticker;
        this.client = client;
        watch = new PerfWatch(control, console, client, settings.place().timeout());
        meter = new Meter(watch);
    }

    /**
     * Runs the whole test.
     *
     * @param connect makes the queue pairs
     */
    void run(Runnable connect, String device, int interfaceMtu) {
        try {
            connect.run();
            Mover mover = meet(device, interfaceMtu);
            if (mover != null) {
                if (client) {
                    lead(mover);
                } else {
                    follow(mover);
                }
            }
            part();
        } catch (RuntimeException e) {
            apologize(e);
            throw e;
        } finally {
            ticker.end();
            reporter.end();
        }
    }

    /** {@return whether the other end has sent its place, as only jwarp perf does} */
    boolean met() {
        return met;
    }

    /** {@return the mover of messages; null if the test ended before it began} */
    private @Nullable Mover meet(String device, int interfaceMtu) {
        control.say(new Note.Ends(end.place()));
        PerfSettings.Place place = settings.place();
        Note said = watch.next(end::look, client ? place.timeout() : place.setUp());
        if (said == null) {
            return null;
        }
        if (!(said instanceof Note.Ends other)) {
            throw outOfTurn(said);
        }
        InetAddress there = address(control.link().remoteAddress());
        end.meet(other.place(), there);
        met = true;
        int wanted =
                settings.load().type() == QueuePairType.RC ? 0 : settings.load().mtu();
        int mtu = wanted > 0 ? wanted : interfaceMtu; // the largest MTU that the stack can discover
        reporter.begin(new PageHead(
                device,
                mtu,
                true,
                endpoints(end.place(), address(control.link().localAddress())),
                endpoints(other.place(), there)));
        return new Mover(settings, end, watch);
    }

    private static InetAddress address(@Nullable InetSocketAddress of) {
        return Objects.requireNonNull(of, "a connection without addresses").getAddress();
    }

    private static List<PageHead.Endpoint> endpoints(TrafficPlace ends, InetAddress host) {
        return ends.pairs().stream()
                .map(pair -> new PageHead.Endpoint(pair.number(), ends.key(), ends.address(), host))
                .toList();
    }

    private static ToolFailure outOfTurn(Note note) {
        return ToolFailure.failed(
                "the other end sent an unexpected note: " + note.getClass().getSimpleName());
    }

    // ---- the client

    private void lead(Mover mover) {
        PerfSettings.Load load = settings.load();
        long warmUp = load.warmUp().toNanos();
        long number = 0;
        do {
            for (int size : load.sizes()) {
                if (warmUp > 0 && !watch.stop()) {
                    PerfResult warm = step(mover, new Note.Step(++number, false, size, 0, warmUp));
                    warmUpNanos = warm == null ? 0 : warm.nanos();
                    warmUp = Math.max(1, load.warmUp().toNanos() / 10);
                }
                if (watch.stop()) {
                    return;
                }
                long nanos = load.duration().toNanos();
                step(mover, new Note.Step(++number, true, size, load.timed() ? 0 : load.iterations(), nanos));
            }
            warmUp = 0;
        } while (load.infinite() && !watch.stop());
    }

    /** {@return this end's figures; null if the test ended before} */
    private @Nullable PerfResult step(Mover mover, Note.Step step) {
        watch.begin();
        mover.prepare(step);
        long before = mover.taken(); // the other end may begin before its note arrives
        control.say(step);
        Note said = watch.next(mover::idle, settings.place().timeout());
        if (said == null) {
            return null;
        }
        if (!(said instanceof Note.Ready ready) || ready.number() != step.number()) {
            throw outOfTurn(said);
        }
        long sentBefore = end.posted();
        beginTicking(step, mover);
        watch.expectMoves((long) settings.load().gapNanos(step.size()));
        PerfResult mine = mover.run(step, warmUpNanos);
        watch.expectNoMoves();
        ticker.end();
        control.say(new Note.Done(end.posted() - sentBefore, mover.taken() - before, mine));
        watch.expectDone(step.nanos());
        mover.serve();
        tell(step, mover, mine, mover.taken() - before);
        return mine;
    }

    // ---- the server

    private void follow(Mover mover) {
        while (true) {
            Note said = watch.next(mover::idle, settings.place().timeout());
            if (said == null) {
                return;
            }
            if (!(said instanceof Note.Step step)) {
                throw outOfTurn(said);
            }
            if (step.size() > settings.load().largest()) {
                throw ToolFailure.failed("the other end asks for messages of " + step.size()
                        + " bytes; the agreed limit is " + settings.load().largest());
            }
            watch.begin();
            mover.prepare(step);
            long before = mover.taken();
            long sentBefore = end.posted();
            control.say(new Note.Ready(step.number()));
            beginTicking(step, mover);
            PerfResult mine;
            if (settings.load().bidirectional()) {
                mine = mover.run(step, warmUpNanos);
                mover.serve();
            } else {
                long start = System.nanoTime();
                meter.begin();
                mover.serve();
                meter.end();
                mine = passive(step.size(), mover.taken() - before, System.nanoTime() - start);
            }
            ticker.end();
            warmUpNanos = step.measured() ? warmUpNanos : mine.nanos();
            long taken = mover.taken() - before;
            if (watch.done() != null) {
                control.say(new Note.Done(end.posted() - sentBefore, taken, mine));
                tell(step, mover, mine, taken);
            }
        }
    }

    /** {@return the figures of an end that has only served} */
    private PerfResult passive(int size, long taken, long nanos) {
        return new PerfResult(
                Side.LOCAL,
                size,
                taken,
                0,
                nanos,
                warmUpNanos,
                Double.NaN,
                null,
                meter.allocated(),
                meter.cpuNanos(),
                watch.stop());
    }

    // ---- both

    private void beginTicking(Note.Step step, Mover mover) {
        if (step.measured()) {
            boolean counts = client || settings.load().bidirectional() || mover.counts();
            ticker.begin(step.size(), watch, counts);
        }
    }

    /** Reports a measured step, with the figures of both ends. */
    private void tell(Note.Step step, Mover mover, PerfResult mine, long taken) {
        Note.Done theirs = watch.done();
        if (!step.measured() || theirs == null) {
            return;
        }
        boolean oneProcess = settings.place().self();
        if (settings.load().bidirectional()) {
            PerfResult local = counted(mine, theirs.taken());
            PerfResult remote = counted(theirs.result(), taken).of(Side.REMOTE);
            reporter.row(List.of(local, remote, local.plus(remote, oneProcess)));
            return;
        }
        PerfResult leader = client ? mine : theirs.result();
        PerfResult follower = client ? theirs.result() : mine;
        PerfResult both = counted(leader, client ? theirs.taken() : taken).costing(follower, oneProcess);
        if (both.messages() + both.lost() == 0) {
            return; // the step ended before a message arrived
        }
        reporter.row(List.of(both.of(client ? Side.LOCAL : Side.REMOTE)));
        if (client) {
            reporter.histogram(mover.latencies(), mover.share());
        }
    }

    /** Takes the number of arrived datagrams from the receiving end. */
    private PerfResult counted(PerfResult sent, long whole) {
        boolean known = settings.load().type() != QueuePairType.RC
                && !settings.test().latency()
                && !settings.test().operation().fetches();
        return known ? sent.counted(whole) : sent;
    }

    private void part() {
        boolean asked = console.interruption().requested();
        control.say(new Note.End(asked ? Note.Reason.INTERRUPTED : Note.Reason.DONE, ""));
        long until = System.nanoTime() + FAREWELL_NANOS;
        while (watch.end() == null && System.nanoTime() < until) {
            end.look();
            try {
                watch.look(System.nanoTime(), true);
            } catch (ToolFailure gone) {
                break; // the other end has closed the connection already
            }
        }
        control.disconnect();
        Note.End said = watch.end();
        if (said != null && said.reason() == Note.Reason.FAILED) {
            throw watch.ended(said);
        }
        if (said != null && said.reason() == Note.Reason.INTERRUPTED && !asked) {
            console.note("the other end was asked to end (Ctrl-C); "
                    + reporter.results().size() + (reporter.results().size() == 1 ? " row" : " rows") + " so far");
        }
    }

    /** Sends the reason of a failure to the other end, if the connection still exists. */
    private void apologize(RuntimeException e) {
        if (watch.end() != null) {
            return;
        }
        if (!client && !met) {
            control.link().breakOff(); // an unknown peer gets no orderly end, which takes time
            return;
        }
        try {
            boolean asked = console.interruption().requested();
            String why = asked ? "" : Failures.explain(e, false).sentence();
            control.say(new Note.End(asked ? Note.Reason.INTERRUPTED : Note.Reason.FAILED, why));
            control.disconnect();
        } catch (RuntimeException worse) {
            // The connection has ended: nothing can be sent.
        }
    }

    /** {@return whether the test ended early, but not by this end's user} */
    boolean cutShort() {
        return watch.stop() && !console.interruption().requested();
    }

    /** {@return the counters of the measured device that are not 0} */
    Map<String, Long> counters() {
        Map<String, Long> counters = new TreeMap<>();
        for (Counter counter : new ArrayList<>(end.context().counters())) {
            if (counter.value() != 0) {
                counters.put(counter.name(), counter.value());
            }
        }
        return counters;
    }
}
