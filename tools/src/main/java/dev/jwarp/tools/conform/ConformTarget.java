package dev.jwarp.tools.conform;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.tools.link.Rollback;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The conformance target on jwarp: docs/conformance/target.md. It listens and serves each tester's connection in its
 * own thread, or it connects again and again, with one connection at a time.
 */
public final class ConformTarget implements AutoCloseable {
    private static final long FAREWELL_MILLIS = 5_000;
    private static final Duration SLICE = Duration.ofMillis(100);
    /** Time between two attempts to connect. */
    private static final long PAUSE_NANOS = 20_000_000;

    private static final Duration SET_UP = Duration.ofSeconds(3);
    private static final Duration CONFIGURED = Duration.ofSeconds(10);
    /** Most conversations at a time: each has a thread. */
    private static final int MOST_CONVERSATIONS = 256;

    /** Most bytes of private data in a Reply, in addition to the IRD/ORD word. */
    private static final int MOST_ECHOED = 508;

    private static final byte[] GREETING = "jct1".getBytes(StandardCharsets.US_ASCII);

    private final Device device;
    private final Map<String, String> settings;
    private final Console console;
    private final Endings endings = new Endings();
    private final ToolThreads threads = new ToolThreads();
    private final AtomicInteger served = new AtomicInteger();
    private volatile @Nullable Map<String, String> nextSettings;
    private volatile boolean closed;
    private @Nullable InetSocketAddress listening;
    private boolean connecting;

    /** @param settings the settings of connections without a configuration of their own */
    public ConformTarget(Device device, Map<String, String> settings, Console console) {
        this.device = device;
        this.settings = Map.copyOf(settings);
        this.console = console;
    }

    /**
     * Listens, and serves until {@link #close}.
     *
     * @return the address with the port in use
     */
    public InetSocketAddress listen(InetSocketAddress local) {
        return listen(local, settings, Integer.MAX_VALUE, Duration.ofDays(365));
    }

    private InetSocketAddress listen(InetSocketAddress local, Map<String, String> with, int count, Duration limit) {
        Context context = open(with);
        CmEventChannel channel = context.createEventChannel();
        CmId listener = context.createId(channel);
        listener.bind(local);
        listener.listen(0);
        InetSocketAddress bound = java.util.Objects.requireNonNull(listener.localAddress());
        if (listening == null) {
            listening = bound;
        }
        start("jwarp-target-listener", () -> {
            long deadline = System.nanoTime() + limit.toNanos();
            List<Thread> own = new ArrayList<>();
            int taken = 0;
            while (!closed && taken < count && System.nanoTime() < deadline) {
                CmEvent event = channel.await(SLICE);
                if (event != null && event.type() == CmEventType.CONNECT_REQUEST) {
                    taken++;
                    own.removeIf(t -> !t.isAlive());
                    converse(event, own);
                }
            }
            listener.close();
            // The context must outlive its conversations.
            own.forEach(ConformTarget::join);
            channel.close();
            context.close();
        });
        return bound;
    }

    /** Serves a tester in its own thread. A failure affects only this tester. */
    private void converse(CmEvent request, List<Thread> own) {
        try (Rollback taken = new Rollback()) {
            taken.add(request.id()::close);
            if (own.size() >= MOST_CONVERSATIONS) {
                note("a tester was refused: there are too many");
                return;
            }
            own.add(start("jwarp-target", () -> serve(request)));
            taken.keep();
        } catch (OutOfMemoryError e) {
            note("a tester was refused: " + e);
        }
    }

    private Context open(Map<String, String> with) {
        Map<String, String> all = new HashMap<>(with);
        all.putIfAbsent("jwarp.progress", "threaded");
        return device.open(all);
    }

    private void serve(CmEvent request) {
        CmId id = request.id();
        byte[] asked = request.parameters().privateData();
        String words = new String(asked, StandardCharsets.US_ASCII);
        try {
            if (words.startsWith("refuse")) {
                id.reject(asked);
                id.close();
                return;
            }
            InetSocketAddress peer = id.remoteAddress();
            try (TargetConversation conversation = conversation(id)) {
                id.accept(ConnectionParameters.DEFAULT.withPrivateData(
                        Arrays.copyOf(asked, Math.min(asked.length, MOST_ECHOED))));
                if (words.startsWith("send-first")) {
                    conversation.greet();
                }
                conversation.run();
                endings.put(peer == null ? 0 : peer.getPort(), conversation.ending());
            }
        } catch (RdmaException e) {
            note("a connection failed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            served.incrementAndGet();
        }
    }

    private TargetConversation conversation(CmId id) {
        try (Rollback taken = new Rollback()) {
            taken.add(id::close);
            CmEventChannel events = id.context().createEventChannel();
            taken.add(events::close);
            taken.add(id::close); // before its channel
            id.migrate(events);
            TargetConversation conversation = new TargetConversation(this, id, events);
            taken.keep();
            return conversation;
        }
    }

    /**
     * Connects to a tester again and again, until no program has listened there for {@code patience}, or until {@link
     * #close}.
     *
     * @return the number of conversations
     */
    public int connect(InetSocketAddress remote, Duration patience) {
        connecting = true;
        long deadline = System.nanoTime() + patience.toNanos();
        while (!closed && !console.interruption().requested() && System.nanoTime() < deadline) {
            Map<String, String> with = nextSettings;
            nextSettings = null;
            if (converse(remote, with == null ? settings : with)) {
                deadline = System.nanoTime() + patience.toNanos();
            } else {
                console.interruption().pause(PAUSE_NANOS);
            }
        }
        return served.get();
    }

    /**
     * Makes one connection.
     *
     * @return whether a tester was there
     */
    private boolean converse(InetSocketAddress remote, Map<String, String> with) {
        try (Context context = open(with)) {
            CmEventChannel events = context.createEventChannel();
            CmId id = context.createId(events);
            id.resolveAddress(null, remote);
            CmEvent resolved = events.await(SET_UP);
            if (resolved == null || resolved.type() != CmEventType.ADDR_RESOLVED) {
                id.close();
                events.close();
                return false;
            }
            try (TargetConversation conversation = new TargetConversation(this, id, events)) {
                id.connect(
                        ConnectionParameters.DEFAULT.withPrivateData(GREETING).withTimeout(SET_UP));
                CmEvent event = events.await(SET_UP.plus(SET_UP));
                InetSocketAddress local = id.localAddress();
                int port = local == null ? 0 : local.getPort();
                if (event == null || event.type() != CmEventType.ESTABLISHED) {
                    endings.put(port, conversation.ending());
                    return event == null
                            || (event.error() != RdmaErrorCode.CONNECTION_REFUSED
                                    && event.error() != RdmaErrorCode.UNREACHABLE);
                }
                served.incrementAndGet();
                String words = new String(event.parameters().privateData(), StandardCharsets.US_ASCII);
                if (!words.startsWith("refuse")) {
                    conversation.greet();
                    conversation.run();
                }
                endings.put(port, conversation.ending());
                return true;
            }
        } catch (RdmaException e) {
            note("a connection failed: " + e.getMessage());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
            return false;
        }
    }

    /**
     * Prepares one more connection with another configuration.
     *
     * @return the port for it; 0 if this side connects
     */
    int configure(Order order) {
        int flags = order.a();
        Map<String, String> with = new HashMap<>(settings);
        with.put("jwarp.mpa.markers", (flags & 1) != 0 ? "on" : "off");
        with.put("jwarp.mpa.crc", (flags & 2) != 0 ? "on" : "off");
        with.put("jwarp.mpa.peer-to-peer", (flags & 4) != 0 ? "on" : "off");
        with.put("jwarp.mpa.revision", String.valueOf((flags >> 8) & 0xF));
        with.put("jwarp.mpa.emss", String.valueOf(order.b()));
        StringBuilder rtr = new StringBuilder();
        String[] names = {"read", "write", "send"};
        for (int i = 0; i < names.length; i++) {
            if (((flags >> (4 + i)) & 1) != 0) {
                rtr.append(rtr.length() == 0 ? "" : ",").append(names[i]);
            }
        }
        if (rtr.length() > 0) {
            with.put("jwarp.mpa.rtr", rtr.toString());
        }
        with.put("jwarp.device.read-depth", String.valueOf(order.c()));
        if (connecting) {
            nextSettings = with;
            return 0;
        }
        InetSocketAddress local = java.util.Objects.requireNonNull(listening);
        return listen(new InetSocketAddress(local.getAddress(), 0), with, 1, CONFIGURED)
                .getPort();
    }

    Endings endings() {
        return endings;
    }

    /** {@return the number of conversations so far} */
    public int served() {
        return served.get();
    }

    private Thread start(String name, Runnable work) {
        return threads.add(name, () -> {
            try {
                work.run();
            } catch (RuntimeException | OutOfMemoryError e) {
                note("the target failed: " + e);
            }
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join(FAREWELL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void note(String sentence) {
        if (console.debug()) {
            console.note(sentence);
        }
    }

    @Override
    public void close() {
        closed = true;
        threads.interrupt();
        threads.join(FAREWELL_MILLIS);
    }
}
