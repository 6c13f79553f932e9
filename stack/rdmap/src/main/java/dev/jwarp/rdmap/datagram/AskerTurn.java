package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * UD: the answers to all Reads of one source, which share one turn and one path. Where the path is slower than this side, each job
 * writes what is admitted at a time and then the next one, so all answers come evenly, and their askers see how fast (datagram-iWARP
 * §8, DG-8-13). Jobs that are over stand here until they are passed by. Owner thread only; allocates nothing.
 */
final class AskerTurn extends PeerTurn {
    private @Nullable ReadJob first;
    private @Nullable ReadJob last;
    /** The first one has written something since it is the first. */
    private boolean served;

    /** A job takes its place behind the others. */
    void append(ReadJob job) {
        job.queued = true;
        job.nextTurn = null;
        ReadJob end = last;
        if (end == null) {
            first = job;
        } else {
            end.nextTurn = job;
        }
        last = job;
    }

    /** {@return a job at the head that has nothing more to send, which is taken away; null if there is none} */
    @Nullable
    ReadJob pollOver() {
        ReadJob job = first;
        return job == null || job.hasWork() ? null : shifted(job);
    }

    private ReadJob shifted(ReadJob job) {
        first = (ReadJob) job.nextTurn;
        if (first == null) {
            last = null;
        }
        job.nextTurn = null;
        job.queued = false;
        served = false;
        return job;
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
            append(shifted(job));
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
