package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.wire.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A network of {@link RdHost}s in virtual time: datagrams may be lost, duplicated, corrupted or late, all from one
 * seed.
 */
class RdSim {
    private record Event(long at, long order, Runnable what) {}

    /** The headers of IP and UDP, bytes. */
    private static final int HEADERS = 28;

    final Random random;
    final List<RdPacket> wire = new ArrayList<>();

    double loss;
    double duplication;
    double corruption;
    long delay = TimeUnit.MICROSECONDS.toNanos(500);
    long jitter;
    /** The rate of each direction in bytes a second; 0 for no limit. */
    long rate;
    /** The queue of each direction, bytes; drop-tail. */
    long queue = 400_000;

    /** The bottleneck for the datagrams of {@link #behind}; null for none. */
    @Nullable
    SharedLink bottleneck;

    /** Hosts whose datagrams go through the bottleneck. */
    final Set<DatagramAddress> behind = new HashSet<>();

    boolean record;
    Predicate<RdPacket> drops = packet -> false;

    private final PriorityQueue<Event> events =
            new PriorityQueue<>((a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private final Map<DatagramAddress, RdHost> hosts = new HashMap<>();
    private final Map<String, Double> busyUntil = new HashMap<>();
    private long order;
    private long now = TimeUnit.SECONDS.toNanos(1);

    private final long seed;

    RdSim(long seed) {
        this.seed = seed;
        random = new Random(seed);
    }

    /** Sets the shares of lost and duplicated datagrams, and the greatest additional delay in milliseconds. */
    void faults(double lost, double duplicated, long late) {
        loss = lost;
        duplication = duplicated;
        jitter = millis(late);
    }

    long now() {
        return now;
    }

    static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    void add(RdHost host) {
        hosts.put(host.address, host);
    }

    void remove(RdHost host) {
        hosts.remove(host.address, host);
    }

    void at(long nanos, Runnable what) {
        events.add(new Event(Math.max(nanos, now), order++, what));
    }

    void after(long nanos, Runnable what) {
        at(now + nanos, what);
    }

    /** {@return a datagram for a host to fill and send} */
    RdPacket packet(Kind kind, DatagramAddress from, DatagramAddress to) {
        return new RdPacket(kind, from, to);
    }

    void send(RdPacket packet) {
        if (record) {
            wire.add(packet);
        }
        if (drops.test(packet) || random.nextDouble() < loss || random.nextDouble() < corruption) {
            return; // a corrupted datagram fails the CRC
        }
        SharedLink shared = bottleneck;
        if (shared != null) {
            if (behind.contains(packet.from)) {
                shared.forward(packet.from, packet.octets + HEADERS, () -> deliver(packet));
            } else {
                shared.back(packet.to, () -> deliver(packet));
            }
            return;
        }
        long departure = departure(packet);
        if (departure < 0) {
            return;
        }
        arriveLater(packet, departure);
        if (random.nextDouble() < duplication) {
            arriveLater(packet, departure);
        }
    }

    private long departure(RdPacket packet) {
        if (rate == 0) {
            return now;
        }
        String link = packet.from.port() + ">" + packet.to.port();
        double free = Math.max((double) now, busyUntil.getOrDefault(link, 0.0));
        if ((free - now) * rate / 1e9 > queue) {
            return -1;
        }
        free += packet.octets * 1e9 / rate;
        busyUntil.put(link, free);
        return (long) free;
    }

    private void arriveLater(RdPacket packet, long departure) {
        long extra = jitter == 0 ? 0 : random.nextLong(jitter + 1);
        at(departure + delay + extra, () -> deliver(packet));
    }

    /** {@return the datagrams of a Kind sent by a host, including lost ones; only if recorded} */
    List<RdPacket> sent(RdHost by, Kind kind) {
        return wire.stream()
                .filter(p -> p.kind == kind && p.from.equals(by.address) && p.shim.sourceQpn() == by.number)
                .toList();
    }

    /** Delivers a datagram now, whatever happened to it before. */
    void deliver(RdPacket packet) {
        RdHost host = hosts.get(packet.to);
        if (host != null) {
            host.receive(packet);
        }
    }

    /** Runs for {@code nanos}. */
    void run(long nanos) {
        long end = now + nanos;
        while (!events.isEmpty() && events.peek().at <= end) {
            step();
        }
        now = end;
    }

    /** Runs until {@code done}, which takes at most {@code millis}. */
    void await(BooleanSupplier done, long millis) {
        long end = now + millis(millis);
        while (!done.getAsBoolean() && !events.isEmpty() && events.peek().at <= end) {
            step();
        }
        assertThat(done.getAsBoolean())
                .as(() -> this + ", after " + millis + " ms: " + hosts.values())
                .isTrue();
    }

    /** Runs until all messages of these hosts have ended, which takes at most {@code millis}. */
    void settle(long millis, RdHost... of) {
        await(() -> Stream.of(of).allMatch(host -> host.upper.allDone()), millis);
    }

    @Override
    public String toString() {
        return "seed " + seed;
    }

    private void step() {
        Event event = events.remove();
        now = event.at;
        event.what.run();
    }
}
