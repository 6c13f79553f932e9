package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.Nullable;

/** Open records by age, the oldest first: of one pool, or of one source. The links stand in the records. Owner thread only. */
final class RecordList {
    static final int LANES = 2;
    static final int OF_POOL = 0;
    static final int OF_SOURCE = 1;

    private final int lane;
    private @Nullable MessageRecord first;
    private @Nullable MessageRecord last;
    private int size;

    RecordList(int lane) {
        this.lane = lane;
    }

    @Nullable
    MessageRecord first() {
        return first;
    }

    @Nullable
    MessageRecord after(MessageRecord record) {
        return record.after[lane];
    }

    int size() {
        return size;
    }

    void append(MessageRecord record) {
        MessageRecord end = last;
        record.before[lane] = end;
        record.after[lane] = null;
        if (end == null) {
            first = record;
        } else {
            end.after[lane] = record;
        }
        last = record;
        size++;
    }

    void remove(MessageRecord record) {
        MessageRecord before = record.before[lane];
        MessageRecord after = record.after[lane];
        if (before == null) {
            first = after;
        } else {
            before.after[lane] = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before[lane] = before;
        }
        record.before[lane] = null;
        record.after[lane] = null;
        size--;
    }
}
