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
 * Checks requests against completions: each request completes exactly once, with a possible status, and in the order of
 * its queue. Every request has an id of its own. Threads: any.
 */
public final class Ledger {
    /** One life of a work queue: from the creation or a reset of its queue pair to the next reset. */
    public static final class Life {
        private volatile boolean failed;
        private volatile boolean ending;

        /** The queue pair will be reset: a thread that posts meanwhile may post to the next life. */
        public void ending() {
            ending = true;
        }
    }

    /** Stands for a shared receive queue, whose receives complete at the queue pairs that use them. */
    public static final int SHARED = -1;

    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();
    private final AtomicInteger laneCount = new AtomicInteger();
    private final AtomicLong postedCount = new AtomicLong();
    private final AtomicLong completedCount = new AtomicLong();
    private final Set<WorkCompletionStatus> possible;

    /**
     * Creates an empty ledger.
     *
     * @param possible the possible statuses of completions
     */
    public Ledger(Set<WorkCompletionStatus> possible) {
        this.possible = possible;
    }

    /** The requests of one thread to one work queue. */
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

        /** {@return the id of a request that is about to be posted} */
        public synchronized long posting(boolean signaled) {
            posted++;
            outstanding.put(posted, signaled);
            if (signaled) {
                postedCount.incrementAndGet();
            }
            return (long) number << Integer.SIZE | posted;
        }

        /** The post was refused. */
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
                    over.run(); // unsignalled, and done since a later one is
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
     * @param ordered whether the queue has an order, and one thread at a time reports its completions in the order of
     *     polling
     * @param over runs once for each request that is done
     */
    public Lane lane(int queuePairNumber, Life life, boolean receives, boolean ordered, Runnable over) {
        Lane lane = new Lane(queuePairNumber, life, receives, ordered, over);
        lanes.put(lane.number, lane);
        return lane;
    }

    /** Removes a lane whose requests have all completed. */
    public void forget(Lane lane) {
        if (lane.signaledOutstanding() > 0) {
            throw new AssertionError(missing());
        }
        drop(lane);
    }

    /** Removes a lane whose queue was destroyed with its requests: no further completion may come. */
    public void drop(Lane lane) {
        lanes.remove(lane.number);
        synchronized (lane) {
            long dropped = lane.signaledOutstanding();
            postedCount.addAndGet(-dropped);
            lane.outstanding.values().forEach(any -> lane.over.run());
            lane.outstanding.clear();
        }
    }

    /** {@return whether all signalled requests of a lane have completed} */
    public boolean done(Lane lane) {
        return outstanding(lane) == 0;
    }

    /** {@return the number of signalled requests of a lane without completion} */
    public long outstanding(Lane lane) {
        return lane.signaledOutstanding();
    }

    /** Checks a polled completion. */
    public void completed(WorkCompletion completion) {
        Lane lane = lanes.get((int) (completion.id() >>> Integer.SIZE));
        if (lane == null) {
            throw new AssertionError("Completed after its lane was done: " + completion);
        }
        lane.completed(completion);
    }

    /** {@return the number of signalled requests posted, without refused ones} */
    public long posted() {
        return postedCount.get();
    }

    /** {@return the number of completed signalled requests} */
    public long completed() {
        return completedCount.get();
    }

    /** {@return a description of the requests without completion} */
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
