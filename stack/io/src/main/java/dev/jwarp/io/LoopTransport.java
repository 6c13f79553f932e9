package dev.jwarp.io;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.Progressing;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/** A transport on loops. With inline progress, a caller polls its only loop. */
public abstract class LoopTransport implements Progressing {
    /** For a transport. */
    protected LoopTransport() {}

    /** {@return the transport on whose loops another one is to run; null if the program gave something else, or nothing} */
    public static @Nullable LoopTransport host(@Nullable GivenLoops given) {
        return given != null && given.loops() instanceof LoopTransport host ? host : null;
    }

    /** {@return what moves its sockets; the same object at every call} Any thread. */
    public abstract Loops loops();

    @Override
    public final boolean inline() {
        return loops().inline();
    }

    @Override
    public final boolean poll() {
        return inline() && loops().first().poll();
    }

    @Override
    public final boolean flush() {
        return inline() && loops().first().flush();
    }

    @Override
    public final void await(long nanos) {
        if (inline()) {
            loops().first().await(nanos);
        }
    }

    @Override
    public final void wakeup() {
        if (inline()) {
            loops().first().wakeup();
        }
    }

    @Override
    public final boolean ready(SelectionKey key) {
        return inline() && loops().first().ready(key);
    }

    @Override
    public final long untilPoll() {
        return inline() ? loops().first().untilPoll() : Long.MAX_VALUE;
    }

    @Override
    public final void later(Runnable task) {
        Loop here = loops().here();
        (here == null ? loops().next() : here).later(task);
    }

    @Override
    public final boolean movedHere() {
        return loops().here() != null;
    }
}
