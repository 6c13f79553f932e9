package dev.jwarp.transport.tcp.netty;

import dev.jwarp.base.Ringer;
import org.jspecify.annotations.Nullable;

/** Has a task run on an event loop soon. */
final class Doorbell extends Ringer {
    private final Rounds rounds;
    private boolean behindInput;

    /** Of {@link Rounds}. */
    @Nullable
    Doorbell next;

    Doorbell(Rounds rounds, Runnable task) {
        super(rounds, task);
        this.rounds = rounds;
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
}
