package dev.jwarp.ddp.llp.nio;

import dev.jwarp.ddp.llp.GivenLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The selector of an inline driver: its own one, or the program's, which selects then and has channels of its own there. What is ready
 * is put aside first, because those that handle it may need the selector themselves. Owner only, but for {@link #wakeup}.
 */
public final class LoopSelector {
    private static final long NANOS_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Selector selector;
    private final boolean given;
    private final Waiting waiting;
    private final Predicate<@Nullable Object> ours;
    private final Consumer<SelectionKey> aside;

    /**
     * A selector for one loop.
     *
     * @param waiting the waits of its owner; where the program selects, it waits whenever its owner is not at work
     * @param loops the program's; null for one of its own
     * @param ours whether an attachment of a key is the loop's
     * @param aside gets each key that is ready
     * @throws IOException if none can be opened
     * @throws IllegalArgumentException if {@code loops} are no selector
     */
    public LoopSelector(
            Waiting waiting,
            @Nullable GivenLoops loops,
            String transport,
            Predicate<@Nullable Object> ours,
            Consumer<SelectionKey> aside)
            throws IOException {
        this.waiting = waiting;
        this.ours = ours;
        this.aside = aside;
        given = loops != null;
        if (loops == null) {
            selector = SystemChannels.provider().openSelector();
        } else if (loops.loops() instanceof Selector theirs && loops.choice() == null) {
            selector = theirs;
        } else {
            throw loops.unfit(transport, "one java.nio.channels.Selector, without a choice");
        }
        if (given) {
            waiting.begin(); // the program may be selecting before it polls for the first time
        }
    }

    /** The owner begins to poll. */
    public void beginPoll() {
        if (given) {
            waiting.end();
        }
    }

    /** It has polled: the program may be selecting from now on, and what others want ends that, or the next time at once. */
    public void endPoll() {
        if (given && !waiting.begin()) {
            selector.wakeup();
        }
    }

    /** A wait of the owner is over; else as {@link #endPoll}. */
    public void endWait() {
        waiting.end();
        if (given) {
            waiting.begin();
            selector.wakeup(); // one that was meant for the program may have ended this wait
        }
    }

    /** Ends a wait under way, or the next one at once. Any thread. */
    public void wakeup() {
        selector.wakeup();
    }

    /** {@return the key of a channel from now on} */
    public SelectionKey register(SelectableChannel channel, int operations, Object attachment)
            throws ClosedChannelException {
        return channel.register(selector, operations, attachment);
    }

    /** {@return the key of a channel; null if it has none} */
    public @Nullable SelectionKey keyFor(SelectableChannel channel) {
        return channel.keyFor(selector);
    }

    /** Puts aside what is ready; waits up to {@code nanos} for that, and not at all if that is not positive. */
    public void select(long nanos) {
        try {
            if (given) {
                if (nanos > 0) {
                    selector.select(millis(nanos));
                } else {
                    selector.selectNow();
                }
                takeSelected();
            } else if (nanos > 0) {
                selector.select(aside, millis(nanos));
            } else {
                selector.selectNow(aside);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts aside what is ready now; where the program selects, what it has selected. */
    public void look() {
        if (given) {
            takeSelected();
        } else {
            select(0);
        }
    }

    private void takeSelected() {
        Set<SelectionKey> selected = selector.selectedKeys();
        if (selected.isEmpty()) {
            return;
        }
        for (Iterator<SelectionKey> all = selected.iterator(); all.hasNext(); ) {
            if (ready(all.next())) {
                all.remove();
            }
        }
    }

    /** {@return whether a key that was selected is one of this loop} Puts it aside then. */
    public boolean ready(SelectionKey key) {
        boolean own = ours.test(key.attachment());
        if (own) {
            aside.accept(key);
        }
        return own;
    }

    private static long millis(long nanos) {
        return Math.min(Integer.MAX_VALUE, nanos / NANOS_A_MILLI + (nanos % NANOS_A_MILLI == 0 ? 0 : 1));
    }

    /**
     * A closed channel keeps its descriptor, and its port, until the selector has let go of it: has it do so. Where the program
     * selects, that comes with its next selection: one of ours would take a wakeup away that is meant for it.
     */
    public void letGo() {
        if (!given && selector.isOpen()) {
            try {
                selector.selectNow(LoopSelector::leaveForLater);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What is ready now is ready at the next look too. */
    private static void leaveForLater(SelectionKey key) {}

    /** Closes it if it is its own. */
    public void close() {
        if (!given) {
            try {
                selector.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
