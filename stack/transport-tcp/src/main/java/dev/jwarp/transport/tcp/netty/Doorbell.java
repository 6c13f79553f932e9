package dev.jwarp.transport.tcp.netty;

import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicBoolean;

/** Has a task run on an event loop soon: however often it is rung meanwhile, once, and nothing is allocated. */
final class Doorbell {
    private final EventLoop eventLoop;
    private final Runnable task;
    private final AtomicBoolean rung = new AtomicBoolean();

    Doorbell(EventLoop eventLoop, Runnable task) {
        this.eventLoop = eventLoop;
        this.task = task;
    }

    /** Any thread. */
    void ring() {
        if (!rung.getAndSet(true)) {
            eventLoop.execute(task);
        }
    }

    /** The task begins, before it looks at anything: who rings from now on wants it to run once more. */
    void heard() {
        rung.getAndSet(false); // reads too: what was written before a ring that came too late is seen
    }
}
