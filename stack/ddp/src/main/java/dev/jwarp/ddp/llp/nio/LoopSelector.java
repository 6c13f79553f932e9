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
 * The selector of an inline driver: its own one; or one that it shares with others of the same thread; or the program's, which selects then and has channels of its own there.
 * What is ready is put aside first, because those that handle it may need the selector themselves. Owner only, but for {@link #wakeup}.
 */
public final class LoopSelector {
    private static final long NANOS_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Selector selector;
    /** Not its own: keys of others are there, too. */
    private final boolean given;
    /** Given to several, which select. */
    private final boolean shared;
    /** Who polled last, of those that share: its own signals wake no thread, as it does not wait now. */
    private volatile @Nullable Thread last;

    private final Waiting waiting;
    private final Predicate<@Nullable Object> ours;
    private final Consumer<SelectionKey> aside;
    /** Takes each key that is ready, also of others. */
    private final Consumer<SelectionKey> each = this::ready;

    /**
     * A selector for one loop.
     *
     * @param waiting the waits of its owner; where others select, too, it waits whenever its owner is not at work
     * @param loops the program's, or what is shared; null for one of its own
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
        given = loops != null;
        shared = loops != null && loops.shared();
        this.aside = aside;
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
            last = Thread.currentThread();
            waiting.end();
        }
    }

    /** It has polled: others may be selecting from now on, and what is wanted ends that, or the next time at once. */
    public void endPoll() {
        if (given && !waiting.begin()) {
            wakeup();
        }
    }

    /** A wait of the owner is over; else as {@link #endPoll}. */
    public void endWait() {
        waiting.end();
        if (given) {
            last = Thread.currentThread();
            waiting.begin();
            if (!shared) {
                selector.wakeup(); // one that was meant for the program may have ended this wait
            }
        }
    }

    /** Ends a wait under way, or the next one at once. Any thread. */
    public void wakeup() {
        if (!shared || last != Thread.currentThread()) {
            selector.wakeup();
        }
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
            if (given && !shared) {
                if (nanos > 0) {
                    selector.select(millis(nanos));
                } else {
                    selector.selectNow();
                }
                takeSelected();
            } else if (nanos > 0) {
                selector.select(each, millis(nanos));
            } else {
                selector.selectNow(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts aside what is ready now; where the program selects, what it has selected. */
    public void look() {
        if (given && !shared) {
            takeSelected();
        } else {
            select(0); // keys of others that share it are ready for them, too, when they look
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
     * selects, that comes with its next selection: one of ours would take a wakeup away that is meant for it. So it does where it is shared, and the caller is not the thread of those
     * that share it, which may be in it.
     */
    public void letGo() {
        if ((!given || (shared && isMine())) && selector.isOpen()) {
            try {
                selector.selectNow(LoopSelector::leaveForLater);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private boolean isMine() {
        return last == null || last == Thread.currentThread();
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
