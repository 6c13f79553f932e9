package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.OwnerAnswer;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.RdmaException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The connections of a context that are not over yet, those of closed queue pairs included. Any thread. */
final class LiveConnections implements Waitable {
    private final Progression progression;
    private final Waiters waiters;
    private final Set<QueuePairConnection> connections = OrderedSet.newSet();

    LiveConnections(Progression progression) {
        this.progression = progression;
        this.waiters = new Waiters();
    }

    void began(QueuePairConnection connection) {
        connections.add(connection);
    }

    void over(QueuePairConnection connection) {
        connections.remove(connection);
        if (connections.isEmpty()) {
            progression.signal(this);
        }
    }

    /** {@return how many there are} */
    int size() {
        return connections.size();
    }

    /** Ends all: those that are ending in order, or have a Terminate to deliver, get time for it; others are aborted. */
    void end(long patienceNanos) {
        OrderedSet.forEach(connections, connection -> {
            if (!connection.ending()) {
                connection.fail();
            }
        });
        progression.awaitUninterruptibly(this, patienceNanos);
    }

    /**
     * Lets the owner of every connection of {@code domain} finish the call it is in, however long that takes: afterwards none of
     * them uses memory that was taken away before. An owner that calls this does not wait for itself.
     *
     * @throws RdmaException INTERNAL if one is dead
     */
    void fence(RnicProtectionDomain domain) {
        if (!progression.drivenElsewhere()) {
            return;
        }
        List<OwnerAnswer> fences = new ArrayList<>();
        OrderedSet.forEach(connections, connection -> {
            if (connection.isIn(domain)) {
                fences.add(connection.fence());
            }
        });
        fences.forEach(fence -> fence.await(Long.MAX_VALUE));
    }

    @Override
    public boolean ready() {
        return connections.isEmpty();
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }
}
