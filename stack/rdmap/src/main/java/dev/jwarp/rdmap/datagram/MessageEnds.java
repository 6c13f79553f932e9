package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.datagram.SegmentShape;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.ReceiveOperation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How messages of peers end, Sends and Write-Records alike: each once, told once, and known for a while as ended
 * (datagram-iWARP §7), in the order of their ends (DG-7-12). Owner thread only; allocates nothing.
 */
final class MessageEnds implements Records.End {
    private final boolean reliable;
    private final SeenMessages seen;
    private final ReceiveHead receives;
    private final RecordLog log;
    private final RecordPool pool;
    private final ValiditySlab slab;
    private final Tally<DatagramCounter> counters;
    private boolean reportIncomplete;

    MessageEnds(EndpointCore core, SeenMessages seen, ReceiveHead receives, RecordLog log) {
        this.seen = seen;
        this.receives = receives;
        this.log = log;
        reliable = core.reliable;
        pool = core.records;
        slab = core.slab;
        counters = core.counters;
    }

    void settings(DatagramSettings settings) {
        reportIncomplete = settings.get(DatagramLimit.REPORT_INCOMPLETE) != 0;
    }

    /** {@return whether a message is known as ended} Check 16; never over a reliable channel, which repeats nothing. */
    boolean ended(boolean single, long hash, long nowNanos) {
        return !reliable && set(single).contains(hash, nowNanos);
    }

    /** From now on a message is known as ended (DG-5.3-1). */
    void enter(boolean single, long hash, long nowNanos) {
        if (!reliable) {
            SeenSet set = set(single);
            set.add(hash, nowNanos);
            if (set.takeFlippedEarly()) {
                counters.count(DatagramCounter.SEEN_EARLY);
            }
        }
    }

    private SeenSet set(boolean single) {
        return single ? seen.single() : seen.several();
    }

    /** A Send of a single segment, with solicited event or without (DG-7-13), is in its receive. */
    void sendReceived(ReceiveOperation receive, Inbound in) {
        Shim shim = in.shim();
        receives.receipt()
                .set(
                        in.source(),
                        shim.sourceQpn(),
                        shim.messageLength(),
                        in.opcode == RdmapOpcode.SEND_WITH_SE.code(),
                        shim.group());
        receives.complete(receive, OperationStatus.SUCCESS);
    }

    /**
     * A Write-Record of a single segment is to be placed.
     *
     * @return its record, or null if there is no room to tell of it
     */
    @Nullable
    MessageRecord single(Inbound in) {
        MessageRecord record = pool.take();
        if (record != null) {
            record.about(in.datagram(), in.opcode);
            record.state = MessageRecord.State.ENDED;
            record.map.whole(record.length);
        }
        return record;
    }

    /** Tells of a Write-Record of a single segment. */
    void recorded(MessageRecord record) {
        record.status = OperationStatus.SUCCESS;
        log.tell(record);
    }

    /** A segment is placed: notes it, and ends its message if that was the last one missing (DG-7-1). */
    void placed(Records records, MessageRecord record, SegmentShape shape, long nowNanos) {
        record.map.place(shape.index());
        if (record.map.isComplete()) {
            records.end(record, OperationStatus.SUCCESS, nowNanos);
        } else if (!reliable) {
            records.touch(record, nowNanos);
        }
    }

    @Override
    public void ended(MessageRecord record, OperationStatus status, long nowNanos) {
        // Also those that are given up (DG-7-8): what still comes of them must not hold a receive again.
        enter(false, record.hash, nowNanos);
        record.status = status;
        if (record.writeRecord()) {
            record.map.seal(slab);
            log.tell(record);
        } else {
            sendEnded(record, Objects.requireNonNull(record.receive), status);
        }
    }

    private void sendEnded(MessageRecord record, ReceiveOperation receive, OperationStatus status) {
        record.receive = null;
        if (!receive.memory().valid()) {
            pool.give(record);
            receives.fail(receive, OperationStatus.LOC_PROT_ERR);
            return;
        }
        boolean whole = status == OperationStatus.SUCCESS;
        if (!whole && (!reportIncomplete || status == OperationStatus.ABORTED)) {
            // datagram-iWARP §7 (DG-7-3): RECYCLE, there is no completion, and the receive is the head again.
            pool.give(record);
            receives.putBack(receive);
            return;
        }
        DatagramReceipt receipt = receives.receipt();
        receipt.set(
                record.source,
                record.sourceQpn,
                record.length,
                record.opcode == RdmapOpcode.SEND_WITH_SE.code(),
                record.group);
        if (whole) {
            pool.give(record);
            receives.complete(receive, OperationStatus.SUCCESS);
        } else {
            // datagram-iWARP §7 (DG-7-4): REPORT.
            record.status = OperationStatus.INCOMPLETE;
            receipt.incomplete(record.validBytes(), record);
            receives.complete(receive, OperationStatus.INCOMPLETE);
        }
    }

    /** {@return whether there is no record left, as completions are not released} */
    boolean unreleased() {
        return pool.exhausted();
    }

    /** Gives a record back that was never told of. */
    void discard(MessageRecord record) {
        pool.give(record);
    }
}
