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
 * The Reads of peers that are being answered, within limits (datagram-iWARP §8). When all places are taken, a Read of an
 * address that has fewer takes the place of one of an address that has more, whatever the ports. Owner thread only.
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
        // No holder is ever idle: an idle one would give way to a source that takes many.
        places = new Shares(
                ShareLimits.of("Reads served at a time", DatagramLimit.READ_JOBS.key(), limit, 0, Long.MAX_VALUE)
                        .whereOwnStay(),
                sources.secret(),
                said -> {}); // a counter tells it, and the one that is refused
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
     * Begins a job for a Read Request; what to read is for the caller to fill in.
     *
     * @param size bytes that are asked for
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
        // 0: the lower layer finds out what the path takes.
        int payload = mtu == 0 ? 0 : mtu - source.headers();
        if (peer == null) {
            job.asker()
                    .set(source, shim.sourceQpn(), shim.key(), payload)
                    .control(null); // what was known of the asker before
        } else if (peer.maximumDatagram() == 0) {
            peer.maximumDatagram(payload); // it has opened the channel, and no handle here names it
        }
        jobs.add(job.inJobs);
        // datagram-iWARP §8 (DG-8-15): from the beginning, whatever comes meanwhile.
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

    /** An address that has fewer asks. Where that ends a channel, not before its asker may have had it. */
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
     * UD: ends, in silence, the jobs whose asker has given up. RD: a channel ends by itself, but jobs may give way from now
     * on.
     *
     * @return whether there were any
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

    /** The job is filled in: it takes its turn. */
    void start(ReadJob job) {
        if (reliable) { // by itself: a channel sends in the order in which it was offered
            turns.add(job);
            return;
        }
        ReadJob.AskerTurn asker = Objects.requireNonNull(job.origin).asker;
        asker.append(job);
        turns.add(asker);
    }

    /**
     * Writes the next segment of an answer.
     *
     * @return false if it ended without one because its memory is gone
     */
    boolean write(ReadJob job, SegmentWriter out, long nowNanos) {
        boolean begun = job.segments > 0;
        // RFC 5040 §8.1.1: what was allowed when the request came may have been revoked since.
        if (!readable(job, nowNanos)) {
            breakOff(job, TerminateCode.RDMAP_INVALID_STAG, nowNanos);
            return false;
        }
        if (!begun) {
            if (!segments.cut(out, job)) {
                breakOff(job, TerminateCode.DATAGRAM_TOO_LONG, nowNanos);
                return false;
            }
            // datagram-iWARP §4.5: where the same source waits for more.
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

    /** {@return whether a segment was written once more, for RD; false if its memory is gone} */
    boolean repeat(ReadJob job, int index, SegmentWriter out) {
        if (job.over || !registered(job)) {
            return false;
        }
        segments.write(out, job, index);
        return true;
    }

    /** RD: the peer has accepted so many more segments. */
    void accepted(ReadJob job, int count) {
        job.accepted += count;
        if (!job.over && job.accepted >= job.segments) {
            end(job);
        }
    }

    /** The answer is not waited for any more: the channel is gone, or nothing is sent any more. */
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
        // RD: a job in line is reused when its turn comes.
        if (!job.queued) {
            free.push(job);
        }
    }

    /** The job has left the line. */
    void left(ReadJob job) {
        if (job.over) {
            free.push(job);
        }
    }
}
