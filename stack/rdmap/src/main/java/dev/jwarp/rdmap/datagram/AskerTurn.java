package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramPeer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * UD: the answers to all Reads of one source, which share one turn and one path. Where the path is slower than this side, each job
 * writes what is admitted at a time and then the next one, so all answers come evenly, and their askers see how fast (datagram-iWARP
 * §8, DG-8-13). Owner thread only; allocates nothing.
 */
final class AskerTurn extends PeerTurn {
    private @Nullable ReadJob first;
    private @Nullable ReadJob last;
    /** The first one has written something since it is the first. */
    private boolean served;

    /** A job takes its place behind the others. */
    void append(ReadJob job) {
        ReadJob end = last;
        job.before = end;
        if (end == null) {
            first = job;
        } else {
            end.nextTurn = job;
        }
        last = job;
    }

    /** A job that stands here is over. */
    void remove(ReadJob job) {
        ReadJob before = job.before;
        ReadJob after = (ReadJob) job.nextTurn;
        if (before == null) {
            first = after;
            served = false;
        } else {
            before.nextTurn = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        job.before = null;
        job.nextTurn = null;
    }

    /** {@return whose answer is written now} After {@link #hasWork}. */
    ReadJob serve() {
        served = true;
        return job();
    }

    private ReadJob job() {
        return Objects.requireNonNull(first, "an asker with work");
    }

    @Override
    void pauses() {
        ReadJob job = first;
        if (served && job != null) {
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
        return first != null;
    }
}
