package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.rdmap.datagram.DatagramOperation.Progress;
import dev.jwarp.rdmap.datagram.OutstandingReads.OutstandingRead;
import dev.jwarp.rdmap.work.OperationPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Completes send queue operations, each once: UD when they are sent, RD when the peer has accepted them, Reads when
 * they are answered; or on failure (datagram-iWARP §15). Owner thread only; allocates only a list for each RD
 * destination on first use.
 */
final class SendEnds {
    private final EndpointCore core;
    private final boolean reliable;
    private final OperationPool<DatagramOperation> pool;
    private final OutstandingReads reads;
    private final PeerTurns turns;
    private final RecordPool records;
    private final DatagramListener listener;
    private final Tally<DatagramCounter> counters;

    private @Nullable DatagramLowerLayer lower;

    /** Destinations with operations that are not complete. */
    private final List<DatagramDestination> busy = new ArrayList<>();

    /** UD: operations passed completely to the lower layer, which has not sent them yet. */
    private final OperationList inTransmission = new OperationList();

    private long polled;
    private long transmitted;

    SendEnds(EndpointCore core, OperationPool<DatagramOperation> pool, OutstandingReads reads, PeerTurns turns) {
        this.pool = pool;
        this.reads = reads;
        this.turns = turns;
        this.core = core;
        reliable = core.reliable;
        records = core.records;
        listener = core.listener;
        counters = core.counters;
    }

    void attached(DatagramLowerLayer below) {
        lower = below;
    }

    // ---- sending

    /** Registers an operation taken from the pool. */
    void taken(DatagramOperation op) {
        DatagramDestination to = op.destination();
        if (to.pending++ == 0) {
            to.busyAt = busy.size();
            busy.add(to);
        }
    }

    /**
     * Moves the last destination to the free index, so a loop from the last index to the first still visits every
     * destination.
     */
    private void leave(DatagramDestination to) {
        DatagramDestination last = busy.remove(busy.size() - 1);
        if (last != to) {
            last.busyAt = to.busyAt;
            busy.set(to.busyAt, last);
        }
    }

    /** Counts segments, one or more, passed to the lower layer. */
    void polled(DatagramOperation op, int count) {
        polled += count;
        op.polledAt = polled;
    }

    /** All segments are passed to the lower layer. */
    void allPolled(DatagramOperation op) {
        if (reliable) {
            op.destination().unaccepted().append(op);
        } else if (op.read == null) {
            inTransmission.append(op);
        }
    }

    // ---- completing

    /** UD: the lower layer has passed everything polled so far to the network. */
    void transmitted() {
        if (reliable) {
            return;
        }
        transmitted = polled;
        DatagramOperation op = inTransmission.poll();
        while (op != null) {
            complete(op);
            op = inTransmission.poll();
        }
    }

    /**
     * RD: the peer has accepted {@code count} more segments. Once all are accepted, a Send or Write is complete
     * (DG-11.5-1), but not a Read (DG-11.5-2).
     */
    void accepted(DatagramOperation op, int count, long nowNanos) {
        op.accepted += count;
        if (op.segments == 0 || op.accepted < op.segments) {
            return;
        }
        if (op.destination().hasUnaccepted()) {
            op.destination().unaccepted().remove(op);
        }
        OutstandingRead read = op.read;
        if (op.progress != Progress.AWAITING_RESPONSE) {
            complete(op);
        } else if (read != null) {
            requested(read, nowNanos); // §11.5 (DG-11.5-4): the time limit begins only now
        }
    }

    /**
     * Starts the time limit of a Read: UD when the request is passed to the lower layer, RD when the peer has accepted
     * it.
     */
    void requested(OutstandingRead read, long nowNanos) {
        reads.expect(read, core.settings.readNanos(read.size), nowNanos);
    }

    /** Ends a Read; an incomplete response is reported with the record of its parts. */
    void readEnded(OutstandingRead read, OperationStatus status) {
        DatagramOperation op = Objects.requireNonNull(read.operation);
        MessageRecord record = read.record;
        reads.remove(read);
        op.read = null;
        op.destination().reads--;
        turns.again(); // another Read may have waited for this one
        if (op.destination().hasAgain()) {
            op.destination().again().remove(op);
        }
        if (record != null && (status == OperationStatus.SUCCESS || record.validBytes() == 0)) {
            records.give(record);
        } else if (record != null) {
            record.status = status;
            op.record = record;
        }
        end(op, status);
    }

    /** Ends an operation, which completes as soon as the lower layer holds none of its segments. */
    private void end(DatagramOperation op, OperationStatus status) {
        op.status = status;
        op.progress = Progress.ENDED;
        if (reliable ? op.accepted < op.sent : op.polledAt > transmitted && op.sent > 0) {
            if (!reliable) {
                inTransmission.append(op);
            }
            return;
        }
        complete(op);
    }

    private void complete(DatagramOperation op) {
        DatagramDestination to = op.destination();
        listener.sendCompleted(op, op.status, op.record);
        op.clear();
        pool.release(op);
        if (--to.pending == 0) {
            leave(to);
        }
    }

    // ---- failing

    /** Fails the operation at the head of a destination's queue, which cannot be sent completely. */
    void fault(DatagramOperation op, OperationStatus status, long nowNanos) {
        counters.count(DatagramCounter.LOCAL_FAULTS);
        DatagramDestination to = op.destination();
        if (reliable && op.sent > 0) {
            // datagram-iWARP §11: the peer has part of the message, so the channel cannot continue.
            op.status = status;
            to.queue.poll();
            to.unaccepted().append(op);
            Objects.requireNonNull(lower).abandon(to.peer(), nowNanos);
            return;
        }
        to.queue.remove(op);
        end(op, status);
    }

    /** Fails an operation whose datagram the kernel refuses. */
    void unsendable(DatagramOperation op, long nowNanos) {
        counters.count(DatagramCounter.UNSENDABLE);
        OutstandingRead read = op.read;
        if (op.progress == Progress.ENDED || op.progress == Progress.DONE) {
            return;
        }
        if (reliable) {
            op.status = OperationStatus.LOC_LEN_ERR;
            Objects.requireNonNull(lower).abandon(op.destination().peer(), nowNanos);
        } else if (read != null) {
            readEnded(read, OperationStatus.LOC_LEN_ERR);
        } else if (op.progress == Progress.SENDING) {
            op.destination().queue.remove(op);
            end(op, OperationStatus.LOC_LEN_ERR);
        } else {
            op.status = OperationStatus.LOC_LEN_ERR;
        }
    }

    /**
     * RD: the channel with a peer has ended. Operations sent and not accepted fail, and if {@code all}, unsent ones
     * too. An operation that failed earlier keeps its own status.
     *
     * <p>datagram-iWARP §11.6: if the peer refused a message, unsent operations are flushed; if the peer is silent, all
     * operations fail.
     *
     * @return whether anything failed
     */
    boolean channelLost(DatagramPeer peer, OperationStatus status, boolean all) {
        boolean any = false;
        for (int i = busy.size() - 1; i >= 0; i--) {
            DatagramDestination to = busy.get(i);
            if (to.is(peer.address(), peer.queuePairNumber())) {
                any |= lose(to, status, all);
            }
        }
        return any;
    }

    private boolean lose(DatagramDestination to, OperationStatus status, boolean all) {
        boolean any = false;
        DatagramOperation op = to.hasUnaccepted() ? to.unaccepted().poll() : null;
        while (op != null) {
            any = true;
            lose(op, status);
            op = to.unaccepted().poll();
        }
        OutstandingRead read = to.reads == 0 ? null : reads.any(each -> isTo(each, to));
        while (read != null) {
            any = true;
            lose(Objects.requireNonNull(read.operation), status);
            read = to.reads == 0 ? null : reads.any(each -> isTo(each, to));
        }
        op = to.queue.first();
        while (op != null && (all || op.sent > 0)) {
            any = true;
            to.queue.poll();
            lose(op, op.sent > 0 || unanswered(status) ? status : OperationStatus.WR_FLUSH_ERR);
            op = to.queue.first();
        }
        return any;
    }

    private static boolean isTo(OutstandingRead read, DatagramDestination to) {
        return read.operation != null && read.operation.destination() == to;
    }

    private static boolean unanswered(OperationStatus status) {
        return status == OperationStatus.RETRY_EXC_ERR || status == OperationStatus.RNR_RETRY_EXC_ERR;
    }

    private void lose(DatagramOperation op, OperationStatus status) {
        OperationStatus own = op.status == OperationStatus.SUCCESS ? status : op.status;
        // The lower layer has dropped all segments of the operation.
        op.accepted = op.sent;
        OutstandingRead read = op.read;
        if (read != null) {
            readEnded(read, own);
        } else if (op.progress == Progress.ENDED) {
            complete(op);
        } else {
            end(op, own);
        }
    }

    private static boolean withoutMemory(OutstandingRead read) {
        return read.operation != null && !read.operation.memory().valid();
    }

    /**
     * DG-15-2: fails all operations with deregistered memory; those held by the lower layer complete when it releases
     * them.
     */
    void failWithoutMemory(long nowNanos) {
        OutstandingRead read = reads.any(SendEnds::withoutMemory);
        while (read != null) {
            counters.count(DatagramCounter.LOCAL_FAULTS);
            readEnded(read, OperationStatus.LOC_PROT_ERR);
            read = reads.any(SendEnds::withoutMemory);
        }
        int i = busy.size() - 1;
        while (i >= 0) {
            // A failure may remove this destination and (through its channel) others from the list, so the loop
            // restarts.
            i = failWithoutMemory(busy.get(i), nowNanos) ? busy.size() - 1 : i - 1;
        }
    }

    /** {@return whether anything failed} */
    private boolean failWithoutMemory(DatagramDestination to, long nowNanos) {
        boolean any = false;
        DatagramOperation op = to.queue.first();
        while (op != null) {
            DatagramOperation following = to.queue.after(op);
            if (!op.memory().valid()) {
                fault(op, OperationStatus.LOC_PROT_ERR, nowNanos);
                any = true;
            }
            op = following;
        }
        boolean lost = false;
        for (op = to.hasUnaccepted() ? to.unaccepted().first() : null;
                op != null;
                op = to.unaccepted().after(op)) {
            // datagram-iWARP §11: the operation may have to be sent again, but cannot be.
            if (op.status == OperationStatus.SUCCESS && !op.memory().valid()) {
                op.status = OperationStatus.LOC_PROT_ERR;
                lost = true;
            }
        }
        if (lost) {
            Objects.requireNonNull(lower).abandon(to.peer(), nowNanos);
        }
        return any || lost;
    }

    /**
     * Flushes all operations. With RD the lower layer no longer holds any segment.
     *
     * @param gone true if the lower layer no longer holds segments of UD either
     */
    void flush(boolean gone) {
        for (int i = busy.size() - 1; i >= 0; i--) {
            lose(busy.get(i), OperationStatus.WR_FLUSH_ERR, true);
        }
        if (gone) {
            transmitted();
        }
    }
}
