package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.SignOfLife;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;

/**
 * The second connection, whose queue pair is measured, and its memory: {@code own} for this side's Sends and Reads, and
 * {@code open} for the peer's Writes and Reads. One thread. Allocates nothing while messages move.
 */
final class Data implements AutoCloseable {
    private static final int BATCH = 16;
    /** Empty polls between two looks at the clock, after which the thread yields. */
    private static final int VAIN_LOOKS = 1 << 6;
    /** Empty polls after which the thread sleeps a little: the peer may need this processor. */
    private static final int SLEEPY = 1 << 11;
    /** Time of a sleep. It is short, because a completion ends the sleep but a Write into memory does not. */
    private static final Duration NAP = Duration.ofMillis(1);

    /** Polls between two checks for the user's request to end. */
    private static final int POLLS = 1 << 12;

    private final Link link;
    private final Console console;
    private final long limitNanos;
    private final MemoryRegion own;
    private final MemoryRegion open;
    private final Steps steps;
    private final boolean receives;
    private final WorkCompletion[] got = WorkCompletion.array(BATCH);
    private final SignOfLife life;
    private int polls;
    private long done;
    private int doneSize;
    private int looks;
    private long idleSince;

    /** @param link not yet connected or accepted */
    Data(Link link, Console console, PerftestSettings settings, Steps steps) {
        this.link = link;
        this.console = console;
        this.steps = steps;
        limitNanos = settings.answerLimit().toNanos();
        life = new SignOfLife(console, settings.interval());
        int room = steps.room(settings.largest());
        PerftestProgram.Operation operation = settings.program().operation();
        receives = operation == PerftestProgram.Operation.SEND;
        own = link.allocate(room, AccessFlag.LOCAL_WRITE);
        open = switch (operation) {
            case READ -> link.allocate(room, AccessFlag.REMOTE_READ);
            case WRITE -> link.allocate(room, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            // The peer writes only credits here; its Sends arrive in own memory.
            case SEND -> link.allocate(Credit.LENGTH, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        };
        if (!receives) {
            // The peer sends nothing. The receive is flushed when the connection ends, which wakes a thread that
            // watches memory.
            link.queuePair().postReceive(new ReceiveWorkRequest());
        }
    }

    /** {@return the depths of its queues} */
    static Link.Depths depths(PerftestSettings settings) {
        boolean receives = settings.program().operation() == PerftestProgram.Operation.SEND;
        return new Link.Depths(Math.max(settings.sendDepth(), Receiver.SLOTS), receives ? settings.receiveDepth() : 1);
    }

    Link link() {
        return link;
    }

    QueuePair queuePair() {
        return link.queuePair();
    }

    MemoryRegion own() {
        return own;
    }

    MemoryRegion open() {
        return open;
    }

    Steps steps() {
        return steps;
    }

    long now() {
        return console.nanoTime().getAsLong();
    }

    /**
     * Takes completions without waiting, and makes progress.
     *
     * @return the number of completions, all of them successes; see {@link #got}
     * @throws ToolFailure if a work request failed, or after too long a time without progress of the peer
     */
    int poll() {
        if (++polls % POLLS == 0) {
            console.endIfAsked();
            live(now());
        }
        int taken = looks > SLEEPY ? link.await(got, NAP) : link.poll(got);
        for (int i = 0; i < taken; i++) {
            if (!got[i].succeeded()) {
                throw ended(got[i]);
            } else if (got[i].opcode().isReceive() && !receives) {
                throw new ToolFailure(
                        ExitStatus.MISMATCH,
                        link.peer() + " sent a message instead of a Write or a Read",
                        "is the same program of perftest at the other end?");
            }
        }
        if (taken > 0) {
            looks = 0;
        } else if (++looks % VAIN_LOOKS == 0 || looks > SLEEPY) {
            lookUp();
        }
        return taken;
    }

    /** Notes how many messages of this size are complete, also if there was no completion. */
    void done(long messages, int size) {
        done = messages;
        doneSize = size;
        looks = 0;
    }

    private void live(long now) {
        if (life.due(now)) {
            console.note(done + " messages of " + doneSize + " bytes with " + link.peer());
        }
    }

    /** {@return a completion of the latest {@link #poll}} */
    WorkCompletion got(int index) {
        return got[index];
    }

    @SuppressWarnings("ThreadPriorityCheck") // only the speed depends on it, if there are few processors
    private void lookUp() {
        long now = now();
        live(now);
        if (looks <= VAIN_LOOKS) {
            idleSince = now;
        } else if (now - idleSince > limitNanos) {
            throw ToolFailure.failed(
                    "nothing from " + link.peer() + " within " + Timeout.text(Duration.ofNanos(limitNanos)),
                    "are size, number of messages and depth of receives the same at both ends? They are not exchanged",
                    "--timeout sets the limit");
        }
        Thread.yield();
    }

    private ToolFailure ended(WorkCompletion completion) {
        return completion.status() == WorkCompletionStatus.WR_FLUSH_ERR
                ? link.brokenOff("in the middle of the test")
                : link.failed(completion);
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
