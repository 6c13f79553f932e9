package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.ReceivedDatagram;

/**
 * Reports ended Write-Records to the listener; records wait in order while the completion queue is full (datagram-iWARP
 * §13). Owner thread only; allocates nothing.
 */
final class RecordLog {
    private static final long EVENT_EVERY_NANOS = 1_000_000_000L;

    private final EndpointCore core;
    private final DatagramListener listener;
    private final DatagramEvent event;
    private final int limit;
    /** The records that wait for the completion queue. */
    private final LinkedPlaces<ListPlace<MessageRecord>> records = new LinkedPlaces<>();

    private boolean told;
    private long toldAt;

    /** Whether records wait; read by other threads, which then ring the doorbell. */
    private volatile boolean waiting;

    RecordLog(EndpointCore core) {
        this.core = core;
        listener = core.listener;
        event = core.event;
        limit = core.settings.count(DatagramLimit.WRITE_RECORD_LOG);
    }

    /** Any thread: recent values. */
    void limits(LimitSink sink) {
        sink.limit(DatagramLimit.WRITE_RECORD_LOG.key(), records.size(), limit);
    }

    /** {@return whether the log is full, so that no further Write-Record may begin} */
    boolean full() {
        return records.size() >= limit;
    }

    /** {@return whether records wait for the completion queue} Any thread. */
    boolean waiting() {
        return waiting;
    }

    /**
     * Reports a Write-Record dropped for lack of a record or log entry.
     *
     * @param unreleased true if the program holds all records, false if the log is full
     */
    void dropped(ReceivedDatagram datagram, boolean unreleased, long nowNanos) {
        if (!told || nowNanos - toldAt >= EVENT_EVERY_NANOS) {
            told = true;
            toldAt = nowNanos;
            listener.event(event.set(
                    DatagramEvent.Kind.RECORDS_DROPPED,
                    datagram,
                    null,
                    unreleased
                            ? "Write-Records are dropped: too many completions were taken and not released; release"
                                    + " them, or poll into the same objects again"
                            : "Write-Records are dropped: too many completions wait for a place in the completion"
                                    + " queue"));
        }
    }

    /** Reports an ended record, now or when the completion queue has space. */
    void tell(MessageRecord record) {
        if (records.first() == null && listener.writeRecorded(record)) {
            return;
        }
        records.add(record.inPool);
        waiting = true;
        // The completion queue may have been freed in between without a notification, because no record waited yet.
        offer();
    }

    /** Offers the waiting records again. */
    void offer() {
        ListPlace<MessageRecord> place = records.first();
        while (place != null && listener.writeRecorded(place.of)) {
            records.remove(place);
            core.freed++;
            place = records.first();
        }
        if (waiting != (place != null)) { // the write is a fence, and seldom changes anything
            waiting = place != null;
        }
    }
}
