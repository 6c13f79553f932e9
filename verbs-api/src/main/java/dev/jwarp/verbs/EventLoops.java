package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Event loops of the program for a context to run on, in place of threads of its own: see {@link Device#open(java.util.Map,
 * EventLoops)}. They stay the program's: it ends them, when the contexts on them are closed.
 */
public final class EventLoops {
    private final Object loops;
    private final @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice;

    private EventLoops(Object loops, @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice) {
        this.loops = loops;
        this.choice = choice;
    }

    /**
     * {@return Netty's event loops: progress is threaded} Connections are given to the loops in turn, but one that a loop of the
     * group makes stays on that loop; all datagrams of a context are moved by one loop. A loop of the group must not wait in calls
     * of the verbs: see {@link CompletionQueue#onCompletion}.
     *
     * @param group an {@code io.netty.channel.EventLoopGroup}, or one {@code EventLoop}, of epoll or of java.nio
     */
    public static EventLoops netty(Object group) {
        return new EventLoops(RdmaException.requireArgument(group, "group"), null);
    }

    /**
     * {@return a selector that the program runs: progress is inline} The program selects, then has the context handle what is its
     * own, all in one thread:
     *
     * <pre>{@code
     * selector.select(TimeUnit.NANOSECONDS.toMillis(context.untilPoll()) + 1);
     * context.poll();
     * }</pre>
     *
     * <p>{@link Context#poll} takes the keys of the context out of the selected ones. A program that selects with a consumer hands
     * them over with {@link Context#ready}, which allocates nothing. All calls that wait belong to that thread too: they select. What other threads post wakes the selector. A port that was
     * closed is free after the program's next selection.
     *
     * @param selector open as long as the context is
     */
    public static EventLoops selector(Selector selector) {
        return new EventLoops(RdmaException.requireArgument(selector, "selector"), null);
    }

    /**
     * {@return the same, with the choice of the loop for each connection}
     *
     * @param chooser is given the peer's address, before anything of that connection is read or written; answers with a loop of the
     *     group, or null for the one it would have without a choice. Called by any thread; what it throws ends the connection
     */
    public EventLoops choosing(Function<InetSocketAddress, ? extends @Nullable Object> chooser) {
        return new EventLoops(loops, RdmaException.requireArgument(chooser, "chooser"));
    }

    /** {@return what was given} */
    public Object loops() {
        return loops;
    }

    /** {@return what chooses; null if nothing does} */
    public @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice() {
        return choice;
    }

    /** {@return the progress that they make} */
    public Progress progress() {
        return loops instanceof Selector ? Progress.INLINE : Progress.THREADED;
    }
}
