package dev.jwarp.transport.udp.nio;

import dev.jwarp.base.Bells;
import dev.jwarp.base.HostPort;
import dev.jwarp.base.Moment;
import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.ddp.llp.nio.LoopSelector;
import dev.jwarp.ddp.llp.nio.Ownership;
import dev.jwarp.ddp.llp.nio.WaitMode;
import dev.jwarp.ddp.llp.nio.Waiting;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.net.SocketAddresses;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a caller of {@code poll} or {@code await} goes through: notes left by other threads, ports that were woken, input,
 * timers. The caller is the owner for that time. In steady state nothing is allocated.
 */
final class UdpLoop implements Ownership.Owned {
    /** A slot for whatever a read may bring: no datagram is longer. */
    private static final int SLOT = 1 << 16;
    /** Datagrams read from a socket in one go: others want to get on too. */
    private static final int READS = 64;
    /** Up to so many sockets a spinning caller reads each of them instead of asking the selector. */
    private static final int READ_DIRECTLY = 4;

    private final UdpContext context;
    private final NioUdpSockets sockets;
    private final DatagramEngineFactory engines;
    private final WaitMode mode;
    private final LoopSelector selector;
    private final Ownership ownership = new Ownership(this);
    private final Waiting waiting = new Waiting(this::isIdle, this::wakeSelector);
    private final ByteBuffer in = ByteBuffer.allocateDirect(SLOT);
    private final SocketAddresses addresses = new SocketAddresses();
    private final List<NioPort> ports = new ArrayList<>();
    private final List<SelectionKey> readyKeys = new ArrayList<>();
    /** No port wants a timeout before this; it may be too early. */
    private long earliestTimeout = Long.MAX_VALUE;

    private int blockedPorts;
    /** Sockets that are registered. */
    private int open;
    /** The time of the step under way, once it was asked for: reading a clock takes time. */
    private long stepTime;

    private boolean stepTimed;
    private final Bells<NioPort> woken = new Bells<>();
    private final AfterCalls afterCalls = new AfterCalls();
    private volatile boolean closed;

    /** @param given what the program runs; null for its own selector */
    UdpLoop(UdpContext context, @Nullable GivenLoops given) throws IOException {
        this.context = context;
        sockets = new NioUdpSockets(context.settings(), context.counters());
        engines = context.newEngines();
        mode = given == null ? WaitMode.of(context.settings().text(UdpSetting.WAIT)) : WaitMode.SELECT;
        selector = new LoopSelector(waiting, given, "udp-nio", this::isOurs, readyKeys::add);
    }

    private boolean isOurs(@Nullable Object attachment) {
        return attachment instanceof NioPort port && port.isOf(this);
    }

    // ---- any thread

    UdpContext context() {
        return context;
    }

    Ownership ownership() {
        return ownership;
    }

    NioUdpSockets sockets() {
        return sockets;
    }

    long now() {
        return System.nanoTime();
    }

    /** A port asks for a look. */
    void wake(NioPort port) {
        woken.ring(port.bell);
        waiting.signal();
    }

    void wakeup() {
        waiting.wakeup();
    }

    /** See {@link dev.jwarp.ddp.llp.Progressing#later}. */
    void later(Runnable task) {
        if (ownership.isMine()) {
            afterCalls.add(task);
        } else if (closed) {
            task.run();
        } else {
            ownership.note(
                    () -> afterCalls.add(task)); // the author may be the owner for that: it does not run the task
        }
    }

    private void wakeSelector() {
        selector.wakeup();
    }

    /** A note runs at once where there is no owner: ports are opened and closed, and queue pairs come, without a poll. */
    @Override
    public boolean notesWaitForPoll() {
        return false;
    }

    @Override
    public void onNote() {
        waiting.signal();
    }

    boolean isClosed() {
        return closed;
    }

    // ---- the caller of poll and await

    boolean poll() {
        if (!ownership.enter()) {
            return false;
        }
        try {
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
            afterCalls.run();
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
        return earliestTimeout == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, earliestTimeout - now());
    }

    void await(long nanos) {
        if (!ownership.enter()) {
            return;
        }
        try {
            long deadline = Moment.after(now(), nanos);
            if (mode == WaitMode.SPIN) {
                while (!closed && !step() && !waiting.isWakeRequested() && now() < deadline) {
                    Thread.onSpinWait();
                }
                waiting.end();
            } else if (!closed) {
                boolean did = workWithoutInput();
                sleep(did ? Long.MIN_VALUE : deadline);
            }
        } finally {
            ownership.leave();
        }
    }

    /** Waits for input until {@code deadline} or the next timer, then handles what came. */
    private void sleep(long deadline) {
        try {
            boolean mayWait = waiting.begin() && deadline != Long.MIN_VALUE;
            select(mayWait ? Math.min(deadline, earliestTimeout) - now() : 0);
        } finally {
            selector.endWait();
        }
        stepTimed = false;
        handleReady();
        afterCalls.run();
        lookAtPorts();
    }

    private boolean isIdle() {
        return woken.isEmpty() && !ownership.hasNotes() && afterCalls.isEmpty();
    }

    /** What is to be sent goes before the sockets are asked what came: that takes as long as half a message. */
    private boolean workWithoutInput() {
        stepTimed = false;
        boolean did = ownership.runNotes();
        did |= afterCalls.run();
        did |= lookAtPorts();
        return did;
    }

    private boolean step() {
        boolean did = workWithoutInput();
        if (did) {
            stepTimed = false; // an answer to what was just sent came later than that
        }
        if (mode == WaitMode.SPIN && open <= READ_DIRECTLY) {
            for (int i = ports.size() - 1; i >= 0; i--) {
                did |= i < ports.size() && guarded(ports.get(i), SelectionKey.OP_READ);
            }
            if (blockedPorts > 0) {
                look();
                handleReady();
            }
        } else {
            look();
            did |= handleReady();
        }
        did |= afterCalls.run();
        did |= lookAtPorts();
        return did;
    }

    /** {@return the time of the step under way} */
    long stepTime() {
        if (!stepTimed) {
            stepTimed = true;
            stepTime = now();
        }
        return stepTime;
    }

    private void select(long nanos) {
        if (!closed) { // by a note that ran just now
            selector.select(nanos);
        }
    }

    private void look() {
        if (!closed) {
            selector.look();
        }
    }

    /** What is ready is handled when the selector's call is over, because the handlers may need the selector. */
    private boolean handleReady() {
        boolean any = !readyKeys.isEmpty();
        for (int i = 0; i < readyKeys.size(); i++) {
            SelectionKey key = readyKeys.get(i);
            if (key.isValid() && key.attachment() instanceof NioPort port) {
                guarded(port, key.readyOps());
            }
        }
        readyKeys.clear();
        return any;
    }

    /** Looks at the ports that were woken, and at those whose time has come. */
    private boolean lookAtPorts() {
        boolean did = lookAtWoken();
        did |= earliestTimeout != Long.MAX_VALUE && fireTimers();
        return did;
    }

    private boolean lookAtWoken() {
        Bells.Bell<NioPort> bell = woken.takeAll();
        boolean did = false;
        while (bell != null) {
            Bells.Bell<NioPort> taken = bell;
            bell = woken.next(taken);
            woken.heard(taken);
            did |= guarded(taken.of(), 0);
        }
        return did;
    }

    /** Timers are so rare beside messages that all ports are asked when one is due. */
    private boolean fireTimers() {
        long now = stepTime();
        if (earliestTimeout > now) {
            return false;
        }
        earliestTimeout = Long.MAX_VALUE;
        boolean did = false;
        for (int i = ports.size() - 1; i >= 0; i--) {
            if (i < ports.size()) {
                NioPort port = ports.get(i);
                if (port.nextTimeout() <= now) {
                    did |= guarded(port, 0);
                } else {
                    earliestTimeout = Math.min(earliestTimeout, port.nextTimeout());
                }
            }
        }
        return did;
    }

    /**
     * {@return whether the port did anything} If a layer above throws, that is told, and does not stop the others.
     *
     * @param operations of the selector that are ready; 0 for a look
     */
    private boolean guarded(NioPort port, int operations) {
        try {
            if (operations == 0) {
                return port.look();
            }
            return port.onReady(operations);
        } catch (Throwable e) {
            report("a layer above UDP port " + HostPort.text(port.localAddress()), e);
            return true;
        } finally {
            if (port.wantsLook()) {
                woken.ring(port.bell);
            }
            earliestTimeout = Math.min(earliestTimeout, port.nextTimeout());
        }
    }

    void report(String where, Throwable e) {
        context.report(where, e);
    }

    // ---- owner

    @Override
    public void afterNotes() {
        if (!closed) {
            stepTimed = false;
            lookAtPorts();
        }
    }

    @Override
    public void noteFailed(Throwable cause) {
        report("what was asked of the owner of UDP ports", cause);
    }

    /** Opens the engine of a port. */
    void add(NioPort port) {
        try {
            port.open(engines.open(port, now()));
            ports.add(port);
            port.begin();
        } catch (Throwable e) {
            port.giveUp(e);
            throw e;
        }
    }

    void remove(NioPort port) {
        ports.remove(port);
    }

    /** {@return how many datagrams to read before output is looked at} A spinning thread answers each at once. */
    int readsInOneGo() {
        return mode == WaitMode.SPIN ? 1 : READS;
    }

    /** {@return what is to be done when the owner is out of an engine's call} */
    AfterCalls afterCalls() {
        return afterCalls;
    }

    /** {@return what a datagram is read into} */
    ByteBuffer slot() {
        return in;
    }

    SocketAddresses addresses() {
        return addresses;
    }

    void register(DatagramChannel channel, NioPort port) {
        try {
            selector.register(channel, SelectionKey.OP_READ, port);
            open++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the selector is to tell when a socket has room again. */
    void writable(DatagramChannel channel, boolean wanted) {
        SelectionKey key = selector.keyFor(channel);
        if (key != null && key.isValid()) {
            int before = key.interestOps();
            int after = wanted ? before | SelectionKey.OP_WRITE : before & ~SelectionKey.OP_WRITE;
            if (before != after) {
                key.interestOps(after);
                blockedPorts += wanted ? 1 : -1;
            }
        }
    }

    /** Closes a socket, and has the selector let go of it: else it keeps its port. */
    void close(DatagramChannel channel) {
        writable(channel, false);
        open -= selector.keyFor(channel) == null ? 0 : 1;
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        selector.letGo();
    }

    /** Any thread; back when all is closed. */
    void close() {
        ownership.executeAndWait(() -> {
            if (!closed) {
                List.copyOf(ports).forEach(NioPort::closeNow);
                closed = true;
                selector.close();
            }
        });
    }
}
