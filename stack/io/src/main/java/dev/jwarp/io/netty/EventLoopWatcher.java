package dev.jwarp.io.netty;

import dev.jwarp.base.Ringer;
import dev.jwarp.io.Loop;
import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.io.Uninterruptibly;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event loop of Netty as watcher and thread of a loop: epoll with descriptors, or java.nio with channels. The loop
 * is polled when sockets are ready, when it is woken, and when its next timer is due. Any thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // tasks report their failures themselves
public final class EventLoopWatcher implements SocketWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoopWatcher.class);

    private final Loop loop;
    private final IoEventLoop eventLoop;
    private final boolean epoll;
    private final Ringer step;

    /** Schedules the next step at the end of a round of the event loop, after input and other tasks. */
    private final Ringer more;

    /** A program may shut down its event loops while they have no socket of jwarp that would be notified. */
    private final GenericFutureListener<Future<Object>> onTermination = ended -> onEnded();

    private @Nullable Future<?> alarm;
    private long alarmAt = Long.MAX_VALUE;

    EventLoopWatcher(Loop loop, IoEventLoop eventLoop) {
        this.loop = loop;
        this.eventLoop = eventLoop;
        epoll = eventLoop.isIoType(EpollIoHandler.class);
        step = new Ringer(this::execute, this::onStep);
        more = new Ringer(this::executeAtEndOfRound, this::onEndOfRound);
        loop.sleeps();
        termination().addListener(onTermination);
    }

    @SuppressWarnings("unchecked") // the result does not matter
    private Future<Object> termination() {
        return (Future<Object>) eventLoop.terminationFuture();
    }

    /** If the event loop has ended, so has the loop, and there is no work. */
    @Override
    public boolean execute(Runnable task) {
        try {
            eventLoop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.trace("The event loop has ended", e);
            return false;
        }
    }

    /**
     * An event loop runs tasks for up to a second while there are any, so a task that adds itself again would delay
     * input. Event loop only.
     */
    private void executeAtEndOfRound(Runnable task) {
        if (eventLoop instanceof SingleThreadEventLoop rounds) {
            try {
                rounds.executeAfterEventLoopIteration(task);
            } catch (RejectedExecutionException e) {
                LOG.trace("The event loop has ended", e);
            }
        } else {
            execute(task);
        }
    }

    private void onEndOfRound() {
        more.heard();
        step.ring();
    }

    private void onStep() {
        step.heard();
        poll();
    }

    private void poll() {
        try {
            loop.poll();
        } catch (Throwable e) { // Netty would pause its loop for a second
            LOG.error("Error in a step of an event loop, which goes on", e);
        } finally {
            setAlarm();
        }
    }

    /**
     * Schedules the alarm at the loop's next timer. An alarm that is too early stays, because timers are usually
     * postponed; its step schedules it again.
     */
    private void setAlarm() {
        long next = loop.isClosed() ? Long.MAX_VALUE : loop.timers().next();
        if (next < alarmAt) {
            Future<?> before = alarm;
            if (before != null) {
                before.cancel(false);
            }
            alarmAt = next;
            long now = loop.now();
            alarm = eventLoop.schedule(this::onAlarm, next <= now ? 0 : next - now, TimeUnit.NANOSECONDS);
        }
    }

    private void onAlarm() {
        alarm = null;
        alarmAt = Long.MAX_VALUE;
        step.ring();
    }

    /** The event loop ends: the loop makes no more progress. */
    private void onEnded() {
        loop.asOwner(() -> {
            if (!loop.isClosed()) {
                loop.close();
            }
        });
    }

    // ---- SocketWatcher

    @Override
    public boolean hasThread() {
        return true;
    }

    @Override
    public boolean isHere() {
        return eventLoop.inEventLoop();
    }

    @Override
    public void wakeup() {
        step.ring();
    }

    @Override
    public void beginPoll() {
        loop.works();
    }

    @Override
    public void endPoll() {
        if (!loop.isClosed() && !loop.sleeps()) {
            more.ring();
        }
    }

    @Override
    public void endWait() {}

    @Override
    public void select(long nanos) {}

    @Override
    public void look() {}

    /** The event loop's next selection, which comes soon, releases closed channels. */
    @Override
    public void letGo() {
        if (!epoll) {
            execute(() -> {});
        }
    }

    @Override
    public void awaitLetGo() {
        if (epoll || isHere()) {
            return;
        }
        CountDownLatch selected = new CountDownLatch(1);
        if (execute(() -> executeAtEndOfRound(() -> {
            if (!execute(selected::countDown)) {
                selected.countDown();
            }
        }))) {
            Uninterruptibly.await(selected);
        }
    }

    /** The event loop may live on, and must not reference the loop. */
    @Override
    public void close() {
        termination().removeListener(onTermination);
        Future<?> pending = alarm;
        if (pending != null) {
            pending.cancel(false);
        }
    }

    @Override
    public SocketWatch watch(SelectableChannel channel, int operations, LoopItem item) throws IOException {
        return begin(new ChannelWatch(channel, item), operations);
    }

    /** {@return the watch of a descriptor, on an epoll event loop} */
    public SocketWatch watch(FileDescriptor descriptor, int operations, LoopItem item) throws IOException {
        return begin(new DescriptorWatch(descriptor, item), operations);
    }

    @SuppressWarnings("CatchingUnchecked") // Netty throws checked exceptions without declaring them
    private SocketWatch begin(EventLoopWatch watch, int operations) throws IOException {
        try {
            watch.registration = eventLoop.register(watch).syncUninterruptibly().getNow();
            watch.want(operations);
            return watch;
        } catch (Exception e) {
            watch.cancel();
            throw e instanceof UncheckedIOException unchecked
                    ? unchecked.getCause()
                    : new IOException("The event loop cannot watch a socket: " + e.getMessage(), e);
        }
    }

    /** A socket on the event loop. */
    private abstract class EventLoopWatch implements IoHandle, SocketWatch {
        private final LoopItem item;

        @Nullable
        IoRegistration registration;

        private int wanted;
        private int ready;
        private boolean aside;

        EventLoopWatch(LoopItem item) {
            this.item = item;
        }

        abstract int operations(IoEvent event);

        abstract IoOps ops(int operations);

        @Override
        public final void handle(IoRegistration from, IoEvent event) {
            ready |= operations(event) & wanted;
            if (!aside) {
                aside = true;
                loop.aside(this);
                poll(); // at once: a task would cost two reads of the clock
            }
        }

        @Override
        public final LoopItem item() {
            return item;
        }

        @Override
        public final void want(int operations) {
            IoRegistration current = registration;
            if (current != null && current.isValid() && (operations != wanted || operations == 0)) {
                wanted = operations;
                current.submit(ops(operations));
            }
        }

        @Override
        public final int takeReady() {
            int taken = registration == null ? 0 : ready;
            ready = 0;
            aside = false;
            return taken;
        }

        @Override
        public final void cancel() {
            IoRegistration current = registration;
            if (current != null) {
                registration = null;
                current.cancel();
            }
        }

        /** The event loop ends; java.nio also calls this for a closed channel. */
        @Override
        public final void close() {
            if (eventLoop.isShuttingDown()) {
                onEnded();
            }
        }
    }

    private final class DescriptorWatch extends EventLoopWatch implements EpollIoHandle {
        /**
         * The event mask for no operations. epoll always reports errors and hang-ups; edge-triggered they are reported
         * once, not repeatedly. Netty 4.2.18 removes a descriptor with an empty mask from epoll without recording that,
         * so a stream whose peer has closed its direction could never wait for room again (RFC 5041 §6.2.1,
         * DDP-6.2.1-3).
         */
        private static final EpollIoOps NOTHING = EpollIoOps.EPOLLET.with(EpollIoOps.EPOLLERR);

        /** EPOLLERR and EPOLLHUP (Linux, include/uapi/linux/eventpoll.h). */
        private static final int BROKEN = 0x18;

        private static final int IN = SelectionKey.OP_READ | SelectionKey.OP_ACCEPT;
        private static final int OUT = SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;

        private final FileDescriptor descriptor;

        DescriptorWatch(FileDescriptor descriptor, LoopItem item) {
            super(item);
            this.descriptor = descriptor;
        }

        @Override
        public FileDescriptor fd() {
            return descriptor;
        }

        @Override
        int operations(IoEvent event) {
            EpollIoOps ops = ((EpollIoEvent) event).ops();
            if ((ops.value() & BROKEN) != 0) {
                return IN | OUT; // the next system call returns the error
            }
            return (ops.contains(EpollIoOps.EPOLLIN) ? IN : 0) | (ops.contains(EpollIoOps.EPOLLOUT) ? OUT : 0);
        }

        @Override
        IoOps ops(int operations) {
            boolean in = (operations & IN) != 0;
            boolean out = (operations & OUT) != 0;
            if (in) {
                return out ? EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT) : EpollIoOps.EPOLLIN;
            }
            return out ? EpollIoOps.EPOLLOUT : NOTHING;
        }
    }

    private final class ChannelWatch extends EventLoopWatch implements NioIoHandle {
        private final SelectableChannel channel;

        ChannelWatch(SelectableChannel channel, LoopItem item) {
            super(item);
            this.channel = channel;
        }

        @Override
        public SelectableChannel selectableChannel() {
            return channel;
        }

        @Override
        int operations(IoEvent event) {
            return ((NioIoEvent) event).ops().value();
        }

        @Override
        IoOps ops(int operations) {
            return NioIoOps.valueOf(operations);
        }
    }
}
