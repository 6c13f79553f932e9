package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.Bells;
import dev.jwarp.base.Moment;
import dev.jwarp.base.TimerHeap;
import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.nio.Ownership;
import dev.jwarp.ddp.llp.nio.WaitMode;
import dev.jwarp.ddp.llp.nio.Waiting;
import dev.jwarp.transport.tcp.TcpSetting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a caller of {@code poll} or {@code await} goes through: notes left by other threads, connections that were woken,
 * input, timers. The caller is the owner for that time. In steady state nothing is allocated.
 */
final class TcpLoop implements Ownership.Owned {
    /** Up to so many connections a spinning caller reads each of them instead of asking the selector. */
    private static final int READ_DIRECTLY = 4;

    /** Steps of a spinning caller between two looks at the selector, for listeners. */
    private static final int STEPS_TO_SELECT = 64;

    /** Waits that did something else before the selector is asked in any case. */
    private static final int BUSY_WAITS = 16;

    private final NioShared shared;
    private final NioSelector selector;
    private final ByteBuffer ring;
    private final WaitMode mode;
    private final Ownership ownership = new Ownership(this);
    private final Waiting waiting = new Waiting(this::isIdle, this::wakeSelector);
    private final Bells<NioStream> woken = new Bells<>();
    private final BlockingWait blockingWait = new BlockingWait(this);
    private final TimerHeap<Timed> timers = new TimerHeap<>();
    private final AfterCalls afterCalls = new AfterCalls();
    private @Nullable Runnable atEndOfStep;
    private volatile boolean closed;

    private final StreamList streams = new StreamList();
    private int listeners;
    private int attention;
    private int stepsToSelect;
    private int busyWaits;

    /** The time of the step under way, once it was asked for. */
    private long stepTime;

    private boolean stepTimed;

    TcpLoop(NioShared shared) throws IOException {
        this(shared, null);
    }

    /** @param given what the program runs; null for its own selector */
    TcpLoop(NioShared shared, @Nullable GivenLoops given) throws IOException {
        this.shared = shared;
        mode = given == null ? WaitMode.of(shared.settings().text(TcpSetting.WAIT)) : WaitMode.SELECT;
        ring = ByteBuffer.allocateDirect((int) shared.settings().number(TcpSetting.RING));
        selector = new NioSelector(this, waiting, given); // the last: nothing before it has to be closed
    }

    // ---- for any thread

    /** Asks the owner to look at a connection. Allocates nothing. */
    void wake(NioStream stream) {
        woken.ring(stream.bell);
        waiting.signal();
        used();
    }

    /** Leaves a task for the owner. Once the loop is closed no poll comes, so it runs at once. */
    void note(Runnable task) {
        ownership.note(task);
        used();
    }

    /** See {@link dev.jwarp.ddp.llp.Transport#wakeup}. */
    void wakeup() {
        waiting.wakeup();
        used();
    }

    private void used() {
        if (mode == WaitMode.BLOCK) {
            blockingWait.used();
        }
    }

    /** Runs a task on the owner: at once if that is the caller. */
    void execute(Runnable task) {
        if (ownership.isMine()) {
            task.run();
        } else {
            note(task);
        }
    }

    /** See {@link dev.jwarp.ddp.llp.Transport#later}. */
    void later(Runnable task) {
        if (ownership.isMine()) {
            afterCalls.add(task);
        } else {
            note(task);
        }
    }

    /** {@return whether the caller is the owner} */
    boolean isMine() {
        return ownership.isMine();
    }

    /** Has {@code task} run by the owner, and waits for that; but behind the step under way if that is the caller's own. */
    void asOwner(Runnable task) {
        if (ownership.isMine()) {
            atEndOfStep = task;
        } else {
            ownership.executeAndWait(task);
        }
    }

    /** A listener's channel was closed: lets its port go. */
    void onListenerClosed(NioListener listener) {
        ownership.executeAndWait(() -> {
            listener.deregister();
            selector.letGo();
        });
    }

    long now() {
        return System.nanoTime();
    }

    /** Connections move, and those above hear of them, only while a thread polls; unless it is the end of all of them. */
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

    private void wakeSelector() {
        selector.wakeup();
    }

    // ---- the caller of poll and await

    /** See {@link dev.jwarp.ddp.llp.Transport#poll}. */
    boolean poll() {
        if (!ownership.enter()) {
            return false;
        }
        try {
            blockingWait.leave();
            selector.beginPoll();
            try {
                return !closed && step();
            } finally {
                selector.endPoll();
            }
        } finally {
            ownership.leave();
        }
    }

    /** See {@link dev.jwarp.ddp.llp.Progressing#flush}. */
    boolean flush() {
        if (!ownership.enter()) {
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

    /** {@return whether a key that the program selected is one of this loop} The program's thread. */
    boolean ready(SelectionKey key) {
        return selector.ready(key);
    }

    /** See {@link dev.jwarp.ddp.llp.Progressing#untilPoll}. */
    long untilPoll() {
        if (!isIdle() || waiting.isWakeRequested()) {
            return 0;
        }
        long next = timers.next();
        return next == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, next - now());
    }

    /** See {@link dev.jwarp.ddp.llp.Transport#await}. */
    void await(long nanos) {
        if (!ownership.enter()) {
            return;
        }
        try {
            long deadline = Moment.after(now(), nanos);
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
            selector.select(waiting.begin() ? Math.min(deadline, timers.next()) - now() : 0);
        } finally {
            selector.endWait();
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
        if (!woken.isEmpty() || ++busyWaits >= BUSY_WAITS) {
            busyWaits = 0;
            blockingWait.leave(); // the selector sees no channel that blocks
            selectNow();
        }
        return true;
    }

    private boolean step() {
        boolean did = workWithoutInput();
        if (mode == WaitMode.SPIN && streams.size() <= READ_DIRECTLY) {
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
        boolean did = ownership.runNotes();
        did |= afterCalls.run();
        did |= lookAtWoken();
        did |= fireTimers();
        return did;
    }

    private boolean lookAtWoken() {
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
        blockingWait.leave(); // one that is due reads first, and must not wait there
        // One round: one that asks again for a time that has passed comes in the next.
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
        if (closed) { // by a note that ran just now
            return false;
        }
        selector.look();
        return selector.handleReady(ring);
    }

    private void endStep() {
        afterCalls.run();
        finishStep();
    }

    private void finishStep() {
        selector.letGoIfClosed();
        Runnable task = atEndOfStep;
        if (task != null) {
            atEndOfStep = null;
            task.run();
        }
    }

    // ---- for the owner

    private boolean isIdle() {
        return woken.isEmpty() && !ownership.hasNotes() && afterCalls.isEmpty();
    }

    /** Whatever thread it is: what comes after calls waits for one that polls. */
    @Override
    public void afterNotes() {
        finishStep();
    }

    @Override
    public void noteFailed(Throwable cause) {
        shared.noteFailed(cause);
    }

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

    AfterCalls afterCalls() {
        return afterCalls;
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
        boolean only =
                streams.size() == 1 && listeners == 0 && attention == 0 && timers.next() == Long.MAX_VALUE && isIdle();
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
