package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.Bells;
import dev.jwarp.base.TimerHeap;
import dev.jwarp.transport.tcp.TcpSetting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a caller of {@code poll} or {@code await} goes through: notes left by other threads, connections that were woken,
 * input, timers. The caller is the owner for that time. In steady state nothing is allocated.
 */
final class TcpLoop {
    /** Up to so many connections a spinning caller reads each of them instead of asking the selector. */
    private static final int READ_DIRECTLY = 4;

    /** Steps of a spinning caller between two looks at the selector, for listeners. */
    private static final int STEPS_TO_SELECT = 64;

    /** Waits that did something else before the selector is asked in any case. */
    private static final int BUSY_WAITS = 16;

    private final NioShared shared;
    private final NioSelector selector;
    private final ByteBuffer ring;
    private final TcpWaitMode mode;
    private final Mailbox mailbox;
    private final BlockingWait blockingWait;
    private final TimerHeap<Timed> timers = new TimerHeap<>();
    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();

    /** Threads that want to be the owner for a moment, or are; and how many there have been, counted second. */
    private final AtomicInteger borrowers = new AtomicInteger();

    private final AtomicInteger borrowings = new AtomicInteger();
    private @Nullable Runnable atEndOfStep;
    private volatile boolean closed;

    private final StreamList streams = new StreamList();
    private int listeners;
    private int attention;
    private int stepsToSelect;
    private int busyWaits;

    /** The time of the step under way, once somebody has asked. */
    private long stepTime;

    private boolean stepTimed;

    TcpLoop(NioShared shared) throws IOException {
        this.shared = shared;
        mode = TcpWaitMode.of(shared.settings());
        ring = ByteBuffer.allocateDirect((int) shared.settings().number(TcpSetting.RING));
        selector = new NioSelector(this); // nothing before it has to be closed
        try {
            mailbox = new Mailbox(selector);
            blockingWait = new BlockingWait(this);
        } catch (Throwable e) {
            selector.close();
            throw e;
        }
    }

    // ---- for any thread

    /** Asks the owner to look at a connection. */
    void wake(NioStream stream) {
        mailbox.wake(stream);
        used();
    }

    /** Leaves a task for the owner. Once the loop is closed nobody polls, so it runs at once. */
    void note(Runnable task) {
        mailbox.note(task);
        used();
        runLateNotes();
    }

    /** See {@link dev.jwarp.ddp.llp.Transport#wakeup}. */
    void wakeup() {
        mailbox.wakeup();
        used();
    }

    private void used() {
        if (mode == TcpWaitMode.BLOCK) {
            blockingWait.used();
        }
    }

    /** Runs a task on the owner: at once if that is the caller. */
    void execute(Runnable task) {
        if (owner.get() == Thread.currentThread()) {
            task.run();
        } else {
            note(task);
        }
    }

    /**
     * Runs {@code task} as the owner: at once if nobody else is, after the step under way if that is the caller's own,
     * otherwise as soon as the other caller has left, who is woken.
     */
    void asOwner(Runnable task) {
        Thread caller = Thread.currentThread();
        if (owner.get() == caller) {
            atEndOfStep = task;
            return;
        }
        borrowers.incrementAndGet();
        borrowings.incrementAndGet();
        while (!owner.compareAndSet(null, caller)) {
            mailbox.wakeup();
            blockingWait.breakOff();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
        }
        try {
            task.run();
        } finally {
            leave();
            borrowers.decrementAndGet();
        }
    }

    /** A listener's channel was closed: lets its port go. */
    void onListenerClosed(NioListener listener) {
        Runnable task = () -> {
            listener.deregister();
            selector.letGo();
        };
        if (owner.get() == Thread.currentThread()) {
            task.run();
        } else {
            asOwner(task);
        }
    }

    long now() {
        return System.nanoTime();
    }

    // ---- the caller of poll and await

    /** {@return false if the caller is the owner already: a call from within a callback} */
    private boolean enter() {
        Thread caller = Thread.currentThread();
        int seen = borrowings.get();
        // Who polls again and again would leave no gap for others: they go first.
        while (borrowers.get() > 0 || !owner.compareAndSet(null, caller)) {
            if (owner.get() == caller) {
                return false;
            }
            // Whoever closes a listener or the transport may be the owner for a moment; that is not the caller's fault.
            // Without borrowers before and after, and none in between, the owner is another poller.
            if (borrowers.get() == 0 && owner.get() != null && borrowings.get() == seen) {
                throw new IllegalStateException("two threads poll one transport: only one may at a time");
            }
            seen = borrowings.get();
            Thread.onSpinWait();
        }
        return true;
    }

    private void leave() {
        owner.set(null);
        runLateNotes();
    }

    /**
     * Runs the notes that come when the loop is closed. Whoever leaves one tries, and so does whoever was the owner at
     * that moment, when it leaves: so none stays, and nobody waits for another.
     */
    private void runLateNotes() {
        while (closed && mailbox.hasNotes() && owner.get() == null) {
            borrowers.incrementAndGet();
            borrowings.incrementAndGet();
            try {
                if (owner.compareAndSet(null, Thread.currentThread())) {
                    try {
                        runNotes();
                    } finally {
                        owner.set(null);
                    }
                }
            } finally {
                borrowers.decrementAndGet();
            }
        }
    }

    private boolean runNotes() {
        boolean did = false;
        for (Runnable note = mailbox.nextNote(); note != null; note = mailbox.nextNote()) {
            run(note);
            did = true;
        }
        return did;
    }

    /** Notes see to their own connections; what is left must not keep the others from being run. */
    private void run(Runnable note) {
        try {
            note.run();
        } catch (Throwable e) {
            shared.noteFailed(e);
        }
    }

    /** See {@link dev.jwarp.ddp.llp.Transport#poll}. */
    boolean poll() {
        if (!enter()) {
            return false;
        }
        try {
            blockingWait.leave();
            return !closed && step();
        } finally {
            leave();
        }
    }

    /** See {@link dev.jwarp.ddp.llp.Transport#await}. */
    void await(long nanos) {
        if (!enter()) {
            return;
        }
        try {
            long start = now();
            long deadline = nanos >= Long.MAX_VALUE - Math.max(0, start) ? Long.MAX_VALUE : start + nanos;
            if (mode == TcpWaitMode.SPIN) {
                spin(deadline);
            } else if (mode == TcpWaitMode.SELECT || deadline != Long.MAX_VALUE || !blockingWait.tryRead()) {
                blockingWait.leave();
                select(deadline);
            } else {
                endStep();
            }
        } finally {
            leave();
        }
    }

    private void spin(long deadline) {
        while (!closed && !step() && !mailbox.isWakeRequested() && (deadline == Long.MAX_VALUE || now() < deadline)) {
            Thread.onSpinWait();
        }
        mailbox.endWait();
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
            selector.select(mailbox.beginToWait() ? Math.min(deadline, timers.next()) - now() : 0);
        } finally {
            mailbox.endWait();
        }
        stepTimed = false;
        selector.handleReady(ring);
        workWithoutInput();
        endStep();
    }

    /**
     * {@return whether anything was done, so that this call does not wait} Input can wait for the next call, but not for ever: output
     * must not keep it out.
     */
    boolean workBeforeWait() {
        if (!workWithoutInput()) {
            busyWaits = 0;
            return false;
        }
        if (!mailbox.woken().isEmpty() || ++busyWaits >= BUSY_WAITS) {
            busyWaits = 0;
            blockingWait.leave(); // the selector sees no channel that blocks
            selectNow();
        }
        return true;
    }

    private boolean step() {
        boolean did = workWithoutInput();
        if (mode == TcpWaitMode.SPIN && streams.size() <= READ_DIRECTLY) {
            for (int i = streams.size() - 1; i >= 0; i--) {
                did |= i < streams.size() && read(streams.get(i));
            }
            if (attention > 0 || --stepsToSelect <= 0) {
                stepsToSelect = STEPS_TO_SELECT;
                did |= selectNow();
            }
        } else {
            did |= selectNow();
        }
        did |= lookAtWoken();
        endStep();
        return did;
    }

    /** {@return whether anything came} */
    boolean read(NioStream stream) {
        try {
            return stream.read(ring);
        } catch (Throwable e) {
            stream.fault(e, now());
            return true;
        }
    }

    /** {@return whether anything was done} Notes, woken connections and timers: a step begins with these. */
    boolean workWithoutInput() {
        stepTimed = false;
        boolean did = runNotes();
        did |= lookAtWoken();
        did |= fireTimers();
        return did;
    }

    private boolean lookAtWoken() {
        Bells<NioStream> woken = mailbox.woken();
        Bells.Bell<NioStream> bell = woken.takeAll();
        if (bell == null) {
            return false;
        }
        long now = stepTime();
        while (bell != null) {
            Bells.Bell<NioStream> taken = bell;
            NioStream looking = taken.of();
            bell = woken.next(taken);
            woken.heard(taken);
            try {
                if (looking.wasSilent(now)) {
                    read(looking);
                }
                looking.look(now);
            } catch (Throwable e) {
                looking.fault(e, now);
            }
        }
        return true;
    }

    private boolean fireTimers() {
        if (timers.size() == 0 || timers.next() > stepTime()) {
            return false;
        }
        long now = stepTime();
        blockingWait.leave(); // who is due reads first, and must not wait there
        // One round: who asks for a time that has passed again comes in the next.
        for (int i = timers.size(); i > 0; i--) {
            Timed due = timers.pollDue(now);
            if (due == null) {
                break;
            }
            try {
                due.onTimer(now);
            } catch (Throwable e) {
                due.fault(e, now);
            }
        }
        return true;
    }

    private boolean selectNow() {
        selector.select(0);
        return selector.handleReady(ring);
    }

    private void endStep() {
        selector.letGoIfClosed();
        Runnable task = atEndOfStep;
        if (task != null) {
            atEndOfStep = null;
            task.run();
        }
    }

    // ---- for the owner

    /** {@return the time of the step under way} Most steps of a spinning caller find nothing and need no time. */
    long stepTime() {
        if (!stepTimed) {
            stepTimed = true;
            stepTime = now();
        }
        return stepTime;
    }

    NioSelector selector() {
        return selector;
    }

    TimerHeap<Timed> timers() {
        return timers;
    }

    BlockingWait blockingWait() {
        return blockingWait;
    }

    StreamList streams() {
        return streams;
    }

    /** How many listeners there are. */
    void listening(int change) {
        listeners += change;
    }

    /** How many streams need the selector: to connect, to write. */
    void attention(int change) {
        attention += change;
    }

    /** {@return the only connection, if nothing else could need the owner; null otherwise} */
    @Nullable
    NioStream onlyStream() {
        boolean only = streams.size() == 1
                && listeners == 0
                && attention == 0
                && timers.next() == Long.MAX_VALUE
                && mailbox.isEmpty();
        return only ? streams.get(0) : null;
    }

    /** Ends it: aborts every connection. */
    void close() {
        blockingWait.leave();
        workWithoutInput();
        long now = now();
        for (int i = streams.size() - 1; i >= 0; i--) {
            NioStream stream = i < streams.size() ? streams.get(i) : null;
            try {
                if (stream != null) {
                    stream.abort(now);
                }
            } catch (Throwable e) {
                Objects.requireNonNull(stream).fault(e, now);
            }
        }
        closed = true;
        selector.close();
    }
}
