package dev.jwarp.transport.tcp.netty;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Has a task run on an event loop soon: however often it is rung meanwhile, once, and nothing is allocated. */
final class Doorbell {
    private final Rounds rounds;
    private final Runnable task;
    private final AtomicBoolean rung = new AtomicBoolean();
    private boolean behindInput;

    /** Of {@link Rounds}. */
    @Nullable
    Doorbell next;

    Doorbell(Rounds rounds, Runnable task) {
        this.rounds = rounds;
        this.task = task;
    }

    /** Any thread. */
    void ring() {
        if (!rung.getAndSet(true)) {
            try {
                rounds.execute(task);
            } catch (Throwable e) {
                rung.set(false); // the owner has not heard it
                throw e;
            }
        }
    }

    /**
     * Rings when the event loop has come to the end of its round, so that it looks at its sockets before the task runs: it runs tasks
     * as long as there are any, for up to a second, and one that adds itself again would keep all input waiting. Event loop only.
     */
    void ringBehindInput() {
        if (!behindInput) {
            behindInput = rounds.add(this);
            if (!behindInput) {
                ring();
            }
        }
    }

    /** Its round has ended. */
    void ringNow() {
        behindInput = false;
        ring();
    }

    /** The task begins, before it looks at anything: a ring from now on wants it to run once more. */
    void heard() {
        rung.getAndSet(false); // reads too: what was written before a ring that came too late is seen
    }
}
