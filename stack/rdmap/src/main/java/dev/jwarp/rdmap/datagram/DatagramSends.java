package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.rdmap.datagram.DatagramOperation.Kind;
import dev.jwarp.rdmap.datagram.DatagramOperation.Progress;
import dev.jwarp.rdmap.datagram.OutstandingReads.OutstandingRead;
import dev.jwarp.rdmap.work.OperationPool;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The send queue: begins the operations of each destination in order, one message at a time, and passes their segments
 * to the lower layer, destination by destination (datagram-iWARP §6). Owner thread only; allocates nothing.
 */
final class DatagramSends {
    /** The result of an attempt to send for a destination. */
    private enum Attempt {
        /** One or more segments are written. */
        WRITTEN,
        /** Nothing is written; the next attempt may write something. */
        NEXT,
        /** The destination has to wait for the response to an earlier Read. */
        WAITS
    }

    private final EndpointCore core;
    private final boolean reliable;
    private final OperationPool<DatagramOperation> pool;
    private final OutboundSegments segments;
    private final OutstandingReads reads;
    final RecentSends recent;
    final PeerTurns turns;
    final ReadJobs jobs;
    final SendEnds ends;
    private final Tally<DatagramCounter> counters;
    /** Source of Read handles: unlike a random number generator, a keyed hash allocates nothing for each number. */
    private final KeyedHash handles;

    private long handlesMade;
    private final int readsPerPeer;

    /** The Read that waits for responses to others, so that it is counted once. */
    private @Nullable DatagramOperation waiting;

    private int nextMessageId;
    /** Segments that the last attempt wrote, and bytes of their payload. */
    private int written;

    private long bytes;

    /** @param pool the send queue */
    DatagramSends(
            EndpointCore core,
            OperationPool<DatagramOperation> pool,
            OutstandingReads reads,
            MessageSources sources,
            RandomGenerator randomness) {
        this.pool = pool;
        this.reads = reads;
        this.core = core;
        reliable = core.reliable;
        counters = core.counters;
        segments = new OutboundSegments(core);
        turns = new PeerTurns(core.settings.count(DatagramLimit.SEGMENTS_PER_TURN));
        jobs = new ReadJobs(core, sources, turns, segments);
        ends = new SendEnds(core, pool, reads, turns);
        recent = new RecentSends(core.settings.count(DatagramLimit.RECORDS));
        handles = new KeyedHash(randomness);
        readsPerPeer = reliable ? core.settings.count(DatagramLimit.RELIABLE_READS) : Integer.MAX_VALUE;
        // datagram-iWARP §4.2: a random start, so that a restarted endpoint does not repeat Message Ids.
        nextMessageId = randomness.nextInt();
    }

    /** Reports the limits of Reads in both directions. Any thread. */
    void limits(LimitSink sink) {
        reads.limits(sink);
        jobs.limits(sink);
    }

    /** For tests near the wrap: the next message has this id. */
    void startAt(int messageId) {
        nextMessageId = messageId;
    }

    // ---- the send queue

    /** Takes all posted operations from the send queue. */
    void takePosted() {
        DatagramOperation op = pool.take();
        while (op != null) {
            DatagramDestination to = op.destination();
            ends.taken(op);
            to.queue.append(op);
            turns.add(to);
            op = pool.take();
        }
    }

    // ---- sending

    /** {@return whether segments of one message, at least one, were written; false if there is nothing to send now} */
    boolean poll(SegmentWriter out, long nowNanos) {
        turns.againAfterLong(nowNanos);
        PeerTurn turn = turns.current();
        while (turn != null) {
            if (!turn.hasWork()) {
                turns.finish(turn);
                if (turn instanceof ReadJob job) {
                    jobs.left(job);
                }
            } else if (!out.admits(turn.turnOf(), nowNanos)) {
                turns.standAside(turn, nowNanos);
            } else {
                Attempt attempt = attempt(turn, out, nowNanos);
                if (attempt == Attempt.WRITTEN) {
                    turns.sent(turn, written, bytes);
                    return true;
                }
                if (attempt == Attempt.WAITS) {
                    turns.standAside(turn, nowNanos);
                }
            }
            turn = turns.current();
        }
        turns.again();
        return false;
    }

    private Attempt attempt(PeerTurn turn, SegmentWriter out, long nowNanos) {
        written = 1;
        bytes = 0;
        ReadJob job =
                turn instanceof ReadJob.AskerTurn asker ? asker.serve() : turn instanceof ReadJob one ? one : null;
        if (job != null) {
            boolean wrote = jobs.write(job, out, nowNanos);
            bytes = job.segmentSize;
            return wrote ? Attempt.WRITTEN : Attempt.NEXT;
        }
        DatagramDestination to = (DatagramDestination) turn;
        DatagramOperation again = to.hasAgain() ? to.again().poll() : null;
        if (again != null) {
            // datagram-iWARP §8 (DG-4.2-4): the same request with the same Message Id, and the cookie.
            segments.write(out, again, 0, nowNanos);
            ends.polled(again, 1);
            counters.count(DatagramCounter.SEGMENTS_REPEATED);
            return Attempt.WRITTEN;
        }
        DatagramOperation op = Objects.requireNonNull(to.queue.first(), "a destination with work");
        // Memory deregistered during the send: no further byte of it may leave.
        if (!op.memory().valid()) {
            ends.fault(op, OperationStatus.LOC_PROT_ERR, nowNanos);
            return Attempt.NEXT;
        }
        if (op.progress == Progress.POSTED) {
            if (op.kind() == Kind.RDMA_READ && (reads.isFull() || to.reads >= readsPerPeer)) {
                if (waiting != op) {
                    counters.count(DatagramCounter.READS_WAITED);
                }
                waiting = op;
                return Attempt.WAITS;
            }
            waiting = waiting == op ? null : waiting;
            OperationStatus status = begin(op, out);
            if (status != OperationStatus.SUCCESS) {
                ends.fault(op, status, nowNanos);
                return Attempt.NEXT;
            }
        }
        segments.write(out, op, op.sent, nowNanos);
        op.sent++;
        int most = Math.min(op.segments - 1 - op.sent, PeerTurns.left(to, op.segmentSize) - 1);
        try {
            while (written <= most && op.memory().valid() && segments.writeNext(out, op, op.sent)) {
                op.sent++;
                written++;
            }
        } finally { // written segments are sent even if memory throws at the next one
            ends.polled(op, written);
            counters.add(DatagramCounter.SEGMENTS_SENT, written);
            bytes = (long) written * op.segmentSize;
        }
        if (op.sent == op.segments) {
            allPolled(op, to, nowNanos);
        }
        return Attempt.WRITTEN;
    }

    /** {@return SUCCESS, or the status of an operation that cannot be sent} */
    private OperationStatus begin(DatagramOperation op, SegmentWriter out) {
        DatagramDestination to = op.destination();
        boolean read = op.kind() == Kind.RDMA_READ;
        long limit = core.settings.longestMessage(to.group());
        // datagram-iWARP §3.1: UD has no RDMA Write, and a group answers no Read.
        if ((op.kind() == Kind.RDMA_WRITE && !core.reliable) || (read && to.group())) {
            return OperationStatus.LOC_QP_OP_ERR;
        }
        if (op.memory().length() > limit || !segments.cut(out, op)) {
            return OperationStatus.LOC_LEN_ERR;
        }
        // datagram-iWARP §4.2 (DG-4.2-4, DG-4.2-5): one counter for all destinations, which wraps after 2^32 messages.
        op.messageId = nextMessageId++;
        op.padded = core.settings.get(DatagramLimit.PAD) != 0
                && op.destination().queue.hasSeveral()
                && OutboundSegments.padPays(op.memory().length(), op.segments, op.segmentSize);
        op.progress = Progress.SENDING;
        if (read) {
            // datagram-iWARP §8 (DG-8-2): 64 bits that an attacker cannot know without reading the request.
            long handle = handles.number(handlesMade++);
            op.handle = (int) handle;
            op.handleOffset = handle >>> Integer.SIZE << Integer.SIZE;
            op.read = reads.add(op, op.messageId);
            to.reads++;
        }
        if (!reliable && !to.group()) {
            recent.note(op.messageId, to.peer(), op.workRequestId());
        }
        counters.count(DatagramCounter.MESSAGES_SENT);
        return OperationStatus.SUCCESS;
    }

    private void allPolled(DatagramOperation op, DatagramDestination to, long nowNanos) {
        to.queue.poll();
        OutstandingRead read = op.read;
        op.progress = read == null ? Progress.POLLED : Progress.AWAITING_RESPONSE;
        if (read != null && !reliable) {
            ends.requested(read, nowNanos);
        }
        ends.allPolled(op);
    }

    /** {@return false if the memory is deregistered} RD: writes a segment again. */
    boolean repeat(DatagramOperation op, int index, SegmentWriter out, long nowNanos) {
        // Even the request of an ended Read is written, because the channel has to keep its order.
        if (!op.memory().valid()) {
            op.status = OperationStatus.LOC_PROT_ERR;
            return false;
        }
        segments.write(out, op, index, nowNanos);
        return true;
    }
}
