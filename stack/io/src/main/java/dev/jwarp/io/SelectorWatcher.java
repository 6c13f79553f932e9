package dev.jwarp.io;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.nio.SystemChannels;
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
import org.jspecify.annotations.Nullable;

/**
 * A selector of java.nio: the loop's own, or the program's, which selects, and has channels of its own there. Owner only, but for
 * {@link #wakeup}.
 */
public final class SelectorWatcher implements SocketWatcher {
    private static final long NANOS_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Loop loop;
    private final Selector selector;
    /** The program's: keys of others are there, too. */
    private final boolean given;

    /** Whether a thread does nothing but to wait in the loop. */
    private volatile boolean threaded;

    /** Takes each key that is ready, also of others. */
    private final Consumer<SelectionKey> each = this::ready;

    /**
     * A selector for one loop.
     *
     * @param loop where the program selects, it waits whenever its owner is not at work
     * @param loops the program's; null for one of its own
     * @param transport whose loop it is
     * @throws IOException if none can be opened
     * @throws IllegalArgumentException if {@code loops} are no selector
     */
    public SelectorWatcher(Loop loop, @Nullable GivenLoops loops, String transport) throws IOException {
        this.loop = loop;
        given = loops != null;
        if (loops == null) {
            selector = SystemChannels.provider().openSelector();
        } else if (loops.loops() instanceof Selector theirs && loops.choice() == null) {
            selector = theirs;
        } else {
            throw loops.unfit(transport, "one java.nio.channels.Selector, without a choice");
        }
        if (given) {
            loop.sleeps(); // the program may be selecting before it polls for the first time
        }
    }

    /** A thread does nothing but to wait in the loop, from now on. */
    void onThread() {
        threaded = true;
    }

    @Override
    public boolean hasThread() {
        return threaded;
    }

    @Override
    public boolean execute(Runnable task) {
        if (threaded) {
            loop.note(task);
        }
        return threaded;
    }

    @Override
    public void beginPoll() {
        if (given) {
            loop.works();
        }
    }

    @Override
    public void endPoll() {
        if (given && !loop.sleeps()) {
            wakeup();
        }
    }

    @Override
    public void endWait() {
        loop.works();
        if (given) {
            loop.sleeps();
            selector.wakeup(); // one that was meant for the program may have ended this wait
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    /** A key; it is its own attachment. */
    private static final class KeyWatch implements SocketWatch {
        private final LoopItem item;
        private @Nullable SelectionKey key;

        KeyWatch(LoopItem item) {
            this.item = item;
        }

        @Override
        public LoopItem item() {
            return item;
        }

        @Override
        public void want(int operations) {
            SelectionKey current = key;
            if (current != null && current.isValid()) {
                current.interestOps(operations);
            }
        }

        @Override
        public int takeReady() {
            SelectionKey current = key;
            return current != null && current.isValid() ? current.readyOps() : 0;
        }

        @Override
        public void cancel() {
            SelectionKey current = key;
            if (current != null) {
                key = null;
                current.cancel();
            }
        }
    }

    @Override
    public SocketWatch watch(SelectableChannel channel, int operations, LoopItem item) throws ClosedChannelException {
        KeyWatch watch = new KeyWatch(item);
        watch.key = channel.register(selector, operations, watch);
        return watch;
    }

    @Override
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
                selector.select(each, millis(nanos));
            } else {
                selector.selectNow(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the program selects: what it has selected. */
    @Override
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

    @Override
    public boolean ready(SelectionKey key) {
        if (key.attachment() instanceof KeyWatch watch && watch.item.isOf(loop)) {
            loop.aside(watch);
            return true;
        }
        return false;
    }

    private static long millis(long nanos) {
        return Math.min(Integer.MAX_VALUE, nanos / NANOS_A_MILLI + (nanos % NANOS_A_MILLI == 0 ? 0 : 1));
    }

    /**
     * Where the program selects, its next selection lets go of closed channels: one of ours would take a wakeup away that is meant for
     * the program.
     */
    @Override
    public void letGo() {
        if (!given && selector.isOpen()) {
            try {
                selector.selectNow(SelectorWatcher::leaveForLater);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What is ready now is ready at the next look too. */
    private static void leaveForLater(SelectionKey key) {}

    /** Closes it if it is its own. */
    @Override
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
