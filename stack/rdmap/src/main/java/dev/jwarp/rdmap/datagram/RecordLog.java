package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.ReceivedDatagram;

/**
 * Tells of Write-Records that have ended; those for which the listener has no place wait in order (datagram-iWARP §13).
 * Owner thread only; allocates nothing.
 */
final class RecordLog {
    private static final long EVENT_EVERY_NANOS = 1_000_000_000L;

    private final EndpointCore core;
    private final DatagramListener listener;
    private final DatagramEvent event;
    private final int limit;
    /** Those that wait for a place. */
    private final LinkedPlaces<ListPlace<MessageRecord>> records = new LinkedPlaces<>();

    private boolean told;
    private long toldAt;

    /** Whether some wait; for other threads, who then ring. */
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

    /** {@return whether nothing more may be begun that would have to be told} */
    boolean full() {
        return records.size() >= limit;
    }

    /** {@return whether completions wait for a place} Any thread. */
    boolean waiting() {
        return waiting;
    }

    /**
     * A Write-Record was dropped: there is no room to tell of it.
     *
     * @param unreleased whether the program holds all there is, else the log is full
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

    /** Tells of a record that has ended, now or when there is a place. */
    void tell(MessageRecord record) {
        if (records.first() == null && listener.writeRecorded(record)) {
            return;
        }
        records.add(record.inPool);
        waiting = true;
        // The listener may have got a place in between, and has said so to no one: nothing waited yet.
        offer();
    }

    /** Offers again those that wait. */
    void offer() {
        ListPlace<MessageRecord> place = records.first();
        while (place != null && listener.writeRecorded(place.of)) {
            records.remove(place);
            core.freed++;
            place = records.first();
        }
        waiting = place != null;
    }
}
