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

/** The connections of a context that have not ended, including those of closed queue pairs. Any thread. */
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

    /** {@return the number of connections} */
    int size() {
        return connections.size();
    }

    /**
     * Ends all connections. Connections that end in order or send a Terminate get {@code patienceNanos}; others are
     * aborted.
     */
    void end(long patienceNanos) {
        OrderedSet.forEach(connections, connection -> {
            if (!connection.ending()) {
                connection.fail();
            }
        });
        progression.awaitUninterruptibly(this, patienceNanos);
    }

    /**
     * Waits without a timeout until the owner of every connection of {@code domain} has finished its current call.
     * After that, no owner uses memory that was deregistered before this call. An owner that calls this method does not
     * wait for itself.
     *
     * @throws RdmaException INTERNAL if the thread of an owner has ended
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
