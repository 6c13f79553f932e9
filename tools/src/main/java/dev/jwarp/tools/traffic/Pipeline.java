package dev.jwarp.tools.traffic;

import dev.jwarp.tools.traffic.TrafficLoad.Operation;
import dev.jwarp.tools.traffic.TrafficLoad.Telling;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Traffic of bandwidth tests: many messages in flight, in one direction or both. The receiving end sends counts of
 * taken messages, so that no Send finds an empty receive queue, and no datagram a full socket. The steady state
 * allocates nothing. One thread.
 */
public final class Pipeline implements Traffic {
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long TELL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long LONGEST = 3_600_000_000_000L;
    private static final int QUESTIONS = 0xffff;

    private final TrafficEnd end;
    private final Onlooker watch;
    private final List<Lane> lanes;
    private final boolean datagrams;
    private final boolean unreliable;
    private final boolean fetches;
    /** Whether the other end sends counts of taken messages. */
    private final boolean told;
    /** Whether it sends counts by Sends. */
    private final boolean notes;

    private final Histogram latencies = new Histogram(LONGEST, 3);
    private final PeakPace pace = new PeakPace();
    private int size;
    private int depth;
    private int window;
    private int every;
    private int list;
    private int moderation;
    private int places;
    private boolean fills;
    private boolean timed;
    private double gap;
    private int flushes;
    private long lostReads;
    private long lastTaken;

    /** @param end an end that knows the other end's place */
    public Pipeline(TrafficEnd end, Onlooker watch) {
        this.end = end;
        this.watch = watch;
        lanes = end.lanes();
        TrafficLoad load = end.load();
        datagrams = load.datagrams();
        unreliable = load.service() == QueuePairType.UD;
        fetches = load.operation().fetches();
        told = !fetches && (datagrams || load.operation() == Operation.SEND);
        notes = load.telling() == Telling.SEND;
    }

    @Override
    public void prepare(Rhythm rhythm) {
        size = rhythm.size();
        depth = rhythm.depth();
        window = told ? rhythm.window() : Integer.MAX_VALUE;
        every = rhythm.every();
        list = rhythm.list();
        moderation = rhythm.moderation();
        gap = rhythm.gap() * lanes.size();
        fills = rhythm.fills();
        timed = rhythm.timed();
        TrafficLoad load = end.load();
        places = load.operation() == Operation.WRITE ? Math.max(1, load.page() / size) : 1;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            lane.prepare(list, depth);
            for (int j = 0; j < list; j++) {
                end.fill(lane.request(j), lane, size);
            }
            lane.hear(end.heard(lane), 0);
            if (unreliable) {
                lane.giveUp();
            }
        }
    }

    @Override
    public Moved run(long iterations, long nanos) {
        latencies.reset();
        lostReads = 0;
        flushes = 0;
        long before = posted();
        long unheardBefore = unheard();
        long start = System.nanoTime();
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            lane.began = lane.posted;
            lane.target = iterations > 0 ? lane.posted + iterations : Long.MAX_VALUE;
            lane.due = start + gap * i / lanes.size();
            lane.heardAt = start;
        }
        pace.begin(start);
        long stopped = move(before, start, iterations > 0 ? Long.MAX_VALUE : start + nanos);
        long sent = posted() - before;
        long lost = lostReads + Math.max(0, unheard() - unheardBefore);
        return new Moved(sent - lost, lost, stopped - start, pace.fastest());
    }

    /**
     * Posts all messages, and waits until they are complete.
     *
     * @return the time of that
     */
    private long move(long before, long start, long until) {
        boolean posting = true;
        long last = start;
        long now = start;
        while (true) {
            if (timed) {
                now = System.nanoTime();
            }
            if (posting && (now - until >= 0 || watch.stop() || allPosted())) {
                posting = false;
                finishPosting();
            }
            if (posting) {
                postAll(now);
            }
            int count = gap > 0 ? end.look() : end.poll();
            now = System.nanoTime();
            take(count, now, true);
            boolean looked = watch.look(now, false);
            if (looked) {
                slice(now, before);
            }
            if (told) {
                last = hearAll(now, last);
            } else if (count > 0) {
                last = now;
            }
            if (count == 0 || looked) {
                tellTheRest(now);
            }
            if (!posting && isDone(now)) {
                return datagrams && last != start ? last : now;
            }
        }
    }

    private void postAll(long now) {
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            while (post(lane, now) && fills) {
                // until there is no room
            }
        }
    }

    private boolean allPosted() {
        for (int i = 0; i < lanes.size(); i++) {
            if (lanes.get(i).posted < lanes.get(i).target) {
                return false;
            }
        }
        return true;
    }

    /**
     * Ends the posting. Over a connection the answer to a last request shows that all messages were placed; over
     * datagrams the other end is asked.
     */
    private void finishPosting() {
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            if (!datagrams) {
                end.flush(lane);
            } else if (told && notes) {
                ask(lane, System.nanoTime());
            }
        }
    }

    /**
     * Asks the other end for its count, again and again until there is an answer. No messages are posted until then.
     */
    private void ask(Lane lane, long now) {
        if (!lane.asked) {
            lane.asked = true;
            lane.question = (lane.question + 1) & QUESTIONS;
        }
        lane.heardAt = now;
        end.tell(lane);
    }

    /**
     * {@return whether messages in flight were given up after a long time without a count} An end that can ask gives up
     * only after an answer.
     */
    private boolean gaveUp(Lane lane, long now) {
        if (!unreliable || !lane.quiet(now)) {
            return false;
        }
        if (notes) {
            ask(lane, now);
            return false;
        }
        lane.heardAt = now;
        lane.giveUp();
        return true;
    }

    private boolean isDone(long now) {
        if (!datagrams) {
            return flushes == lanes.size();
        }
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            if (told ? lane.underWay() > 0 && !gaveUp(lane, now) : lane.completed < lane.posted) {
                return false;
            }
        }
        return true;
    }

    /** @return whether anything was posted */
    private boolean post(Lane lane, long now) {
        long room = Math.min(depth - (lane.posted - lane.completed), lane.target - lane.posted);
        if (told) {
            long free = window - lane.underWay();
            if (lane.asked || (free < list && free < lane.target - lane.posted && !gaveUp(lane, now))) {
                return false;
            }
            // Messages that the other end has taken occupy no place of the send queue, even without completions.
            room = Math.min(room, free);
        }
        int count = (int) Math.min(room, list);
        if (count <= 0 || (count < list && count < lane.target - lane.posted)) {
            return false;
        }
        long when = now;
        if (gap > 0) {
            if (now < lane.due) {
                return false;
            }
            when = (long) lane.due;
            lane.due += gap;
        }
        long first = lane.posted;
        long mark = (long) lane.index << TrafficEnd.LANE_SHIFT;
        for (int i = 0; i < count; i++) {
            long number = first + 1 + i;
            boolean signaled = (number - lane.began) % moderation
                    == 0; // the last message of a list, if the list has so many messages
            SendWorkRequest request = lane.request(i).id(mark | number).signaled(signaled);
            if (places > 1) {
                end.aim(request, lane, (int) (number % places) * size);
            }
            if (signaled && timed) {
                lane.time(number, when);
            }
        }
        int posted = lane.pair.postSend(lane.list(), count);
        lane.posted += posted;
        if (gap > 0 && posted == 0) {
            lane.due -= gap;
        }
        return posted > 0;
    }

    private void take(int count, long now, boolean leads) {
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = end.batch[i];
            Lane lane = end.laneOf(completion);
            if (!completion.succeeded()) {
                unsuccessful(lane, completion);
            } else if (completion.opcode().isReceive()) {
                taken(lane, completion, now, leads);
            } else if ((completion.id() & TrafficEnd.FLUSH) != 0) {
                lane.completed = lane.posted;
                flushes++;
            } else {
                long number = completion.id() & TrafficEnd.NUMBER;
                lane.completed = moderation == 1 && datagrams ? lane.completed + 1 : Math.max(lane.completed, number);
                if (leads && timed) {
                    latencies.recordValue(Math.min(Math.max(0, now - lane.time(number)), LONGEST));
                }
            }
        }
    }

    private void taken(Lane lane, WorkCompletion completion, long now, boolean leads) {
        if (completion.opcode() != WorkCompletionOpcode.RECV) {
            boolean note = end.isNote(completion);
            completion.release();
            if (note) {
                return;
            }
        } else {
            boolean note = notes && completion.byteLength() == TrafficEnd.WORD;
            int question = note ? end.note(lane) : 0;
            end.postReceive(lane);
            if (note) {
                noted(lane, question, now, leads);
                return;
            }
        }
        lane.taken++;
        lastTaken = now;
        if (lane.taken - lane.told >= every) {
            tell(lane);
        }
    }

    /**
     * Handles a note. The serving end answers a question. The leading end has its answer: messages that are not counted
     * are lost.
     */
    private void noted(Lane lane, int question, long now, boolean leads) {
        if (!leads) {
            lane.question = question;
            tell(lane);
        } else if (question == lane.question && lane.asked) {
            lane.asked = false;
            lane.hear(end.heard(lane), now);
            lane.giveUp();
        }
    }

    private void tell(Lane lane) {
        if (end.tell(lane)) {
            lane.told = lane.taken;
        }
    }

    private void unsuccessful(Lane lane, WorkCompletion completion) {
        switch (completion.status()) {
            case INCOMPLETE, EVICTED -> {
                completion.release();
                end.postReceive(lane);
            }
            case PARTIAL, RESP_TIMEOUT_ERR, ABORTED -> {
                completion.release();
                if (completion.opcode() == WorkCompletionOpcode.RDMA_READ && datagrams) {
                    lane.completed++;
                    lostReads++;
                } else if (!datagrams) {
                    throw watch.why(completion);
                }
            }
            default -> throw watch.why(completion);
        }
    }

    private void tellTheRest(long now) {
        if (now - lastTaken < TELL_NANOS) {
            return;
        }
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            if (lane.taken != lane.told) {
                tell(lane);
            }
        }
    }

    /** {@return the time of the latest arrival of a count} */
    private long hearAll(long now, long last) {
        long latest = last;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            long before = lane.heard;
            lane.hear(end.heard(lane), now);
            if (lane.heard != before) {
                latest = now;
            }
        }
        return latest;
    }

    /** Reports progress, and measures the pace since the last look. */
    private void slice(long now, long before) {
        long moved = -before;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            moved += told ? lane.heard + lane.lost : lane.completed;
        }
        moved = Math.max(0, moved);
        watch.moved(moved);
        pace.moved(moved, now);
    }

    @Override
    public void serve() {
        long before = taken();
        while (!watch.otherIsDone()) {
            int count = end.poll();
            long now = System.nanoTime();
            take(count, now, false);
            if (watch.look(now, count == 0) && told) {
                watch.moved(taken() - before);
            }
            if (count == 0) {
                tellTheRest(now);
            }
        }
    }

    /** Waits a short time for datagrams in flight; over a connection everything has arrived already. */
    @Override
    public void settle() {
        long now = System.nanoTime();
        lastTaken = datagrams ? now : now - SETTLE_NANOS;
        for (int count = end.look(); count > 0 || now - lastTaken < SETTLE_NANOS; count = end.look()) {
            now = System.nanoTime();
            take(count, now, false);
        }
    }

    @Override
    public void idle() {
        int count = end.look();
        long now = System.nanoTime();
        take(count, now, false);
        if (count == 0) {
            tellTheRest(now);
        }
    }

    /** {@return datagram messages that the other end has not counted yet} */
    private long unheard() {
        long sum = 0;
        for (int i = 0; i < lanes.size() && told && datagrams; i++) {
            sum += lanes.get(i).posted - lanes.get(i).heard;
        }
        return sum;
    }

    private long posted() {
        long sum = 0;
        for (int i = 0; i < lanes.size(); i++) {
            sum += lanes.get(i).posted;
        }
        return sum;
    }

    @Override
    public boolean counts() {
        return told;
    }

    @Override
    public long taken() {
        long sum = 0;
        for (int i = 0; i < lanes.size(); i++) {
            sum += lanes.get(i).taken;
        }
        return sum;
    }

    @Override
    public Histogram latencies() {
        return latencies;
    }

    /** The peak rate of messages. It is measured between two looks at which messages have moved. */
    private static final class PeakPace {
        private static final double NANOS = 1e9;

        private long since;
        private long before;
        private double fastest;

        void begin(long now) {
            since = now;
            before = 0;
            fastest = 0;
        }

        /** Counts messages that have moved since the beginning. */
        void moved(long messages, long now) {
            if (messages > before && now > since) {
                fastest = Math.max(fastest, (messages - before) / ((now - since) / NANOS));
                before = messages;
                since = now;
            }
        }

        /** {@return messages per second} */
        double fastest() {
            return fastest;
        }
    }
}
