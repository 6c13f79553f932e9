package dev.jwarp.torture.threads;

import dev.jwarp.torture.Crew;
import dev.jwarp.torture.Dialer;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import java.time.Duration;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Two ends that are connected repeatedly. In some pairs the program owns the queue pairs, which are reset and used
 * again; in others the queue pairs belong to their ids. Threads: any.
 */
final class Pair {
    static final int DEPTH = 32;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** One side of the pair. */
    final class Side {
        private final Station station;
        private volatile @Nullable End end;
        private volatile @Nullable CmId id;

        private Side(Station station) {
            this.station = station;
        }

        @Nullable
        End end() {
            return end;
        }

        @Nullable
        CmId id() {
            return id;
        }

        private void prepare(CmId made, SplittableRandom random) {
            id = made;
            End before = end;
            if (before != null) {
                made.useQueuePair(before.queuePair); // another thread may have moved it out of INIT meanwhile
                return;
            }
            Station.Shared shared = random.nextInt(3) == 0 ? station.anyShared(random) : null;
            Tap sends = station.anyTap(random);
            Tap receives = shared == null ? station.anyTap(random) : shared.tap();
            QueuePairAttributes.Builder wishes = QueuePairAttributes.builder(sends.queue, receives.queue)
                    .maxSendWorkRequests(DEPTH)
                    .maxReceiveWorkRequests(DEPTH)
                    .maxInlineData(128);
            if (shared != null) {
                wishes.sharedReceiveQueue(shared.queue());
            }
            QueuePair queuePair = own
                    ? station.domain.createQueuePair(wishes.build())
                    : made.createQueuePair(station.domain, wishes.build());
            end = new End(station, queuePair, sends, receives, shared);
            if (own) {
                queuePair.modify(QueuePairState.INIT);
                made.useQueuePair(queuePair);
            }
        }

        /** Ends the connection, if there is one; resets the queue pair if possible, else closes it. */
        private void clear(Crew.Member me, Calls calls, boolean reset) {
            CmId old = id;
            if (old != null) {
                calls.allowed(me, "close an id", Calls.CLOSING, old::close);
            }
            End before = end;
            if (before == null) {
                return;
            }
            if (own && reset && calls.allowed(me, "reset", Calls.CHANGING, () -> reset(before))) {
                end = before.reborn();
            } else {
                me.doing("close a queue pair");
                before.queuePair.close();
                end = null;
            }
            retired.add(before);
        }

        private boolean reset(End before) {
            before.reborn(); // a thread that posts now may post to its next life
            before.queuePair.modify(QueuePairState.RESET);
            before.queuePair.modify(QueuePairState.INIT);
            return true;
        }
    }

    final Side near;
    final Side far;
    private final boolean own;
    private final Dialer dialer;
    private final Queue<End> retired;
    private final ReentrantLock setUp = new ReentrantLock();

    Pair(Station near, Station far, boolean own, Queue<End> retired) {
        this.near = new Side(near);
        this.far = new Side(far);
        this.own = own;
        this.retired = retired;
        dialer = new Dialer(near.context, far.context);
    }

    private static boolean works(Side side) {
        End end = side.end;
        return end != null && end.queuePair.state() == QueuePairState.RTS;
    }

    /** Connects the pair again if it is not connected. Returns whether it did. */
    boolean revive(Crew.Member me, Calls calls, SplittableRandom random) {
        if ((works(near) && works(far)) || !setUp.tryLock()) {
            return false;
        }
        try {
            boolean reset = random.nextBoolean();
            near.clear(me, calls, reset);
            far.clear(me, calls, reset);
            return calls.allowed(
                    me,
                    "connect",
                    Calls.CONNECTING,
                    () -> dialer.dial(id -> near.prepare(id, random), id -> far.prepare(id, random), PATIENCE)
                            .established());
        } finally {
            setUp.unlock();
        }
    }

    /** Closes all objects of the pair. */
    void close(Crew.Member me, Calls calls) {
        near.clear(me, calls, false);
        far.clear(me, calls, false);
        dialer.close();
    }
}
