package dev.jwarp.sockets;

import dev.jwarp.verbs.ProgressCondition;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Selector of RDMA channels and JDK channels. It looks only at keys whose channel has reported a change, so idle keys
 * cost nothing. The selecting thread drives the context. If JDK channels are registered, too, the thread waits with a
 * selector of the JDK, and the caretaker drives the context.
 */
final class RdmaSelector extends AbstractSelector {
    private final SocketContext sockets;
    private final PlainSelection plain;
    private final ProgressCondition something;

    /** The condition that ends the driving of the caretaker while this selector waits with a selector of the JDK. */
    private final ProgressCondition somethingElsewhere;

    /**
     * Whether a selection waits with a selector of the JDK, while the caretaker drives the context for RDMA channels of
     * this selector.
     */
    private volatile boolean elsewhere;

    /** Number of keys of RDMA channels. */
    private final AtomicInteger driven = new AtomicInteger();

    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> keysSeen = Collections.unmodifiableSet(keys);
    private final Set<SelectionKey> selected = new HashSet<>();
    private final Set<SelectionKey> selectedSeen = new SelectedKeys(selected);

    /** Keys that may be ready; guarded by itself. */
    private final ArrayDeque<RdmaSelectionKey> asked = new ArrayDeque<>();

    /** Held while a key is made, and while all keys are closed, so that no key is missed. */
    private final Object registering = new Object();

    /** Whether a selection is running. */
    private boolean busy;

    private volatile boolean anyAsked;
    private volatile boolean woken;

    /** Whether a key was ready at the last look, including keys that were selected before. */
    private boolean anyReady;

    /** Keys of the current selection that may still be ready in the next one. */
    private final List<RdmaSelectionKey> again = new ArrayList<>();

    RdmaSelector(SelectorProvider provider, SocketContext sockets, PlainSelection plain) {
        super(provider);
        this.sockets = sockets;
        this.plain = plain;
        something = sockets.newCondition(() -> woken || anyAsked || !isOpen());
        somethingElsewhere = sockets.newCondition(() -> !elsewhere || woken || anyAsked || !isOpen());
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, @Nullable Object attachment) {
        synchronized (registering) {
            checkOpen();
            return newKey(channel, ops, attachment);
        }
    }

    private SelectionKey newKey(AbstractSelectableChannel channel, int ops, @Nullable Object attachment) {
        Readiness readiness = channel instanceof Readiness.Owner own ? own.readiness() : null;
        if (readiness != null && !readiness.context().equals(sockets)) {
            throw new IllegalSelectorException(); // a selecting thread drives one context only
        }
        RdmaSelectionKey key = new RdmaSelectionKey(this, channel, readiness);
        key.attach(attachment);
        if (readiness != null) {
            driven.incrementAndGet();
            readiness.add(key);
        } else {
            key.bePlain(channel);
        }
        keys.add(key);
        try {
            key.interestOps(ops);
        } catch (RuntimeException e) {
            forget(key);
            throw e;
        }
        return key;
    }

    /** Ends the current wait, because a first JDK channel needs another kind of wait. Any thread. */
    void lookAgain() {
        anyAsked = true;
        signal();
    }

    /** {@return its channels of the JDK} */
    PlainSelection plain() {
        return plain;
    }

    /** Queues a key that may be ready. Any thread. */
    void ask(RdmaSelectionKey key) {
        synchronized (asked) {
            if (!key.ask(true)) {
                return;
            }
            asked.add(key);
            anyAsked = true;
        }
        signal();
    }

    private void signal() {
        something.signal();
        if (elsewhere) {
            somethingElsewhere.signal();
            plain.wakeup();
        }
    }

    @Override
    public Set<SelectionKey> keys() {
        checkOpen();
        return keysSeen;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        checkOpen();
        return selectedSeen;
    }

    private void checkOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    // ---- selection

    @Override
    public int selectNow() throws IOException {
        return selecting(null, 0);
    }

    @Override
    public int select(long timeout) throws IOException {
        return selecting(null, nanos(timeout));
    }

    @Override
    public int select() throws IOException {
        return selecting(null, Long.MAX_VALUE);
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return selecting(requireAction(action), 0);
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
        return selecting(requireAction(action), nanos(timeout));
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return selecting(requireAction(action), Long.MAX_VALUE);
    }

    private static Consumer<SelectionKey> requireAction(Consumer<SelectionKey> action) {
        return Objects.requireNonNull(action, "action");
    }

    private static long nanos(long millis) {
        if (millis < 0) {
            throw new IllegalArgumentException("a time-out is 0 or more milliseconds, not " + millis);
        }
        return millis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private int selecting(@Nullable Consumer<SelectionKey> action, long nanos) throws IOException {
        synchronized (this) {
            checkOpen();
            if (busy) {
                throw new IllegalStateException("an action of a selection cannot select with the same selector");
            }
            busy = true;
            try {
                synchronized (selectedSeen) {
                    forgetCancelled();
                    int count = waiting(action, nanos);
                    forgetCancelled();
                    return count;
                }
            } finally {
                busy = false;
            }
        }
    }

    private int waiting(@Nullable Consumer<SelectionKey> action, long nanos) throws IOException {
        boolean blocks = nanos > 0;
        boolean timed = blocks && nanos != Long.MAX_VALUE;
        long deadline = timed ? System.nanoTime() + nanos : Long.MAX_VALUE;
        long left = nanos;
        if (!blocks) {
            sockets.poll();
        }
        try {
            if (blocks) {
                begin();
            }
            while (true) {
                int count = look(action);
                if (anyReady
                        || woken
                        || left <= 0
                        || !isOpen()
                        || Thread.currentThread().isInterrupted()) {
                    return count;
                }
                await(left);
                left = timed ? deadline - System.nanoTime() : nanos;
            }
        } finally {
            woken = false;
            if (blocks) {
                end();
            }
        }
    }

    /** Drives the context, or waits with a selector of the JDK if there are JDK channels. */
    private void await(long nanos) throws IOException {
        if (plain.any()) {
            awaitElsewhere(nanos);
        } else {
            sockets.await(something, nanos == Long.MAX_VALUE ? SocketContext.FOR_EVER : Duration.ofNanos(nanos));
        }
    }

    private void awaitElsewhere(long nanos) throws IOException {
        Caretaker caretaker = sockets.caretaker();
        boolean drives = driven.get() > 0;
        elsewhere = true;
        if (drives) {
            caretaker.driveFor(somethingElsewhere);
        }
        try {
            plain.await(nanos, () -> woken || anyAsked);
        } finally {
            elsewhere = false;
            if (drives) {
                caretaker.driveNoMoreFor(somethingElsewhere);
            }
        }
    }

    /**
     * Looks at the keys that may be ready.
     *
     * @return the number of keys that were selected or passed to the action
     */
    private int look(@Nullable Consumer<SelectionKey> action) throws IOException {
        plain.look();
        anyReady = false;
        int count = 0;
        try {
            RdmaSelectionKey key = next();
            while (key != null) {
                int ops = key.isValid() ? key.wanted() : 0;
                if (ops != 0) {
                    anyReady = true;
                    if (!key.isPlain()) {
                        again.add(key);
                    }
                    count += select(key, ops, action);
                }
                key = next();
            }
        } finally { // also when an action has thrown
            for (int i = 0; i < again.size(); i++) { // no iterator for each call
                again.get(i).mayBeReady();
            }
            again.clear();
        }
        return count;
    }

    private @Nullable RdmaSelectionKey next() {
        synchronized (asked) {
            RdmaSelectionKey key = asked.poll();
            anyAsked = !asked.isEmpty();
            if (key != null) {
                key.ask(false); // a change from now on asks again
            }
            return key;
        }
    }

    private int select(RdmaSelectionKey key, int ops, @Nullable Consumer<SelectionKey> action) {
        if (action != null) {
            key.ready(ops);
            action.accept(key);
            checkOpen(); // the action may have closed it
            return 1;
        }
        if (selected.add(key)) {
            key.ready(ops);
            return 1;
        }
        int before = key.ready();
        key.ready(before | ops);
        return (before | ops) == before ? 0 : 1;
    }

    @Override
    public Selector wakeup() {
        woken = true;
        signal();
        return this;
    }

    // ---- the end of keys

    private void forgetCancelled() {
        Set<SelectionKey> cancelled = cancelledKeys();
        synchronized (cancelled) {
            if (cancelled.isEmpty()) {
                return; // no iterator for each call
            }
            for (Iterator<SelectionKey> each = cancelled.iterator(); each.hasNext(); ) {
                forget((RdmaSelectionKey) each.next());
                each.remove();
            }
        }
    }

    private void forget(RdmaSelectionKey key) {
        keys.remove(key);
        selected.remove(key);
        Readiness readiness = key.readiness();
        if (readiness != null) {
            readiness.remove(key);
            driven.decrementAndGet();
        }
        key.forgetPlain();
        deregister((AbstractSelectionKey) key);
    }

    @Override
    protected void implCloseSelector() throws IOException {
        wakeup();
        synchronized (this) {
            synchronized (selectedSeen) {
                List<SelectionKey> left;
                synchronized (registering) {
                    left = List.copyOf(keys);
                }
                for (SelectionKey key : left) {
                    key.cancel();
                    forget((RdmaSelectionKey) key);
                }
                selected.clear();
                something.close();
                somethingElsewhere.close();
                plain.close();
            }
        }
    }

    /** The selected keys for the program, which can remove keys but not add any. */
    private static final class SelectedKeys extends AbstractSet<SelectionKey> {
        private final Set<SelectionKey> all;

        SelectedKeys(Set<SelectionKey> all) {
            this.all = all;
        }

        @Override
        public Iterator<SelectionKey> iterator() {
            return all.iterator();
        }

        @Override
        public int size() {
            return all.size();
        }

        @Override
        public boolean contains(@Nullable Object key) {
            return key != null && all.contains(key);
        }

        @Override
        public boolean remove(@Nullable Object key) {
            return key != null && all.remove(key);
        }

        @Override
        public void clear() {
            all.clear();
        }
    }
}
