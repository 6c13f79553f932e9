package dev.jwarp.rnic.completion;

import dev.jwarp.ddp.datagram.SegmentMap;
import dev.jwarp.rdmap.datagram.MessageRecord;

/** The validity map of a message record, for programs. {@link #run} releases the record. One object per record. */
final class RecordValidity implements dev.jwarp.verbs.ValidityMap, Runnable {
    private final MessageRecord record;

    private RecordValidity(MessageRecord record) {
        this.record = record;
    }

    static RecordValidity of(MessageRecord record) {
        if (record.note() instanceof RecordValidity made) {
            return made;
        }
        RecordValidity made = new RecordValidity(record);
        record.note(made);
        return made;
    }

    private SegmentMap map() {
        return record.map();
    }

    @Override
    public long length() {
        return map().length();
    }

    @Override
    public long validBytes() {
        return map().validBytes();
    }

    @Override
    public long nextValid(long offset) {
        return map().nextValid(offset);
    }

    @Override
    public long nextMissing(long offset) {
        return map().nextHole(offset);
    }

    @Override
    public int granule() {
        return map().segmentSize();
    }

    @Override
    public int copyTo(long[] words) {
        return map().copyTo(words);
    }

    @Override
    public void run() {
        record.release();
    }

    @Override
    public String toString() {
        return map().toString();
    }
}
