package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.base.Share;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.MessageSources.MessageSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The response to a peer's Read: takes turns like a destination (RD) or within its source's turn (UD). Reused; owner
 * only.
 */
final class ReadJob extends PeerTurn implements OutboundMessage {
    /**
     * UD: the responses to all Reads of one source, which share one turn and one path. On a slow path, each job writes
     * the segments admitted at a time, then the next job continues, so all responses progress evenly and their
     * receivers can measure the pace (datagram-iWARP §8).
     */
    static final class AskerTurn extends PeerTurn {
        private final LinkedPlaces<ListPlace<ReadJob>> jobs = new LinkedPlaces<>();

        /** Whether the first job has written a segment since it became the first. */
        private boolean served;

        void append(ReadJob job) {
            jobs.add(job.ofAsker);
        }

        void remove(ReadJob job) {
            served &= jobs.first() != job.ofAsker;
            jobs.remove(job.ofAsker);
        }

        /** {@return the job that writes now} Requires {@link #hasWork}. */
        ReadJob serve() {
            served = true;
            return job();
        }

        private ReadJob job() {
            return Objects.requireNonNull(jobs.first(), "an asker with work").of;
        }

        @Override
        void pauses() {
            if (served && hasWork()) {
                ReadJob job = job();
                remove(job);
                append(job);
            }
        }

        @Override
        DatagramPeer turnOf() {
            return job().turnOf();
        }

        @Override
        boolean hasWork() {
            return jobs.first() != null;
        }
    }

    /** The shim of the Read Request, whose numbers the response repeats. */
    final Shim question = new Shim();

    /** UD: the source of the request. */
    private final DatagramPeer asker = new DatagramPeer();

    private @Nullable DatagramPeer peer;
    int sinkSTag;
    long sinkOffset;
    long size;

    /** Position of the first byte, see {@link TaggedBuffer#position}. */
    long position;

    int segmentSize;
    int segments;
    int sent;
    int accepted;
    boolean padded;
    boolean over;

    long begunAt;

    /** UD: when the peer no longer waits for the response; RD: when this job may be displaced by another. */
    final Deadline<ReadJob> deadline = new Deadline<>(this);

    /** Its share of the job limit. */
    @Nullable
    Share share;

    /** Null for a Read of 0 bytes. */
    @Nullable
    TaggedBuffer region;

    @Nullable
    MessageSource origin;

    /** Link among the jobs in progress. */
    final ListPlace<ReadJob> inJobs = new ListPlace<>(this);

    /** UD: link in the queue of its source. */
    final ListPlace<ReadJob> ofAsker = new ListPlace<>(this);

    /** Begins a new response. */
    void begin(Shim request, @Nullable DatagramPeer reliablePeer, long octets, long nowNanos) {
        question.set(request);
        peer = reliablePeer == null ? asker : reliablePeer;
        size = octets;
        begunAt = nowNanos;
        segments = 0;
        sent = 0;
        accepted = 0;
        over = false;
    }

    DatagramPeer asker() {
        return asker;
    }

    @Override
    DatagramPeer turnOf() {
        return peer == null ? asker : peer;
    }

    @Override
    boolean hasWork() {
        return !over && (segments == 0 || sent < segments);
    }

    /** Drops all references. */
    void clear() {
        peer = null;
        region = null;
        origin = null;
        over = true;
    }
}
