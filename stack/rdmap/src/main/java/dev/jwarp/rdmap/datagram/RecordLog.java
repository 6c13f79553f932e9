package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import org.jspecify.annotations.Nullable;

/**
 * Tells of Write-Records that have ended; those for which the listener has no place wait in order (datagram-iWARP §13).
 * Owner thread only; allocates nothing.
 */
final class RecordLog {
    private static final long EVENT_EVERY_NANOS = 1_000_000_000L;

    private final DatagramListener listener;
    private final DatagramEvent event;
    private final int limit;
    private @Nullable MessageRecord first;
    private @Nullable MessageRecord last;
    private int size;
    private long offered;
    private boolean told;
    private long toldAt;

    /** Whether some wait; for other threads, who then ring. */
    private volatile boolean waiting;

    RecordLog(EndpointCore core) {
        listener = core.listener;
        event = core.event;
        limit = core.settings.count(DatagramLimit.WRITE_RECORD_LOG);
    }

    /** Any thread: recent values. */
    void limits(LimitSink sink) {
        sink.limit(DatagramLimit.WRITE_RECORD_LOG.key(), size, limit);
    }

    /** {@return whether nothing more may be begun that would have to be told} */
    boolean full() {
        return size >= limit;
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
                    datagram.source(),
                    datagram.shim().sourceQpn(),
                    datagram.shim().messageId(),
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
        if (first == null && listener.writeRecorded(record)) {
            return;
        }
        record.link = null;
        MessageRecord end = last;
        if (end == null) {
            first = record;
        } else {
            end.link = record;
        }
        last = record;
        size++;
        waiting = true;
        // A place that was freed in between has not been heard of: no receive was waiting yet.
        offer();
    }

    /** {@return how many that had to wait have found a place} */
    long offered() {
        return offered;
    }

    /** Offers those who wait again. */
    void offer() {
        MessageRecord record = first;
        while (record != null) {
            // Taken before it is offered: the link is the listener's from then on.
            MessageRecord following = record.link;
            record.link = null;
            if (!listener.writeRecorded(record)) {
                record.link = following;
                break;
            }
            offered++;
            size--;
            record = following;
        }
        first = record;
        if (record == null) {
            last = null;
            waiting = false;
        }
    }
}
