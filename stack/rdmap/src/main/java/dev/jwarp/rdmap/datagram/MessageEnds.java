package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.ReceiveOperation;
import java.util.Objects;

/**
 * Ends the messages of peers, Sends and Write-Records: each ends once, is reported once, and is remembered as ended for
 * a while (datagram-iWARP §7). Reports keep the order of the ends (DG-7-12). Owner thread only; allocates nothing.
 */
final class MessageEnds {
    private final EndpointCore core;
    private final boolean reliable;
    private final SeenMessages seen;
    private final ReceiveHead receives;
    private final RecordLog log;
    private final RecordPool pool;
    private final ValiditySlab slab;
    private final Tally<DatagramCounter> counters;

    MessageEnds(EndpointCore core, SeenMessages seen, ReceiveHead receives, RecordLog log) {
        this.seen = seen;
        this.receives = receives;
        this.log = log;
        this.core = core;
        reliable = core.reliable;
        pool = core.records;
        slab = core.slab;
        counters = core.counters;
    }

    /**
     * {@return whether a message is remembered as ended} Check 16; always false over a reliable channel, which delivers
     * no duplicates.
     */
    boolean ended(boolean single, long hash, long nowNanos) {
        return !reliable && set(single).contains(hash, nowNanos);
    }

    /** Remembers a message as ended (DG-5.3-1). */
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

    /** Completes the receive of a Send of one segment, with solicited event or without (DG-7-13). */
    void sendReceived(ReceiveOperation receive, InboundSegment in) {
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

    /** Completes a message whose record is closed. */
    void ended(MessageRecord record, OperationStatus status, long nowNanos) {
        // Incomplete messages too (DG-7-8): their late segments must not hold a receive again.
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
        if (!whole && (core.settings.get(DatagramLimit.REPORT_INCOMPLETE) == 0 || status == OperationStatus.ABORTED)) {
            // datagram-iWARP §7 (DG-7-3): RECYCLE completes nothing, and the receive becomes the head again.
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
}
