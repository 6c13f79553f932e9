package dev.jwarp.rnic;

import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The connections of a context that are not over yet, those of closed queue pairs included. Any thread. */
final class LiveStreams implements Waitable {
    private final Progression progression;
    private final Waiters waiters;
    private final Set<QueuePairStream> streams = ConcurrentHashMap.newKeySet();

    LiveStreams(Progression progression) {
        this.progression = progression;
        this.waiters = progression.newWaiters();
    }

    void began(QueuePairStream stream) {
        streams.add(stream);
    }

    void over(QueuePairStream stream) {
        streams.remove(stream);
        if (streams.isEmpty()) {
            progression.signal(this);
        }
    }

    /** Ends all: those that are ending in order, or have a Terminate to deliver, get time for it; others are aborted. */
    void end(long patienceNanos) {
        for (QueuePairStream stream : streams) {
            if (!stream.ending()) {
                stream.fail();
            }
        }
        progression.awaitUninterruptibly(this, patienceNanos);
    }

    @Override
    public boolean ready() {
        return streams.isEmpty();
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }
}
