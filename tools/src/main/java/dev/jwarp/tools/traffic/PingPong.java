package dev.jwarp.tools.traffic;

import dev.jwarp.tools.traffic.TrafficLoad.Operation;
import dev.jwarp.tools.traffic.TrafficLoad.Telling;
import dev.jwarp.tools.traffic.TrafficLoad.Waiting;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Traffic of latency tests: one message at a time. Sends and Writes go in both directions; Reads and Atomics fetch.
 * Over a connection the target gets no completion for a Write: it polls the last byte of its memory, or a Send follows
 * each Write. The steady state allocates nothing. One thread.
 */
public final class PingPong implements Traffic {
    /** Time after which a datagram that has not come back is lost. */
    private static final long TOO_LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /**
     * Time without arrivals after a loss, before the next message: a late answer must not be taken for that of a later
     * message.
     */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long LONGEST = 3_600_000_000_000L;
    private static final int SIGNAL_EVERY = 16;

    private final TrafficEnd end;
    private final Onlooker watch;
    private final Lane lane;
    private final boolean fetches;
    private final boolean looks;
    /** Whether a Send follows each Write. */
    private final boolean followed;

    private final boolean unreliable;
    private final long tooLongNanos;
    private final Histogram latencies = new Histogram(LONGEST, 3);
    private int size;
    private double gap;
    private byte mark;

    /** The last mark of the peer that was answered or awaited. */
    private byte last;
    /** Counts of arrived messages, completed fetches and failed fetches. */
    private long arrived;

    private long fetched;
    private long failed;

    /** Whether there was a look during the wait for an answer, after which the onlooker has no new count yet. */
    private boolean untold;

    /** @param end an end that knows the other end's place; its first queue pair is used */
    public PingPong(TrafficEnd end, Onlooker watch) {
        this(end, watch, TOO_LONG_NANOS);
    }

    /** Sets the time after which a datagram is lost. */
    PingPong(TrafficEnd end, Onlooker watch, long tooLongNanos) {
        this.tooLongNanos = tooLongNanos;
        this.end = end;
        this.watch = watch;
        lane = end.lanes().get(0);
        TrafficLoad load = end.load();
        fetches = load.operation().fetches();
        boolean silent = load.operation() == Operation.WRITE && !load.datagrams();
        looks = silent && load.telling() == Telling.MEMORY;
        followed = silent && load.telling() == Telling.SEND;
        unreliable = load.service() == QueuePairType.UD;
    }

    @Override
    public void prepare(Rhythm rhythm) {
        size = rhythm.size();
        gap = rhythm.gap();
        lane.prepare(1, SIGNAL_EVERY);
        end.fill(lane.request(0), lane, size);
        mark = 0;
        last = 0;
        end.clearMark(size);
    }

    private void post() {
        lane.posted++;
        boolean signaled = fetches || lane.posted % SIGNAL_EVERY == 0;
        lane.request(0).id(lane.posted).signaled(signaled);
        if (looks) {
            mark = next(mark);
            end.mark(size, mark);
        }
        lane.pair.postSend(lane.request(0));
        if (followed) {
            end.tell(lane);
        }
    }

    /** {@return the mark after this one; never 0, which means no mark} */
    private static byte next(byte mark) {
        return (byte) (mark == Byte.MAX_VALUE ? 1 : mark + 1);
    }

    /** Takes completions. */
    private void take(int count) {
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = end.batch[i];
            if (!completion.succeeded()) {
                unsuccessful(completion);
            } else if (completion.opcode() == WorkCompletionOpcode.RECV) {
                end.postReceive(lane);
                arrived++;
            } else if (completion.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
                completion.release();
                arrived++;
            } else if (fetches) {
                fetched++;
            }
        }
    }

    private void unsuccessful(WorkCompletion completion) {
        WorkCompletionStatus status = completion.status();
        boolean torn = status == WorkCompletionStatus.INCOMPLETE
                || status == WorkCompletionStatus.EVICTED
                || status == WorkCompletionStatus.PARTIAL
                || status == WorkCompletionStatus.ABORTED
                || status == WorkCompletionStatus.RESP_TIMEOUT_ERR;
        if (!torn || !unreliable) {
            throw watch.why(completion);
        }
        completion.release();
        if (completion.opcode() == WorkCompletionOpcode.RECV) {
            end.postReceive(lane);
        } else if (completion.opcode() == WorkCompletionOpcode.RDMA_READ) {
            failed++;
        }
    }

    @Override
    public Moved run(long iterations, long nanos) {
        latencies.reset();
        long lost = 0;
        long rounds = 0;
        long waited = 0;
        long start = System.nanoTime();
        double due = start;
        long until = start + nanos;
        long now = start;
        while (!watch.stop() && (iterations > 0 ? rounds + lost < iterations : now - until < 0)) {
            long begun = now;
            if (gap > 0) {
                begun = (long) due;
                due += gap;
                now = waitFor(begun, now);
            }
            long ended = round(now);
            if (ended != 0) {
                rounds++;
                now = ended;
                long took = Math.min(Math.max(0, ended - begun), LONGEST);
                latencies.recordValue(took);
                waited += took;
            } else if (!watch.stop()) {
                lost++;
                now = quiet();
            }
            // There are also looks during waits for an answer or for the time of the next message.
            if (watch.look(now, false) || untold || gap > 0) {
                untold = false;
                watch.waited(waited);
                watch.moved(rounds);
            }
        }
        return new Moved(rounds, lost, now - start, 0);
    }

    /**
     * Sends a message and waits for its answer.
     *
     * @return the time of the answer; 0 if the message was lost, or the user wants to end
     */
    private long round(long begun) {
        long wanted = (fetches ? fetched : arrived) + 1;
        long losses = failed;
        post();
        while (true) {
            if (looks) {
                take(end.poll());
                if (seen()) {
                    return System.nanoTime();
                }
            } else {
                int count = end.poll();
                if (count > 0) {
                    take(count);
                    if ((fetches ? fetched : arrived) >= wanted) {
                        return System.nanoTime();
                    }
                    if (failed != losses) {
                        return 0;
                    }
                }
            }
            long now = System.nanoTime();
            if (unreliable && !fetches && now - begun > tooLongNanos) {
                return 0;
            }
            if (watch.look(now, false)) {
                untold = true;
                if (watch.stop()) {
                    return 0;
                }
            }
        }
    }

    private boolean seen() {
        VarHandle.acquireFence(); // threads of the transport may have written it
        last = end.mark(size);
        return last == mark;
    }

    /** {@return the time at the end of the wait} */
    private long waitFor(long due, long from) {
        long now = from;
        while (now - due < 0 && !watch.stop()) {
            take(end.look());
            watch.look(now, true);
            if (end.load().waiting() != Waiting.SPIN && due - now > 2 * PARK_NANOS) {
                LockSupport.parkNanos(PARK_NANOS);
            }
            now = System.nanoTime();
        }
        return now;
    }

    private long quiet() {
        long now = System.nanoTime();
        long since = now;
        while (now - since < QUIET_NANOS) {
            int count = end.look();
            take(count);
            now = System.nanoTime();
            since = count > 0 ? now : since;
        }
        return now;
    }

    @Override
    public void serve() {
        if (fetches) {
            while (!watch.otherIsDone()) {
                take(end.poll());
                watch.look(System.nanoTime(), true);
            }
            return;
        }
        long first = arrived;
        long answered = first;
        int turns = 0;
        while (!watch.otherIsDone()) {
            int count = end.poll();
            take(count);
            if (looks) {
                VarHandle.acquireFence();
                byte there = end.mark(size);
                // The leading end ends after it has received the last answer, so this end awaits no further mark.
                if (there != last) {
                    last = there;
                    post();
                }
            } else {
                for (; answered < arrived; answered++) {
                    post();
                }
                watch.moved(answered - first);
            }
            // Not in every turn, because reading the clock adds to the measured time.
            if (count < 0 || (++turns & 63) == 0) {
                watch.look(System.nanoTime(), true);
            }
        }
    }

    /** Only one message at a time is in flight, so none is left. */
    @Override
    public void settle() {}

    @Override
    public void idle() {
        take(end.look());
    }

    @Override
    public boolean counts() {
        return !fetches && !looks;
    }

    @Override
    public long taken() {
        return arrived;
    }

    @Override
    public Histogram latencies() {
        return latencies;
    }
}
