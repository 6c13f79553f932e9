package dev.jwarp.rdmap.datagram;

/**
 * RD: whether a segment was told to wait for room (a record, a place in the log, a job), and whether some has been made
 * since: only then is it worth to offer the segment again. Owner thread only, but for {@link #waiting}.
 */
final class RoomWanted {
    private final boolean reliable;
    private final Records records;
    private final ReadJobs jobs;
    private final RecordLog log;
    private final RecordPool pool;
    private volatile boolean waiting;
    private long before;

    RoomWanted(boolean reliable, Records records, ReadJobs jobs, RecordLog log, RecordPool pool) {
        this.reliable = reliable;
        this.records = records;
        this.jobs = jobs;
        this.log = log;
        this.pool = pool;
    }

    /** A segment has to wait. */
    void refused() {
        waiting = reliable;
        before = given();
    }

    /** {@return whether a segment waits} Any thread. */
    boolean waiting() {
        return waiting;
    }

    /** {@return true once, if a segment waits and something has been given back since} */
    boolean made() {
        if (!waiting || given() == before) {
            return false;
        }
        waiting = false;
        return true;
    }

    /** {@return a number that changes when something is given back that a segment can wait for} */
    private long given() {
        return records.closed() + jobs.ended() + log.offered() + pool.given();
    }
}
