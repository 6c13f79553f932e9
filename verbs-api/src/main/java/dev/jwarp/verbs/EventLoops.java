package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Event loops of the program, on which a context runs in place of its own threads: see
 * {@link Device#open(java.util.Map, EventLoops)}. The program owns the event loops and shuts them down after the
 * contexts on them are closed.
 */
public final class EventLoops {
    private final Object loops;
    private final @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice;

    private EventLoops(Object loops, @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice) {
        this.loops = loops;
        this.choice = choice;
    }

    /**
     * {@return Netty's event loops, with threaded progress} Connections are assigned to the loops round-robin, except
     * that a connection created on a loop of the group stays on that loop. One loop handles all datagrams of a context.
     * A loop of the group must not block in calls of the verbs: see {@link CompletionQueue#onCompletion}.
     *
     * @param group an {@code io.netty.channel.EventLoopGroup} or a single {@code EventLoop}, of epoll or java.nio
     */
    public static EventLoops netty(Object group) {
        return new EventLoops(RdmaException.requireArgument(group, "group"), null);
    }

    /**
     * {@return a selector that the program runs, with inline progress} One thread selects and then polls the context:
     *
     * <pre>{@code
     * selector.select(TimeUnit.NANOSECONDS.toMillis(context.untilPoll()) + 1);
     * context.poll();
     * }</pre>
     *
     * <p>{@link Context#poll} removes the keys of the context from the selected keys. A program that selects with a
     * consumer passes the keys to {@link Context#ready} instead, which allocates nothing. Only that thread may make
     * calls that wait, because these select. A post by another thread wakes the selector. A closed port becomes free at
     * the program's next selection.
     *
     * @param selector open as long as the context is
     */
    public static EventLoops selector(Selector selector) {
        return new EventLoops(RdmaException.requireArgument(selector, "selector"), null);
    }

    /**
     * {@return these event loops with a function that chooses the loop of each connection}
     *
     * @param chooser gets the peer's address before any byte of the connection is read or written. It returns a loop of
     *     the group, or null for the default choice. Any thread may call it. An exception ends the connection.
     */
    public EventLoops choosing(Function<InetSocketAddress, ? extends @Nullable Object> chooser) {
        return new EventLoops(loops, RdmaException.requireArgument(chooser, "chooser"));
    }

    /** {@return the event loop group, the event loop or the selector} */
    public Object loops() {
        return loops;
    }

    /** {@return the function that chooses loops, or null} */
    public @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice() {
        return choice;
    }

    /** {@return inline for a selector, threaded for Netty's event loops} */
    public Progress progress() {
        return loops instanceof Selector ? Progress.INLINE : Progress.THREADED;
    }
}
