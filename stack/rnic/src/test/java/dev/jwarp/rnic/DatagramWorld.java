package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.sim.SimDatagramTransport;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.UdpEngineFactory;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Progress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Hosts that send datagrams to each other. With inline progress on loopback they share one context, so that a
 * single-threaded test drives all; otherwise each host has its own context.
 */
public final class DatagramWorld implements AutoCloseable {
    private static final long SEED = 42;
    private static final RnicProvider PROVIDER = new RnicProvider();

    /** The kinds of worlds. */
    public enum Kind {
        /** Complete stacks in virtual time. */
        SIMULATED,
        /** The same, but datagrams are sent and received one at a time. */
        SIMULATED_ONE_BY_ONE,
        /** UDP on loopback, driven by polling threads. */
        INLINE,
        /** UDP on loopback, driven by event loops. */
        THREADED
    }

    private final Kind kind;
    private final Map<String, String> settings;
    private final @Nullable SimNetwork network;
    private final @Nullable SimDatagrams datagrams;
    private final List<Context> contexts = new ArrayList<>();
    private final List<AsyncEvent> asyncEvents = new ArrayList<>();

    private DatagramWorld(Kind kind, Map<String, String> settings, @Nullable SimDatagrams datagrams) {
        this.kind = kind;
        this.settings = settings;
        this.datagrams = datagrams;
        this.network = datagrams == null ? null : datagrams.network();
    }

    /** {@return all kinds} */
    static Stream<Kind> kinds() {
        return Arrays.stream(Kind.values());
    }

    public static DatagramWorld of(Kind kind) {
        return of(kind, Map.of());
    }

    public static DatagramWorld of(Kind kind, Map<String, String> settings) {
        if (kind == Kind.SIMULATED) {
            return simulated(new SimNetwork(SEED), settings);
        }
        if (kind == Kind.SIMULATED_ONE_BY_ONE) {
            Map<String, String> general =
                    new HashMap<>(Map.of("jwarp.udp.segmentation", "send", "jwarp.udp.pace", "1000000000000"));
            general.putAll(settings);
            return simulated(new SimNetwork(SEED), general);
        }
        return new DatagramWorld(kind, settings, null);
    }

    /** {@return the hosts of a world of connections, on its contexts} Closed with that world. */
    static DatagramWorld in(World world) {
        DatagramWorld same =
                new DatagramWorld(world.kind() == World.Kind.INLINE ? Kind.INLINE : Kind.THREADED, Map.of(), null);
        same.contexts.addAll(List.of(world.listening(), world.connecting()));
        return same;
    }

    /** Several datagrams arrive at a time, unless {@code jwarp.udp.segmentation} disables that. */
    static DatagramWorld simulated(SimNetwork network, Map<String, String> settings) {
        SimDatagrams datagrams = new SimDatagrams(network);
        if (settings.getOrDefault("jwarp.udp.segmentation", "on").equals("on")) {
            datagrams.coalesce();
        }
        return new DatagramWorld(Kind.SIMULATED, settings, datagrams);
    }

    Kind kind() {
        return kind;
    }

    /** {@return whether sent datagrams may be lost} On loopback only with a setting. */
    boolean loses() {
        return network != null || settings.containsKey("jwarp.udp.inject");
    }

    /** {@return the network of a simulated world} */
    public SimDatagrams datagrams() {
        if (datagrams == null) {
            throw new IllegalStateException("Only a simulated world has a network of its own");
        }
        return datagrams;
    }

    /** {@return the context of host {@code number}, from 0 on} */
    public Context context(int number) {
        int index = kind == Kind.INLINE ? 0 : number;
        while (contexts.size() <= index) {
            contexts.add(open(contexts.size()));
        }
        return contexts.get(index);
    }

    private Context open(int number) {
        if (datagrams == null) {
            return PROVIDER.rnic().open(kind == Kind.INLINE ? Progress.INLINE : Progress.THREADED, settings);
        }
        SimNetwork net = datagrams.network();
        Map<String, String> ofUdp = new HashMap<>(settings);
        ofUdp.keySet().removeIf(key -> !key.startsWith("jwarp.udp.") && !key.startsWith("jwarp.rd."));
        ofUdp.putIfAbsent("jwarp.udp.controlled", "0.0.0.0/0,::/0"); // as on loopback
        Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
        SimDatagramTransport transport = datagrams
                .host(
                        host(number),
                        new UdpEngineFactory(
                                UdpSettings.of(ofUdp), counters, SimulatedReliability.FACTORY, net.random(), null))
                .counting(() -> UdpCounter.list(counters));
        return PROVIDER.rnic()
                .open(
                        transport,
                        () -> net.clock().nowNanos(),
                        new SplittableRandom(net.random().nextLong()),
                        settings);
    }

    private InetAddress host(int number) {
        if (datagrams == null) {
            return InetAddress.getLoopbackAddress();
        }
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) (number + 1)});
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** {@return an address of host {@code number}} */
    public InetSocketAddress address(int number, int port) {
        return new InetSocketAddress(host(number), port);
    }

    /** {@return whether event loops drive all sides} */
    boolean threaded() {
        return kind == Kind.THREADED;
    }

    /** Drives all sides until {@code done}; fails with {@code what} after a timeout. */
    public void until(String what, BooleanSupplier done) {
        long start = now();
        while (!done.getAsBoolean()) {
            assertThat(now() - start)
                    .as(() -> "waited long for: " + what + "; what was counted: " + counted())
                    .isLessThan(Patience.NANOS);
            step();
        }
    }

    private String counted() {
        StringBuilder text = new StringBuilder();
        for (Context context : contexts) {
            context.counters().stream()
                    .filter(counter -> counter.value() != 0)
                    .forEach(counter -> text.append(counter.name())
                            .append('=')
                            .append(counter.value())
                            .append(' '));
            text.append("; ");
        }
        return text.toString();
    }

    private void step() {
        if (network != null) {
            network.runFor(TimeUnit.MICROSECONDS.toNanos(100));
        } else if (kind == Kind.INLINE) {
            context(0).poll();
        } else {
            Thread.onSpinWait();
        }
    }

    /** Lets time pass in which nothing is expected; much time in a simulation. */
    void settle() {
        if (network != null) {
            network.runFor(TimeUnit.MILLISECONDS.toNanos(500));
        } else {
            long end = now() + TimeUnit.MILLISECONDS.toNanos(50);
            while (now() < end) {
                step();
            }
        }
    }

    /** {@return the next async event of that type of {@code context}} */
    public AsyncEvent asyncEvent(Context context, AsyncEventType type) {
        AsyncEvent[] found = new AsyncEvent[1];
        until("an async event " + type, () -> {
            AsyncEvent event = context.pollAsyncEvent();
            if (event != null) {
                asyncEvents.add(event);
            }
            found[0] = asyncEvents.stream()
                    .filter(any -> any.type() == type)
                    .findFirst()
                    .orElse(null);
            return found[0] != null;
        });
        asyncEvents.remove(found[0]);
        return found[0];
    }

    /** {@return a counter of a context} */
    public static long counter(Context context, String name) {
        return context.counters().stream()
                .filter(counter -> counter.name().equals(name))
                .mapToLong(Counter::value)
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no counter " + name));
    }

    private long now() {
        return network == null ? System.nanoTime() : network.clock().nowNanos();
    }

    @Override
    public void close() {
        contexts.forEach(Context::close);
    }

    @Override
    public String toString() {
        return kind.name();
    }
}
