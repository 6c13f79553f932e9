package dev.jwarp.transport.tcp.netty;

import dev.jwarp.base.Ringer;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rounds of an event loop: a look at its sockets, then all tasks that there are. Doorbells whose tasks are to come behind input
 * wait here, and some of them ring at the end of a round, the longest waiting first: between two looks at the sockets no more is
 * done for them, however many there are. Allocates nothing. Event loop only.
 */
final class Rounds implements Ringer.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);

    /** Doorbells that ring in one round. */
    static final int RINGS = 16;

    private final EventLoop eventLoop;
    private final Runnable ended = this::onEnded;
    private final Runnable next = this::awaitEnd;
    private @Nullable Doorbell first;
    private @Nullable Doorbell last;
    private boolean awaited;

    /** Any thread. */
    Rounds(EventLoop eventLoop) {
        this.eventLoop = eventLoop;
    }

    /** Runs it soon; not where the event loop has ended, and all its connections with it. Any thread. */
    @Override
    public void execute(Runnable task) {
        try {
            eventLoop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("The event loop has ended: there is nothing to look at any more", e);
        }
    }

    /**
     * Rings it when the sockets have been looked at; it does not wait here yet.
     *
     * @return false if there are no rounds
     */
    boolean add(Doorbell doorbell) {
        awaitEnd();
        if (!awaited) {
            return false;
        }
        Doorbell before = last;
        last = doorbell;
        if (before == null) {
            first = doorbell;
        } else {
            before.next = doorbell;
        }
        return true;
    }

    private void awaitEnd() {
        if (!awaited && eventLoop instanceof SingleThreadEventLoop rounds) {
            try {
                rounds.executeAfterEventLoopIteration(ended);
                awaited = true;
            } catch (RejectedExecutionException e) {
                LOG.trace("The event loop has ended: there are no rounds any more", e);
            }
        }
    }

    private void onEnded() {
        awaited = false;
        try {
            ringSome();
        } finally {
            if (first != null) {
                execute(next); // what is added for the end of a round now would be run in this one
            }
        }
    }

    private void ringSome() {
        for (int i = 0; i < RINGS && first != null; i++) {
            Doorbell doorbell = first;
            first = doorbell.next;
            doorbell.next = null;
            last = first == null ? null : last;
            doorbell.ringNow();
        }
    }
}
