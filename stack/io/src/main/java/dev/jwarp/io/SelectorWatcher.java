package dev.jwarp.io;

import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.nio.SystemChannels;
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
 * A watcher on a java.nio selector: the loop's own, or the program's, which also contains channels of the program and on
 * which the program selects. Owner only, except
 * {@link #wakeup}.
 */
public final class SelectorWatcher implements SocketWatcher {
    private static final long NANOS_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Loop loop;
    private final Selector selector;
    /** The selector is the program's, so it contains other keys too. */
    private final boolean given;

    /** Whether the loop has a dedicated thread. */
    private volatile boolean threaded;

    /** Takes each ready key, including other keys. */
    private final Consumer<SelectionKey> each = this::ready;

    /**
     * Creates a watcher for one loop.
     *
     * @param loop the loop; on a selector of the program it counts as waiting whenever its owner is not at work
     * @param loops the selector of the program; null for an own selector
     * @param transport name of the transport
     * @throws IOException if no selector can be opened
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

    /** The loop has a dedicated thread from now on. */
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
            selector.wakeup(); // a wakeup that was meant for the program may have ended this wait
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    /** A registered channel; it is the attachment of its key. */
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

    /** On a selector of the program: the keys that the program has selected. */
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

    /** {@return the timeout of a selection; 0 for none, for which the selector reads no clock} */
    private static long millis(long nanos) {
        return nanos == Long.MAX_VALUE
                ? 0
                : Math.min(Integer.MAX_VALUE, nanos / NANOS_A_MILLI + (nanos % NANOS_A_MILLI == 0 ? 0 : 1));
    }

    /**
     * On a selector of the program, the next selection of the program releases closed channels; a selection here could
     * consume a wakeup that is meant for the program.
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

    /** No effect: ready sockets are still ready at the next selection. */
    private static void leaveForLater(SelectionKey key) {}

    /** Closes an own selector. */
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
