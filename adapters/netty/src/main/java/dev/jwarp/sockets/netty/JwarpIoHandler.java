package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.SocketRules;
import dev.jwarp.sockets.datagram.DatagramHome;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lets an event loop of Netty drive RDMA: the loop has a context of its own, and its thread handles completions,
 * without another thread.
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(JwarpIoHandler.newFactory());
 * new ServerBootstrap().group(group).channel(JwarpServerSocketChannel.class)...
 * new Bootstrap().group(group).channel(JwarpDatagramChannel.class)...
 * }</pre>
 *
 * <p>Threads: that of its loop.
 */
public final class JwarpIoHandler implements IoHandler {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(JwarpIoHandler.class);
    private static final Duration FOR_EVER = Duration.ofDays(50_000);

    /** The handlers of running loops, by loop. */
    private static final Map<EventLoop, JwarpIoHandler> ALL = new ConcurrentHashMap<>();

    private final EventLoop loop;
    private final LoopHome home;
    /** Null until the first datagram channel. */
    private @Nullable DatagramHome datagrams;

    private @Nullable SocketRules rules;

    /** The last time to wait, cached. */
    private Duration waited = FOR_EVER;

    private final Set<Registration> registrations = new LinkedHashSet<>();

    /** The channels with work to do after the context was driven. */
    private final ArrayDeque<ReadyStream> ready = new ArrayDeque<>();

    private JwarpIoHandler(EventLoop loop, Map<String, String> settings) {
        this.loop = loop;
        try {
            home = new LoopHome(loop, settings);
        } catch (RdmaException e) { // Netty wraps the exception; its message suffices
            throw new RdmaException(e.code(), String.valueOf(e.getMessage()));
        }
        ALL.put(loop, this);
    }

    /** {@return a factory for the handlers of a group of event loops} */
    public static IoHandlerFactory newFactory() {
        return newFactory(Map.of());
    }

    /**
     * {@return a factory for the handlers of a group of event loops}
     *
     * @param settings the settings of each handler's context, {@code jwarp.*}; {@code jwarp.progress.wait} is ignored
     */
    public static IoHandlerFactory newFactory(Map<String, String> settings) {
        Map<String, String> kept = Map.copyOf(settings);
        return executor -> new JwarpIoHandler(loop(executor), kept);
    }

    private static EventLoop loop(ThreadAwareExecutor executor) {
        if (executor instanceof EventLoop loop) {
            return loop;
        }
        throw new IllegalArgumentException("jwarp's channels need an event loop, and " + executor + " is none");
    }

    /** {@return the handler of a loop; null if the loop has another kind of handler} Any thread. */
    static @Nullable JwarpIoHandler of(EventLoop loop) {
        return ALL.get(loop);
    }

    /** {@return the rules for the peers of datagrams} The loop's thread. */
    SocketRules rules() {
        SocketRules read = rules;
        if (read == null) {
            read = SocketRules.ofProcess();
            rules = read;
        }
        return read;
    }

    LoopHome home() {
        return home;
    }

    /**
     * {@return the home of the loop's datagrams} Created by the first call. The loop's thread.
     *
     * @throws IOException if there is no transport for them
     */
    DatagramHome datagrams() throws IOException {
        DatagramHome opened = datagrams;
        if (opened == null) {
            if (!DatagramHome.possible(home.context())) {
                throw new IOException("there is no transport for datagrams: put jwarp-transport-udp on the class path");
            }
            opened = new DatagramHome(home.context());
            datagrams = opened;
        }
        return opened;
    }

    EventLoop loop() {
        return loop;
    }

    /** Adds a channel with work to do after the context is driven. */
    void ask(ReadyStream stream) {
        ready.add(stream);
    }

    @Override
    public int run(IoHandlerContext context) {
        if (!ready.isEmpty() || !context.canBlock()) {
            home.context().poll();
        } else {
            await(context.delayNanos(System.nanoTime()));
        }
        if (!context.shouldReportActiveIoTime()) {
            return handleReady();
        }
        long begun = System.nanoTime();
        int handled = handleReady();
        context.reportActiveIoTime(System.nanoTime() - begun);
        return handled;
    }

    private void await(long nanos) {
        try {
            home.context().await(duration(Math.max(0, nanos)));
        } catch (RdmaException e) {
            // Clears the interrupt flag, which would end each wait at once.
            if (e.code() != RdmaErrorCode.INTERRUPTED || !Thread.interrupted()) {
                throw e;
            }
            LOG.debug("the thread of {} was interrupted; the interrupt is ignored", loop);
        }
    }

    /** Caches the duration: a loop without timers waits for the same time again and again. */
    private Duration duration(long nanos) {
        if (nanos >= FOR_EVER.toNanos()) {
            return FOR_EVER;
        }
        if (nanos != waited.toNanos()) {
            waited = Duration.ofNanos(nanos);
        }
        return waited;
    }

    /** One round: channels that ask meanwhile are handled in the next one. */
    private int handleReady() {
        int count = ready.size();
        for (int i = 0; i < count; i++) {
            ready.remove().ready();
        }
        return count;
    }

    @Override
    public void wakeup() {
        if (!loop.inEventLoop()) {
            home.context().wakeup();
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(Objects.requireNonNull(handle, "handle") instanceof JwarpIoHandle own)) {
            throw new IllegalArgumentException(handle + " is no channel of jwarp");
        }
        Registration made = new Registration(own);
        registrations.add(made);
        own.registered();
        return made;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return JwarpIoHandle.class.isAssignableFrom(type);
    }

    @Override
    public void prepareToDestroy() {
        for (Registration one : List.copyOf(registrations)) {
            one.handle.close();
        }
    }

    @Override
    public void destroy() {
        prepareToDestroy(); // a loop that is ended by one of its tasks does not call this before
        ALL.remove(loop, this);
        home.close();
    }

    /** A channel as seen by its event loop. */
    interface JwarpIoHandle extends IoHandle {
        @Override
        default void handle(IoRegistration registration, IoEvent event) {}

        @Override
        void close();
    }

    /** An object that has asked for a call. */
    interface ReadyStream {
        /** The context was driven since the object asked. */
        void ready();
    }

    private final class Registration implements IoRegistration {
        private final JwarpIoHandle handle;
        private final AtomicBoolean valid = new AtomicBoolean(true);

        Registration(JwarpIoHandle handle) {
            this.handle = handle;
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // declared by Netty
        public <T> T attachment() {
            throw new UnsupportedOperationException("a registration of jwarp has no attachment");
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException("jwarp's channels submit no operations");
        }

        @Override
        public boolean isValid() {
            return valid.get();
        }

        @Override
        public boolean cancel() {
            if (!valid.compareAndSet(true, false)) {
                return false;
            }
            if (loop.inEventLoop()) {
                forget();
            } else {
                loop.execute(this::forget);
            }
            return true;
        }

        private void forget() {
            registrations.remove(this);
            handle.unregistered();
        }
    }
}
