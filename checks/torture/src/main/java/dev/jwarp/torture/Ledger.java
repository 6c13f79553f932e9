package dev.jwarp.torture;

import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What was posted and what came back: each request exactly once, with an outcome that can be, and each queue in its order. Every
 * request has an id of its own. Threads: any.
 */
public final class Ledger {
    /** One work queue, from the making of its queue pair, or its reset, to the next. */
    public static final class Life {
        private volatile boolean failed;
        private volatile boolean ending;

        /** The queue pair is going to be reset: a thread that posts meanwhile may post to the next life. */
        public void ending() {
            ending = true;
        }
    }

    /** In place of the number of a queue pair: a shared receive queue, whose receives complete wherever they were taken. */
    public static final int SHARED = -1;

    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();
    private final AtomicInteger laneCount = new AtomicInteger();
    private final AtomicLong postedCount = new AtomicLong();
    private final AtomicLong completedCount = new AtomicLong();
    private final Set<WorkCompletionStatus> possible;

    /**
     * Makes an empty one.
     *
     * @param possible how requests may end here
     */
    public Ledger(Set<WorkCompletionStatus> possible) {
        this.possible = possible;
    }

    /** What one thread posts to one work queue. */
    public final class Lane {
        private final int number = laneCount.incrementAndGet();
        private final int queuePairNumber;
        private final Life life;
        private final boolean ordered;
        private final boolean receives;
        private final Runnable over;
        private final Map<Integer, Boolean> outstanding = new HashMap<>();
        private int posted;
        private int last;

        private Lane(int queuePairNumber, Life life, boolean receives, boolean ordered, Runnable over) {
            this.over = over;
            this.queuePairNumber = queuePairNumber;
            this.life = life;
            this.receives = receives;
            this.ordered = ordered;
        }

        /** {@return the id of a request that is going to be posted} */
        public synchronized long posting(boolean signaled) {
            posted++;
            outstanding.put(posted, signaled);
            if (signaled) {
                postedCount.incrementAndGet();
            }
            return (long) number << Integer.SIZE | posted;
        }

        /** The request was not taken. */
        public synchronized void refused(long id) {
            Boolean signaled = outstanding.remove((int) id);
            if (signaled == null) {
                throw new AssertionError("A request that was refused has completed: " + name((int) id));
            }
            if (signaled) {
                postedCount.decrementAndGet();
            }
            over.run();
        }

        private synchronized void completed(WorkCompletion completion) {
            int sequence = (int) completion.id();
            Boolean signaled = outstanding.remove(sequence);
            if (signaled == null) {
                throw new AssertionError((sequence <= posted && sequence > 0 ? "Completed twice: " : "Never posted: ")
                        + name(sequence) + ", " + completion);
            }
            over.run();
            if (signaled) {
                completedCount.incrementAndGet();
            } else if (completion.succeeded()) {
                throw new AssertionError("Not signalled, but its success was reported: " + name(sequence));
            }
            if ((queuePairNumber != SHARED && completion.queuePairNumber() != queuePairNumber)
                    || completion.opcode().isReceive() != receives) {
                throw new AssertionError("Another queue's completion: " + name(sequence) + ", " + completion);
            }
            if (!possible.contains(completion.status())) {
                throw new AssertionError(name(sequence) + " ended as " + completion.describe());
            }
            if (ordered) {
                inOrder(sequence, completion);
            }
        }

        private void inOrder(int sequence, WorkCompletion completion) {
            if (sequence <= last) {
                throw new AssertionError(name(sequence) + " completed after " + last);
            }
            for (int i = last + 1; i < sequence; i++) {
                if (Boolean.TRUE.equals(outstanding.get(i))) {
                    throw new AssertionError(name(sequence) + " completed before " + i);
                }
                if (outstanding.remove(i) != null) {
                    over.run(); // not signalled, and done since one behind it is
                }
            }
            last = sequence;
            if (!completion.succeeded()) {
                life.failed = true;
            } else if (life.failed && !life.ending) {
                throw new AssertionError(name(sequence) + " succeeded after a failure of its queue");
            }
        }

        private String name(int sequence) {
            return (receives ? "receive " : "send ") + sequence + " of lane " + number + " of queue pair "
                    + queuePairNumber;
        }

        private synchronized long signaledOutstanding() {
            return outstanding.values().stream().filter(signaled -> signaled).count();
        }
    }

    /**
     * {@return a lane for the requests of one thread to one work queue}
     *
     * @param ordered whether the completions of this queue are told to the ledger by one thread at a time, in the order in which
     *     they were polled, and the queue has an order
     * @param over run once for each request that will not come back any more, or not again
     */
    public Lane lane(int queuePairNumber, Life life, boolean receives, boolean ordered, Runnable over) {
        Lane lane = new Lane(queuePairNumber, life, receives, ordered, over);
        lanes.put(lane.number, lane);
        return lane;
    }

    /** Everything has come back. */
    public void forget(Lane lane) {
        if (lane.signaledOutstanding() > 0) {
            throw new AssertionError(missing());
        }
        drop(lane);
    }

    /** Its queue is gone, with what was in it: nothing more may come back. */
    public void drop(Lane lane) {
        lanes.remove(lane.number);
        synchronized (lane) {
            long dropped = lane.signaledOutstanding();
            postedCount.addAndGet(-dropped);
            lane.outstanding.values().forEach(any -> lane.over.run());
            lane.outstanding.clear();
        }
    }

    /** {@return whether all signalled requests of a lane have come back} */
    public boolean done(Lane lane) {
        return outstanding(lane) == 0;
    }

    /** {@return how many signalled requests of a lane have not come back} */
    public long outstanding(Lane lane) {
        return lane.signaledOutstanding();
    }

    /** A completion was taken. */
    public void completed(WorkCompletion completion) {
        Lane lane = lanes.get((int) (completion.id() >>> Integer.SIZE));
        if (lane == null) {
            throw new AssertionError("Completed after all of its lane had come back: " + completion);
        }
        lane.completed(completion);
    }

    /** {@return how many signalled requests were posted and not refused} */
    public long posted() {
        return postedCount.get();
    }

    /** {@return how many signalled requests have completed} */
    public long completed() {
        return completedCount.get();
    }

    /** {@return which requests have not come back, in words} */
    public String missing() {
        StringBuilder text = new StringBuilder("posted " + posted() + ", completed " + completed() + "; outstanding:");
        for (Lane lane : lanes.values()) {
            synchronized (lane) {
                lane.outstanding.forEach((sequence, signaled) -> {
                    if (signaled && text.length() < 2_000) {
                        text.append(' ').append(lane.name(sequence)).append(';');
                    }
                });
            }
        }
        return text.toString();
    }
}
