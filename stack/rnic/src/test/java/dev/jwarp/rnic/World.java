package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.SimTransport;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A listening and a connecting side that can reach each other. Over TCP with inline progress they share one context, so
 * that a single-threaded test drives both; otherwise each side has its own context.
 */
public final class World implements AutoCloseable {
    private static final long SEED = 42;
    private static final RnicDevice SIMULATED_DEVICE = new RnicProvider().rnic();

    /** The kinds of worlds. */
    public enum Kind {
        /** Both stacks in virtual time. */
        SIMULATED,
        /** TCP on loopback, driven by polling threads. */
        INLINE,
        /** TCP on loopback, driven by event loops. */
        THREADED
    }

    private final Kind kind;
    private final Context listening;
    private final Context connecting;
    private final InetAddress address;
    private final @Nullable SimNetwork network;
    private final List<AsyncEvent> asyncEvents = new ArrayList<>();
    private @Nullable HeldPort unheard;

    private World(Kind kind, Context listening, Context connecting, InetAddress address, @Nullable SimNetwork network) {
        this.kind = kind;
        this.listening = listening;
        this.connecting = connecting;
        this.address = address;
        this.network = network;
    }

    public static World of(Kind kind) {
        return of(kind, Map.of());
    }

    public static World of(Kind kind, Map<String, String> settings) {
        RnicDevice device = new RnicProvider().rnic();
        InetAddress loopback = InetAddress.getLoopbackAddress();
        Map<String, String> patient = Patience.with(Patience.OF_CONNECTIONS, settings);
        return switch (kind) {
            case SIMULATED -> simulated(new SimNetwork(SEED), settings);
            case INLINE -> {
                Context both = device.open(Progress.INLINE, patient);
                yield new World(kind, both, both, loopback, null);
            }
            case THREADED ->
                new World(
                        kind,
                        device.open(Progress.THREADED, patient),
                        device.open(Progress.THREADED, patient),
                        loopback,
                        null);
        };
    }

    static World simulated(SimNetwork network, Map<String, String> settings) {
        SimTransport host = host(network, 1, settings);
        SimTransport peer = host(network, 2, settings);
        return new World(
                Kind.SIMULATED,
                open(host, settings),
                open(peer, settings),
                host.address(0).getAddress(),
                network);
    }

    private static Context open(SimTransport transport, Map<String, String> settings) {
        SimNetwork network = transport.network();
        Map<String, String> single = new HashMap<>(settings);
        single.putIfAbsent("jwarp.threads", "single"); // the same tests over TCP have the other model
        return SIMULATED_DEVICE.open(
                transport,
                () -> network.clock().nowNanos(),
                new SplittableRandom(network.random().nextLong()),
                single);
    }

    private static SimTransport host(SimNetwork network, int number, Map<String, String> settings) {
        Map<String, String> ofTcp = new HashMap<>(settings);
        ofTcp.keySet().removeIf(key -> !key.startsWith("jwarp.mpa.") && !key.startsWith("jwarp.tcp."));
        try {
            return network.host(
                    InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}),
                    new MpaEngineFactory(TcpSettings.of(ofTcp), new Tally<>(TcpCounter.class)));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    Kind kind() {
        return kind;
    }

    public Context listening() {
        return listening;
    }

    public Context connecting() {
        return connecting;
    }

    public SimNetwork network() {
        if (network == null) {
            throw new IllegalStateException("Only a simulated world has a network of its own");
        }
        return network;
    }

    boolean simulated() {
        return network != null;
    }

    /** {@return the address to listen at, or to connect to} */
    InetSocketAddress address(int port) {
        return new InetSocketAddress(address, port);
    }

    /** {@return an address without a listener, after {@code closed} has been closed} */
    InetSocketAddress unheard(InetSocketAddress closed) throws IOException {
        if (network != null) {
            return closed;
        }
        unheard = new HeldPort(); // another test may use the listener's port by now
        return unheard.address();
    }

    /** Drives both sides until {@code done}; fails with {@code what} after a timeout. */
    public void until(String what, BooleanSupplier done) {
        long start = now();
        while (!done.getAsBoolean()) {
            assertThat(now() - start).as("waited long for: " + what).isLessThan(Patience.NANOS);
            step();
        }
    }

    private void step() {
        if (network != null) {
            network.runFor(TimeUnit.MICROSECONDS.toNanos(100));
        } else if (!listening.poll() && kind == Kind.THREADED) {
            Thread.onSpinWait();
        }
    }

    /** {@return the next matching async event of {@code context}; others are kept for later} */
    AsyncEvent asyncEvent(Context context, Predicate<AsyncEvent> fits) {
        AsyncEvent[] found = new AsyncEvent[1];
        until("an async event", () -> {
            AsyncEvent event = context.pollAsyncEvent();
            if (event != null) {
                asyncEvents.add(event);
            }
            found[0] = asyncEvents.stream().filter(fits).findFirst().orElse(null);
            return found[0] != null;
        });
        asyncEvents.remove(found[0]);
        return found[0];
    }

    /** Lets time pass in which nothing is expected; much time in a simulation. */
    void settle() {
        if (network != null) {
            network.runFor(TimeUnit.MILLISECONDS.toNanos(100));
        } else {
            long end = now() + TimeUnit.MILLISECONDS.toNanos(20);
            while (now() < end) {
                step();
            }
        }
    }

    private long now() {
        return network == null ? System.nanoTime() : network.clock().nowNanos();
    }

    @Override
    public void close() {
        connecting.close();
        listening.close();
        if (unheard != null) {
            try {
                unheard.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public String toString() {
        return kind.name();
    }
}
