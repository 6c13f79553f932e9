package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.base.Share;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.Tally;
import dev.jwarp.base.TimerHeap;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.MessageSources.MessageSource;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The peers' Reads being answered, within limits (datagram-iWARP §8). At the limit, a Read from an address with fewer
 * jobs displaces a job of an address with more, regardless of ports. Owner thread only.
 */
final class ReadJobs {
    private final EndpointCore core;
    private final boolean reliable;
    private final int limitPerSource;
    private final int mtu;
    private final MessageSources sources;
    private final PeerTurns turns;
    private final OutboundSegments segments;
    private final Tally<DatagramCounter> counters;
    private final Shares places;
    private final TimerHeap<Deadline<ReadJob>> deadlines = new TimerHeap<>();
    private @Nullable DatagramLowerLayer lower;
    private final LinkedPlaces<ListPlace<ReadJob>> jobs = new LinkedPlaces<>();
    private final ArrayDeque<ReadJob> free = new ArrayDeque<>();

    ReadJobs(EndpointCore core, MessageSources sources, PeerTurns turns, OutboundSegments segments) {
        this.core = core;
        reliable = core.reliable;
        int limit = core.settings.count(DatagramLimit.READ_JOBS);
        // No holder counts as idle, because an idle holder would be displaced even by a source with many jobs.
        places = new Shares(
                ShareLimits.of("Reads served at a time", DatagramLimit.READ_JOBS.key(), limit, 0, Long.MAX_VALUE)
                        .whereOwnStay(),
                sources.secret(),
                said -> {}); // a counter and the refused peer report it
        limitPerSource = core.settings.count(DatagramLimit.READ_JOBS_PER_SOURCE);
        mtu = core.settings.count(DatagramLimit.ANSWER_MTU);
        this.sources = sources;
        this.turns = turns;
        this.segments = segments;
        counters = core.counters;
    }

    /** Any thread: recent values. */
    void limits(LimitSink sink) {
        sink.limit(DatagramLimit.READ_JOBS.key(), places.used(), places.limits().capacity());
    }

    void attached(DatagramLowerLayer below) {
        lower = below;
    }

    /**
     * Begins a job for a Read Request; the caller sets the memory to read.
     *
     * @param size bytes requested
     * @return null if a limit is reached
     */
    @Nullable
    ReadJob begin(ReceivedDatagram request, long size, long nowNanos) {
        DatagramAddress source = request.source();
        DatagramPeer peer = request.peer();
        MessageSource origin = sources.hold(source);
        if (origin.jobs >= limitPerSource) {
            sources.release(origin);
            return null;
        }
        ReadJob reused = free.poll();
        ReadJob job = reused == null ? new ReadJob() : reused;
        if (!hasPlace(job, origin, nowNanos)) {
            free.push(job);
            sources.release(origin);
            return null;
        }
        Shim shim = request.shim();
        job.begin(shim, peer, size, nowNanos);
        job.origin = origin;
        origin.jobs++;
        // 0: the lower layer discovers the path MTU.
        int payload = mtu == 0 ? 0 : mtu - source.headers();
        if (peer == null) {
            job.asker()
                    .set(source, shim.sourceQpn(), shim.key(), payload)
                    .control(null); // drops the path state of the job's previous peer
        } else if (peer.maximumDatagram() == 0) {
            peer.maximumDatagram(payload); // the peer opened the channel, and no address handle set the size
        }
        jobs.add(job.inJobs);
        // datagram-iWARP §8 (DG-8-15): the time limit runs from the beginning and is not extended.
        deadlines.schedule(
                job.deadline, reliable ? mayGiveWay(job) : Math.max(mayGiveWay(job), ArrivalPace.longest(nowNanos)));
        return job;
    }

    /** datagram-iWARP §13 (DG-13-3, DG-13-6). */
    private boolean hasPlace(ReadJob job, MessageSource origin, long nowNanos) {
        long source = origin.sourceKey();
        Share share = job.share;
        if (share == null) {
            share = places.join(source, now -> giveWay(job, now), nowNanos);
            job.share = share;
        } else {
            share.joinAgain(places, source, nowNanos);
        }
        boolean has = share.take(1, nowNanos);
        if (!has) {
            share.leave();
        }
        return has;
    }

    /**
     * Displaces a job for a request from an address with fewer jobs. With RD the refusal ends the channel, so the job
     * keeps its place until its time limit.
     */
    void giveWay(ReadJob job, long nowNanos) {
        if (!reliable || nowNanos >= mayGiveWay(job)) {
            counters.count(DatagramCounter.READS_DISPLACED);
            refuse(job, TerminateCode.DATAGRAM_BUSY, nowNanos);
        }
    }

    private long mayGiveWay(ReadJob job) {
        return job.begunAt + core.settings.readNanos(job.size);
    }

    /** {@return when to call {@link #expire}} */
    long nextTimeout() {
        return deadlines.next();
    }

    /**
     * UD: silently ends the jobs whose peer no longer waits for the response. RD: ends no job, but the jobs may be
     * displaced from now on.
     *
     * @return whether a job's time limit has passed
     */
    boolean expire(long nowNanos) {
        Deadline<ReadJob> due = deadlines.pollDue(nowNanos);
        boolean any = due != null;
        while (due != null) {
            if (!reliable) {
                counters.count(DatagramCounter.READS_GIVEN_UP);
                end(due.of);
            }
            due = deadlines.pollDue(nowNanos);
        }
        return any;
    }

    /** Queues a prepared job. */
    void start(ReadJob job) {
        if (reliable) { // a turn of its own, because a channel sends in the order of the requests
            turns.add(job);
            return;
        }
        ReadJob.AskerTurn asker = Objects.requireNonNull(job.origin).asker;
        asker.append(job);
        turns.add(asker);
    }

    /**
     * Writes the next segment of a response.
     *
     * @return false if the job ended without a segment, such as because its memory is deregistered
     */
    boolean write(ReadJob job, SegmentWriter out, long nowNanos) {
        boolean begun = job.segments > 0;
        // RFC 5040 §8.1.1: access may have been revoked since the request arrived.
        if (!readable(job, nowNanos)) {
            breakOff(job, TerminateCode.RDMAP_INVALID_STAG, nowNanos);
            return false;
        }
        if (!begun) {
            if (!segments.cut(out, job)) {
                breakOff(job, TerminateCode.DATAGRAM_TOO_LONG, nowNanos);
                return false;
            }
            // datagram-iWARP §4.5: pad if the same source waits for more responses.
            job.padded = core.settings.get(DatagramLimit.PAD) != 0
                    && Objects.requireNonNull(job.origin).jobs > 1
                    && OutboundSegments.padPays(job.size, job.segments, job.segmentSize);
            counters.count(DatagramCounter.MESSAGES_SENT);
        }
        segments.write(out, job, job.sent);
        counters.count(DatagramCounter.SEGMENTS_SENT);
        job.sent++;
        if (job.sent == job.segments) {
            counters.count(DatagramCounter.READS_SERVED);
            if (!reliable) {
                end(job);
            }
        }
        return true;
    }

    private static boolean readable(ReadJob job, long nowNanos) {
        return registered(job) && (job.region == null || !job.region.expired(nowNanos));
    }

    private static boolean registered(ReadJob job) {
        return job.region == null || job.region.valid();
    }

    private void breakOff(ReadJob job, TerminateCode code, long nowNanos) {
        counters.count(DatagramCounter.READS_BROKEN_OFF);
        refuse(job, code, nowNanos);
    }

    private void refuse(ReadJob job, TerminateCode code, long nowNanos) {
        job.over = true;
        Objects.requireNonNull(lower).refuse(job.turnOf(), job.question, code, nowNanos);
        end(job);
    }

    /** {@return false if the memory is deregistered or the job is over} RD: writes a segment again. */
    boolean repeat(ReadJob job, int index, SegmentWriter out) {
        if (job.over || !registered(job)) {
            return false;
        }
        segments.write(out, job, index);
        return true;
    }

    /** RD: the peer has accepted {@code count} more segments. */
    void accepted(ReadJob job, int count) {
        job.accepted += count;
        if (!job.over && job.accepted >= job.segments) {
            end(job);
        }
    }

    /** Ends the jobs of a peer whose channel ended, or all jobs if null. */
    void end(@Nullable DatagramPeer peer) {
        ListPlace<ReadJob> place = jobs.first();
        while (place != null) {
            ReadJob job = place.of;
            place = jobs.after(place);
            if (peer == null || isFor(job, peer)) {
                end(job);
            }
        }
    }

    private static boolean isFor(ReadJob job, DatagramPeer peer) {
        DatagramPeer to = job.turnOf();
        return to.queuePairNumber() == peer.queuePairNumber() && to.address().equals(peer.address());
    }

    private void end(ReadJob job) {
        MessageSource origin = job.origin;
        if (origin == null) {
            return;
        }
        origin.jobs--;
        Objects.requireNonNull(job.share).leave();
        deadlines.remove(job.deadline);
        if (!reliable) {
            origin.asker.remove(job);
        }
        sources.release(origin);
        jobs.remove(job.inJobs);
        core.freed++;
        job.clear();
        // RD: a queued job is reused after it leaves the queue.
        if (!job.queued) {
            free.push(job);
        }
    }

    /** The job has left the queue of turns. */
    void left(ReadJob job) {
        if (job.over) {
            free.push(job);
        }
    }
}
