package dev.jwarp.io;

import dev.jwarp.base.Bells;
import dev.jwarp.base.Moment;
import dev.jwarp.base.TimerHeap;
import dev.jwarp.llp.AfterCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The event loop of sockets. Each step runs the notes of other threads, handles the items that were woken, fires
 * timers, and handles the input of sockets. One thread at a time is the owner: a caller of {@link #poll} or
 * {@link #await}, a dedicated thread, or an event loop of Netty. In steady state the loop allocates nothing.
 */
public final class Loop implements Ownership.Owned {
    /** Maximum number of sockets that a spinning caller reads directly; with more it polls the watcher. */
    private static final int READ_DIRECTLY = 4;

    /** Number of steps of a spinning caller between two polls of the watcher, for listeners. */
    private static final int STEPS_TO_LOOK = 64;

    /** Number of consecutive waits that find other work before the watcher is polled in any case. */
    private static final int BUSY_WAITS = 16;

    /**
     * Maximum number of items that run between two polls of the sockets, so that items that always want another turn do
     * not delay input.
     */
    private static final int TURNS = 64;

    /** All open loops. */
    private static final Set<Loop> ALL = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final SocketWatcher watcher;
    private final ByteBuffer ring;
    private final WaitMode mode;
    private final Consumer<Throwable> failed;
    private final Ownership ownership = new Ownership(this);
    private final Waiting waiting = new Waiting(this::isIdle, this::wakeWatcher);
    private final Bells<LoopItem> woken = new Bells<>();
    private final BlockingWait blockingWait = new BlockingWait(this);
    private final TimerHeap<LoopItem> timers = new TimerHeap<>();
    private final AfterCalls afterCalls = new AfterCalls();
    /** Bells that are taken and not heard yet. */
    private Bells.@Nullable Bell<LoopItem> taken;
    /** Items that the owner itself has woken, without a bell. */
    private @Nullable LoopItem wokenHere;

    /** Items of {@link #wokenHere} that are taken and have not had their turns yet. */
    private @Nullable LoopItem takenHere;

    private @Nullable Runnable atEndOfStep;
    private volatile boolean closed;

    private final LoopItems items = new LoopItems();
    private @Nullable SocketWatch[] ready = new SocketWatch[64];
    private int readyCount;
    private boolean channelsClosed;
    private int moreSockets;
    private int listeners;
    private int attention;
    private int stepsToLook;
    private int busyWaits;

    /** The time of the current step, read at the first use. */
    private long stepTime;

    private boolean stepTimed;

    /**
     * Creates a loop without sockets.
     *
     * @param ring size of the buffer that sockets are read into, bytes
     * @param failed receives the exceptions of notes
     * @throws IOException if the watcher cannot be opened
     */
    public Loop(WaitMode mode, int ring, SocketWatcher.Maker watcher, Consumer<Throwable> failed) throws IOException {
        this.mode = mode;
        this.failed = failed;
        this.ring = ByteBuffer.allocateDirect(ring);
        this.watcher = watcher.make(this); // the last step that may fail, so that nothing needs to be closed
        ALL.add(this);
    }

    // ---- any thread

    /**
     * Only the calling thread polls and waits from now on, without locks. Other threads may wake items and leave notes.
     * Before any other use.
     */
    public void useOnlyHere() {
        ownership.useOnlyHere();
    }

    /** Wakes an item: the owner will handle it. Allocates nothing. */
    public void wake(LoopItem item) {
        if (ownership.isMine() || ownership.isOnlyHere()) { // the caller handles the item itself
            if (!item.woken) {
                item.woken = true;
                item.nextWoken = wokenHere;
                wokenHere = item;
            }
        } else {
            woken.ring(item.bell);
        }
        waiting.signal();
        used();
    }

    /** Leaves a task for the owner. After the loop is closed the task runs at once, because no poll follows. */
    public void note(Runnable task) {
        ownership.note(task);
        used();
    }

    /** See {@link dev.jwarp.llp.Progressing#wakeup}. */
    public void wakeup() {
        waiting.wakeup();
        used();
    }

    private void used() {
        if (mode == WaitMode.BLOCK) {
            blockingWait.used();
        }
    }

    /** Runs a task on the owner: at once if the caller is the owner, or the thread that the loop runs on. */
    public void execute(Runnable task) {
        if (isHere()) {
            executeAsOwner(task);
        } else {
            note(task);
        }
    }

    /**
     * As {@link #execute}, but does not wait for a poll of the program: without an owner and without a thread of the
     * loop, the caller runs the task. An owner that is about to leave may defer the task to the next poll.
     */
    public void executeUnpolled(Runnable task) {
        if (isHere() || watcher.hasThread()) {
            execute(task);
        } else {
            ownership.executeOrNote(task);
            used();
        }
    }

    /** See {@link dev.jwarp.llp.Progressing#later}. */
    public void later(Runnable task) {
        if (ownership.isMine()) {
            afterCalls.add(task);
        } else if (closed) {
            ForkJoinPool.commonPool().execute(task); // not at once, because the caller may hold locks
        } else {
            note(() -> {
                if (closed) { // meanwhile: tasks after calls no longer run
                    task.run();
                } else {
                    afterCalls.add(task); // the author may become the owner for this note, but does not run the task
                }
            });
        }
    }

    /** {@return whether the caller is the owner} */
    public boolean isMine() {
        return ownership.isMine();
    }

    /** {@return whether the caller is the owner, or the thread that the loop runs on} */
    public boolean isHere() {
        return ownership.isMine() || watcher.isHere();
    }

    /** {@return whether the loop is closed} */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Runs {@code task} on the owner and waits for that; within a step of the caller, {@code task} runs at the end of
     * the step.
     */
    public void asOwner(Runnable task) {
        if (ownership.isMine()) {
            atEndOfStep = task;
        } else {
            ownership.executeAndWait(task);
        }
    }

    /**
     * Runs {@code task} on the owner and waits for that; within a step of the caller at once. If the loop has its own
     * thread, that thread runs {@code task}. Exceptions of {@code task} are thrown here.
     */
    public void executeAndWait(Runnable task) {
        Ownership.Awaited there = new Ownership.Awaited(() -> executeAsOwner(task));
        if (!isHere() && watcher.execute(there)) {
            there.awaitDone();
        } else {
            executeAsOwner(task);
        }
    }

    private void executeAsOwner(Runnable task) {
        try {
            ownership.executeAndWait(task);
        } finally {
            if (!ownership.isMine()) {
                waiting.signal(); // there may be new work, or an earlier timer
            }
        }
    }

    /**
     * As {@link #asOwner}, but on the thread of the loop if it has one, so that the callbacks about the end run there.
     * Does not wait if the loop has such a thread.
     */
    public void end(Runnable task) {
        if (ownership.isMine() || !watcher.execute(() -> asOwner(task))) {
            asOwner(task);
        }
    }

    /**
     * Closes a listener on the owner, and waits until its port is free. On the thread of another loop the call does not
     * wait, because two loops could wait for each other.
     */
    public void closeListener(Runnable close) {
        Runnable whole = () -> {
            close.run();
            watcher.letGo();
        };
        if (watcher.hasThread() && !isHere() && isAnyHere()) {
            note(whole);
        } else {
            ownership.executeAndWait(whole);
            watcher.awaitLetGo();
        }
    }

    private static boolean isAnyHere() {
        synchronized (ALL) {
            return ALL.stream().anyMatch(Loop::isHere);
        }
    }

    /** {@return the loop's clock, nanoseconds} */
    public long now() {
        return System.nanoTime();
    }

    /** Connections make progress, and callbacks run, only while a thread polls, except when the loop is closed. */
    @Override
    public boolean notesWaitForPoll() {
        return !closed;
    }

    @Override
    public void onNote() {
        waiting.signal();
    }

    @Override
    public void onUrgentNote() {
        waiting.signal();
        blockingWait.breakOff();
    }

    private void wakeWatcher() {
        watcher.wakeup();
    }

    // ---- the caller of poll and await

    /** See {@link dev.jwarp.llp.Progressing#poll}. */
    public boolean poll() {
        if (closed || !ownership.enter()) {
            return false;
        }
        try {
            blockingWait.leave();
            watcher.beginPoll();
            try {
                return !closed && step();
            } finally {
                watcher.endPoll();
            }
        } finally {
            ownership.leave();
        }
    }

    /** See {@link dev.jwarp.llp.Progressing#flush}. */
    public boolean flush() {
        if (closed || !ownership.enter()) {
            return false;
        }
        try {
            boolean did = !closed && workWithoutInput();
            endStep();
            return did;
        } finally {
            ownership.leave();
        }
    }

    /** {@return whether a key that the program selected belongs to this loop} The program's thread. */
    public boolean ready(SelectionKey key) {
        return watcher.ready(key);
    }

    /** See {@link dev.jwarp.llp.Progressing#untilPoll}. */
    public long untilPoll() {
        if (!isIdle() || waiting.isWakeRequested()) {
            return 0;
        }
        return Math.max(0, until(timers.next()));
    }

    /** See {@link dev.jwarp.llp.Progressing#await}. */
    public void await(long nanos) {
        if (closed || !ownership.enter()) {
            return;
        }
        try {
            long deadline = nanos == Long.MAX_VALUE ? nanos : Moment.after(now(), nanos);
            if (mode == WaitMode.SPIN) {
                spin(deadline);
            } else if (mode == WaitMode.SELECT || deadline != Long.MAX_VALUE || !blockingWait.tryRead()) {
                blockingWait.leave();
                select(deadline);
            } else {
                endStep();
            }
        } finally {
            ownership.leave();
        }
    }

    private void spin(long deadline) {
        while (!closed && !step() && !waiting.isWakeRequested() && (deadline == Long.MAX_VALUE || now() < deadline)) {
            Thread.onSpinWait();
        }
        waiting.end();
    }

    private void select(long deadline) {
        if (closed) {
            return;
        }
        if (workBeforeWait()) {
            endStep();
            return;
        }
        try {
            watcher.select(waiting.begin() ? until(Math.min(deadline, timers.next())) : 0);
        } finally {
            watcher.endWait();
        }
        stepTimed = false;
        handleReady();
        workWithoutInput();
        endStep();
    }

    private long until(long time) {
        return time == Long.MAX_VALUE ? Long.MAX_VALUE : time - now();
    }

    /**
     * {@return whether work was done, so that this call does not wait} Input may be left to the next call, but output
     * must not delay it for ever.
     */
    boolean workBeforeWait() {
        if (!workWithoutInput()) {
            busyWaits = 0;
            return false;
        }
        if (hasWoken() || ++busyWaits >= BUSY_WAITS) {
            busyWaits = 0;
            blockingWait.leave(); // the selector sees no channel that blocks
            lookAtReady();
        }
        return true;
    }

    private boolean step() {
        boolean did = workWithoutInput();
        if (did) {
            stepTimed = false; // an answer to the data just sent cannot have arrived yet
        }
        if (mode == WaitMode.SPIN && items.size() + moreSockets <= READ_DIRECTLY) {
            for (int i = items.size() - 1; i >= 0; i--) {
                did |= i < items.size() && read(items.get(i));
            }
            if (attention > 0 || (listeners > 0 && --stepsToLook <= 0)) {
                stepsToLook = STEPS_TO_LOOK;
                did |= lookAtReady();
            }
        } else {
            did |= lookAtReady();
        }
        did |= afterCalls.run();
        did |= lookAtWoken();
        endStep();
        return did;
    }

    /** {@return whether there was input} Reads an item's socket. An exception affects only this item. */
    public boolean read(LoopItem item) {
        try {
            return item.read();
        } catch (Throwable e) {
            item.fault(e, now());
            return true;
        }
    }

    /** {@return whether work was done} Runs notes, woken items and timers: the beginning of a step. */
    boolean workWithoutInput() {
        stepTimed = false;
        boolean did = ownership.runNotes();
        did |= afterCalls.run();
        did |= lookAtWoken();
        did |= fireTimers();
        return did;
    }

    private boolean lookAtWoken() {
        if (taken == null && takenHere == null) { // all others first, so that none waits for ever
            taken = woken.takeAll();
            takenHere = wokenHere;
            wokenHere = null;
        }
        int turns = 0;
        for (LoopItem item = nextTaken(); item != null; item = turns < TURNS ? nextTaken() : null) {
            turns++;
            long now = stepTime();
            try {
                item.onWoken(now);
            } catch (Throwable e) {
                item.fault(e, now);
            }
        }
        return turns > 0;
    }

    private @Nullable LoopItem nextTaken() {
        LoopItem item = takenHere;
        if (item != null) {
            takenHere = item.nextWoken;
            item.nextWoken = null;
            item.woken = false;
            return item;
        }
        Bells.Bell<LoopItem> bell = taken;
        if (bell == null) {
            return null;
        }
        taken = woken.next(bell);
        woken.heard(bell);
        return bell.of();
    }

    /** {@return whether a woken item waits for its turn} */
    private boolean hasWoken() {
        return takenHere != null || wokenHere != null || taken != null || !woken.isEmpty();
    }

    private boolean fireTimers() {
        if (timers.size() == 0 || timers.next() > stepTime()) {
            return false;
        }
        long now = stepTime();
        boolean did = false;
        blockingWait.leave(); // an item whose timer is due reads first, and must not wait for input
        // One round: an item that schedules a past time again runs in the next.
        for (int i = timers.size(); i > 0; i--) {
            LoopItem due = timers.pollDue(now);
            if (due == null) {
                break;
            }
            did = true;
            try {
                due.onTimer(now);
            } catch (Throwable e) {
                due.fault(e, now);
            }
        }
        return did;
    }

    private boolean lookAtReady() {
        if (closed) { // by a note that has just run
            return false;
        }
        watcher.look();
        return handleReady();
    }

    /**
     * {@return whether sockets were ready} Items are handled after the call of the watcher, because they may use the
     * watcher themselves.
     */
    private boolean handleReady() {
        if (readyCount == 0) {
            return false;
        }
        long now = stepTime();
        int handled = 0;
        try {
            while (handled < readyCount) {
                @SuppressWarnings("NullAway") // all entries up to readyCount are set
                SocketWatch watch = ready[handled];
                ready[handled++] = null;
                LoopItem item = watch.item();
                try {
                    item.onReady(watch.takeReady(), now);
                } catch (Throwable e) {
                    item.fault(e, now);
                }
            }
        } finally {
            System.arraycopy(ready, handled, ready, 0, readyCount - handled);
            readyCount -= handled;
        }
        return true;
    }

    private void endStep() {
        afterCalls.run();
        finishStep();
    }

    private void finishStep() {
        if (channelsClosed) {
            channelsClosed = false;
            watcher.letGo();
        }
        Runnable task = atEndOfStep;
        if (task != null) {
            atEndOfStep = null;
            task.run();
        }
    }

    // ---- for the owner

    private boolean isIdle() {
        return !hasWoken() && readyCount == 0 && !ownership.hasNotes() && afterCalls.isEmpty();
    }

    /** Tasks after calls wait for a thread that polls. */
    @Override
    public void afterNotes() {
        finishStep();
    }

    @Override
    public void noteFailed(Throwable cause) {
        failed.accept(cause);
    }

    /**
     * {@return the time of the current step} Read lazily, because most steps of a spinning caller find no work and need
     * no time.
     */
    public long stepTime() {
        if (!stepTimed) {
            stepTimed = true;
            stepTime = now();
        }
        return stepTime;
    }

    /** {@return whether answers are sent before the next read: a spinning caller has nothing else to do} */
    public boolean spins() {
        return mode == WaitMode.SPIN;
    }

    /** {@return the watcher of the sockets} */
    public SocketWatcher watcher() {
        return watcher;
    }

    /**
     * {@return whether there is no work} From now on new work wakes the watcher. For a watcher that polls the loop
     * itself.
     */
    public boolean sleeps() {
        return waiting.begin();
    }

    /** The loop is about to be polled, or its wait has ended: new work need not wake the watcher. */
    public void works() {
        waiting.end();
    }

    /** Stores a ready socket, whose item handles it in this step or in the next. */
    public void aside(SocketWatch watch) {
        if (readyCount == ready.length) {
            ready = Arrays.copyOf(ready, 2 * readyCount);
        }
        ready[readyCount++] = watch;
    }

    /** {@return the timers of the items} */
    public TimerHeap<LoopItem> timers() {
        return timers;
    }

    /** {@return the buffer that sockets are read into; its content is handled before the next read} */
    public ByteBuffer ring() {
        return ring;
    }

    /** {@return the wait in a blocking read} */
    public BlockingWait blockingWait() {
        return blockingWait;
    }

    /** {@return the items that have sockets} */
    public LoopItems items() {
        return items;
    }

    /** {@return the tasks that run right after the owner's current call of an engine} */
    public AfterCalls afterCalls() {
        return afterCalls;
    }

    /** Changes the number of sockets beyond one per item. */
    public void moreSockets(int change) {
        moreSockets += change;
    }

    /** Changes the number of listeners. */
    public void listening(int change) {
        listeners += change;
    }

    /** Changes the number of items that need the watcher: those that connect, and those that wait for room to write. */
    public void attention(int change) {
        attention += change;
    }

    /** A channel was closed: the watcher releases it at the end of the step. */
    public void channelClosed() {
        channelsClosed = true;
    }

    /** {@return the only item if nothing else could need the owner; otherwise null} */
    @Nullable
    LoopItem onlyItem() {
        boolean only =
                items.size() == 1 && listeners == 0 && attention == 0 && timers.next() == Long.MAX_VALUE && isIdle();
        return only ? items.get(0) : null;
    }

    /** Closes the loop: aborts all items. Owner only. */
    public void close() {
        if (closed) {
            return;
        }
        blockingWait.leave();
        workWithoutInput();
        long now = now();
        for (int i = items.size() - 1; i >= 0; i--) {
            LoopItem item = i < items.size() ? items.get(i) : null;
            if (item != null) {
                try {
                    item.abort(now);
                } catch (Throwable e) {
                    item.fault(e, now);
                }
            }
        }
        closed = true;
        ALL.remove(this);
        while (afterCalls.run()) {} // no poll follows that would run them
        watcher.close();
    }
}
