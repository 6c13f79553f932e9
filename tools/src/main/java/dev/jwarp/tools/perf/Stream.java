package dev.jwarp.tools.perf;

import dev.jwarp.tools.perf.PerfResult.Side;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Bandwidth: many messages under way, in one direction or both. An end that takes messages tells the other how many it has
 * taken, by an RDMA Write into a word of its memory; by that Sends never meet an empty receive queue, and datagrams no full
 * socket. The steady state allocates nothing. One thread.
 */
final class Stream implements Mover {
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long TELL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** The kernel counts its own data, too: a datagram costs it about twice its octets. */
    private static final int SHARE_OF_BUFFER = 6;
    /** Write-Records nobody has polled yet wait in a log of that many; half of it is room enough. */
    private static final int RECORDS = 512;

    private final PerfSettings settings;
    private final DataEnd end;
    private final Watch watch;
    private final List<Lane> lanes;
    private final boolean datagrams;
    private final boolean unreliable;
    private final boolean fetches;
    /** Whether the other end tells how many messages it has taken. */
    private final boolean told;

    private final Histogram latencies = Latency.histogram();
    private final Meter meter;
    private int size;
    private int list;
    private int moderation;
    private int depth;
    private int window;
    private int every;
    private double gap;
    private int flushes;
    private long lostReads;
    private long lastTaken;
    private final Pace pace = new Pace();

    Stream(PerfSettings settings, DataEnd end, Watch watch) {
        this.settings = settings;
        this.end = end;
        this.watch = watch;
        meter = new Meter(watch);
        lanes = end.lanes();
        datagrams = settings.load().type() != QueuePairType.RC;
        unreliable = settings.load().type() == QueuePairType.UD;
        fetches = settings.test().operation().fetches();
        told = !fetches && (datagrams || settings.test().operation() == PerfTest.Operation.SEND);
    }

    @Override
    public void prepare(Note.Step step) {
        size = step.size();
        PerfSettings.Queues queues = settings.queues();
        long room = !datagrams
                ? Integer.MAX_VALUE
                : Math.max(1, end.other().receiveBuffer() / SHARE_OF_BUFFER / Math.max(size, 256));
        depth = queues.txDepth();
        if (fetches && datagrams) {
            depth = (int) Math.min(room, Math.min(depth, settings.load().outstandingReads()));
        }
        window = Integer.MAX_VALUE;
        if (told) {
            boolean receives = settings.test().operation() == PerfTest.Operation.SEND;
            window = (int) Math.min(room, receives ? end.other().receives() : RECORDS);
        }
        // As the other end reckons it, so that it hears often enough: its window cannot be smaller than a fourth of
        // ours.
        every = (int) Math.max(1, Math.min(Math.min(room, RECORDS), queues.rxDepth()) / 4);
        gap = settings.load().gapNanos(size) * lanes.size();
        list = gap > 0 ? 1 : Math.min(queues.listOf(size), Math.min(depth, window));
        moderation = fetches && datagrams ? 1 : Math.min(queues.moderation(size), depth);
        for (Lane lane : lanes) {
            lane.prepare(list, depth);
            for (int i = 0; i < list; i++) {
                end.fill(lane.request(i), lane, size);
            }
            lane.hear(end.heard(lane), 0);
            if (unreliable) {
                lane.lost = lane.posted - lane.heard;
            }
        }
    }

    @Override
    public PerfResult run(Note.Step step, long warmUpNanos) {
        latencies.reset();
        lostReads = 0;
        flushes = 0;
        long before = posted();
        long unheardBefore = unheard();
        meter.begin();
        long start = System.nanoTime();
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            lane.target = step.iterations() > 0 ? lane.posted + step.iterations() : Long.MAX_VALUE;
            lane.due = start + gap * i / lanes.size();
            lane.heardAt = start;
        }
        pace.begin(start);
        long stopped = move(before, start, step.iterations() > 0 ? Long.MAX_VALUE : start + step.nanos());
        meter.end();
        long sent = posted() - before;
        long lost = lostReads + Math.max(0, unheard() - unheardBefore);
        PerfResult result = new PerfResult(
                Side.LOCAL,
                size,
                sent - lost,
                lost,
                stopped - start,
                warmUpNanos,
                Double.NaN,
                Latency.of(latencies, 1),
                meter.allocated(),
                meter.cpuNanos(),
                watch.stop());
        return settings.report().peak()
                ? result.peak(Math.max(pace.fastest() * size, result.octetsPerSecond()))
                : result;
    }

    /** Posts until there is enough, and waits until all is done. @return when that was */
    private long move(long before, long start, long until) {
        boolean posting = true;
        long last = start;
        while (true) {
            long now = System.nanoTime();
            if (posting && (now - until >= 0 || watch.stop() || allPosted())) {
                posting = false;
                finishPosting();
            }
            if (posting) {
                for (int i = 0; i < lanes.size(); i++) {
                    post(lanes.get(i), now);
                }
            }
            int count = gap > 0 ? end.look() : end.poll();
            now = System.nanoTime();
            take(count, now, true);
            boolean looked = watch.look(now, false);
            if (looked) {
                slice(now, before);
            }
            if (told) {
                last = hearAll(now, last);
            } else if (count > 0) {
                last = now;
            }
            if (count == 0 || looked) {
                tellTheRest(now);
            }
            if (!posting && isDone(now)) {
                return datagrams && last != start ? last : now;
            }
        }
    }

    private boolean allPosted() {
        for (int i = 0; i < lanes.size(); i++) {
            if (lanes.get(i).posted < lanes.get(i).target) {
                return false;
            }
        }
        return true;
    }

    /** Over a connection an answer behind the last message shows that all of them were placed. */
    private void finishPosting() {
        for (int i = 0; i < lanes.size() && !datagrams; i++) {
            end.flush(lanes.get(i));
        }
    }

    private boolean isDone(long now) {
        if (!datagrams) {
            return flushes == lanes.size();
        }
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            if (told ? lane.underWay() > 0 && !(unreliable && lane.stalled(now)) : lane.completed < lane.posted) {
                return false;
            }
        }
        return true;
    }

    private void post(Lane lane, long now) {
        long room = Math.min(depth - (lane.posted - lane.completed), lane.target - lane.posted);
        if (told) {
            long free = window - lane.underWay();
            if (free < list && free < lane.target - lane.posted) {
                if (unreliable && lane.stalled(now)) {
                    lane.heardAt = now;
                }
                return;
            }
            // What is known to have come holds no place of the send queue either, whatever completions were asked for.
            room = Math.min(room, free);
        }
        int count = (int) Math.min(room, list);
        if (count <= 0 || (count < list && count < lane.target - lane.posted)) {
            return;
        }
        long when = now;
        if (gap > 0) {
            if (now < lane.due) {
                return;
            }
            when = (long) lane.due;
            lane.due += gap;
        }
        long first = lane.posted;
        long mark = (long) lane.index << DataEnd.LANE_SHIFT;
        for (int i = 0; i < count; i++) {
            long number = first + 1 + i;
            boolean signaled = number % moderation == 0;
            lane.request(i).id(mark | number).signaled(signaled);
            if (signaled) {
                lane.time(number, when);
            }
        }
        int posted = lane.pair.postSend(lane.list(), count);
        lane.posted += posted;
        if (gap > 0 && posted == 0) {
            lane.due -= gap;
        }
    }

    private void take(int count, long now, boolean measured) {
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = end.batch[i];
            Lane lane = end.laneOf(completion);
            if (!completion.succeeded()) {
                unsuccessful(lane, completion);
            } else if (completion.opcode().isReceive()) {
                boolean receive = completion.opcode() == WorkCompletionOpcode.RECV;
                lane.taken++;
                lastTaken = now;
                if (receive) {
                    end.postReceive(lane);
                } else {
                    completion.release();
                }
                if (lane.taken - lane.told >= every && end.tell(lane)) {
                    lane.told = lane.taken;
                }
            } else if ((completion.id() & DataEnd.FLUSH) != 0) {
                lane.completed = lane.posted;
                flushes++;
            } else {
                long number = completion.id() & DataEnd.NUMBER;
                lane.completed = moderation == 1 && datagrams ? lane.completed + 1 : Math.max(lane.completed, number);
                if (measured) {
                    latencies.recordValue(Math.min(Math.max(0, now - lane.time(number)), 3_600_000_000_000L));
                }
            }
        }
    }

    private void unsuccessful(Lane lane, WorkCompletion completion) {
        switch (completion.status()) {
            case INCOMPLETE, EVICTED -> {
                completion.release();
                end.postReceive(lane);
            }
            case PARTIAL, RESP_TIMEOUT_ERR, ABORTED -> {
                completion.release();
                if (completion.opcode() == WorkCompletionOpcode.RDMA_READ && datagrams) {
                    lane.completed++;
                    lostReads++;
                } else if (!datagrams) {
                    throw watch.why(completion);
                }
            }
            default -> throw watch.why(completion);
        }
    }

    private void tellTheRest(long now) {
        if (now - lastTaken < TELL_NANOS) {
            return;
        }
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            if (lane.taken != lane.told && end.tell(lane)) {
                lane.told = lane.taken;
            }
        }
    }

    /** {@return when something was last heard} */
    private long hearAll(long now, long last) {
        long latest = last;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            long before = lane.heard;
            lane.hear(end.heard(lane), now);
            if (lane.heard != before) {
                latest = now;
            }
        }
        return latest;
    }

    /** Tells how far it is, and looks how fast the last moment was. */
    private void slice(long now, long before) {
        long moved = -before;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            moved += told ? lane.heard + lane.lost : lane.completed;
        }
        moved = Math.max(0, moved);
        watch.moved(moved);
        pace.moved(moved, now);
    }

    @Override
    public void serve() {
        long now = System.nanoTime();
        long before = taken();
        while (!watch.otherIsDone()) {
            int count = end.poll();
            now = System.nanoTime();
            take(count, now, false);
            if (watch.look(now, count == 0) && told) {
                watch.moved(taken() - before);
            }
            if (count == 0) {
                tellTheRest(now);
            }
        }
        // What is on its way still comes within a moment; over a connection it is here already.
        lastTaken = datagrams ? now : now - SETTLE_NANOS;
        for (int count = end.look(); count > 0 || now - lastTaken < SETTLE_NANOS; count = end.look()) {
            now = System.nanoTime();
            take(count, now, false);
        }
    }

    @Override
    public void idle() {
        int count = end.look();
        long now = System.nanoTime();
        take(count, now, false);
        if (count == 0) {
            tellTheRest(now);
        }
    }

    /** {@return messages of which the other end has not told that it took them, in datagrams} */
    private long unheard() {
        long sum = 0;
        for (int i = 0; i < lanes.size() && told && datagrams; i++) {
            sum += lanes.get(i).posted - lanes.get(i).heard;
        }
        return sum;
    }

    private long posted() {
        long sum = 0;
        for (int i = 0; i < lanes.size(); i++) {
            sum += lanes.get(i).posted;
        }
        return sum;
    }

    @Override
    public boolean counts() {
        return told;
    }

    @Override
    public long taken() {
        long sum = 0;
        for (int i = 0; i < lanes.size(); i++) {
            sum += lanes.get(i).taken;
        }
        return sum;
    }

    @Override
    public Histogram latencies() {
        return latencies;
    }

    @Override
    public double share() {
        return 1;
    }
}
