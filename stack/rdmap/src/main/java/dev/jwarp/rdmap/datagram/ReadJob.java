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

/** A Read of a peer that is being answered: takes its turn like a destination, or its asker's. Reused; owner only. */
final class ReadJob extends PeerTurn implements OutboundMessage {
    /**
     * UD: the answers to all Reads of one source, which share one turn and one path. Where the path is slower than this
     * side, each job writes what is admitted at a time and then the next one does, so all answers come evenly, and their
     * askers see how fast (datagram-iWARP §8, DG-8-13).
     */
    static final class AskerTurn extends PeerTurn {
        private final LinkedPlaces<ListPlace<ReadJob>> jobs = new LinkedPlaces<>();

        /** The first one has written something since it is the first. */
        private boolean served;

        void append(ReadJob job) {
            jobs.add(job.ofAsker);
        }

        void remove(ReadJob job) {
            served &= jobs.first() != job.ofAsker;
            jobs.remove(job.ofAsker);
        }

        /** {@return whose answer is written now} After {@link #hasWork}. */
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

    /** The shim of the Read Request: the answer repeats its numbers. */
    final Shim question = new Shim();

    /** UD: the asker. */
    private final DatagramPeer asker = new DatagramPeer();

    private @Nullable DatagramPeer peer;
    int sinkSTag;
    long sinkOffset;
    long size;

    /** Where the bytes begin, see {@link TaggedBuffer#position}. */
    long position;

    int segmentSize;
    int segments;
    int sent;
    int accepted;
    boolean padded;
    boolean over;

    long begunAt;

    /** UD: when its asker has given up; RD: when it may give way to another. */
    final Deadline<ReadJob> deadline = new Deadline<>(this);

    /** Its place among all Reads that are served. */
    @Nullable
    Share share;

    /** Null for a Read of nothing. */
    @Nullable
    TaggedBuffer region;

    @Nullable
    MessageSource origin;

    /** Among the jobs in progress. */
    final ListPlace<ReadJob> inJobs = new ListPlace<>(this);

    /** UD: in the line of the asker. */
    final ListPlace<ReadJob> ofAsker = new ListPlace<>(this);

    /** Begins anew. */
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

    /** Refers to nothing any more. */
    void clear() {
        peer = null;
        region = null;
        origin = null;
        over = true;
    }
}
