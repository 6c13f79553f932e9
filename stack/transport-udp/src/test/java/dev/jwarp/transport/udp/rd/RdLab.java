package dev.jwarp.transport.udp.rd;

import dev.jwarp.transport.udp.UdpSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** One bottleneck and its senders; results are of the time after {@link #measure} began. */
final class RdLab {
    static final int PAYLOAD = 1412;
    private static final long SEED = Long.getLong("jwarp.sim.seed", 1);
    private static final int PACKET = RdHost.HEADERS + PAYLOAD + 28;

    /** {@code key} is its name at the link; {@code delivered} counts bytes. */
    private record Sender(String name, Object key, LongSupplier delivered) {}

    final RdSim sim;
    final SharedLink link;
    final List<RdHost> channels = new ArrayList<>();
    private final List<Sender> senders = new ArrayList<>();
    double seconds;
    private long[] bytes = {};
    private long[] drops = {};

    /** {@return settings with that congestion control and loss tolerance in percent} */
    static RdSettings settings(String control, int tolerance) {
        return RdSettings.of(UdpSettings.of(
                Map.of("jwarp.rd.congestion", control, "jwarp.rd.loss-tolerance", String.valueOf(tolerance))));
    }

    RdLab(double megabits, long roundTripMillis, double products) {
        this(megabits, roundTripMillis, products, SEED);
    }

    RdLab(double megabits, long roundTripMillis, double products, long seed) {
        sim = new RdSim(seed);
        link = new SharedLink(sim, megabits, roundTripMillis, products);
        sim.bottleneck = link;
    }

    RdLab channels(int count, RdSettings settings) {
        for (int i = 0; i < count; i++) {
            Runnable post = channel(settings, 50_000_000);
            sim.after(sim.random.nextInt(50_000_000), post);
        }
        return this;
    }

    /** {@return what posts a message of so many segments from a new host to another one} */
    Runnable channel(RdSettings settings, int segments) {
        RdHost from = new RdHost(sim, 10 + channels.size(), 17, settings);
        RdHost to = new RdHost(sim, 1_000 + channels.size(), 18, settings);
        sim.behind.add(from.address);
        from.upper.segment = PAYLOAD;
        channels.add(from);
        senders.add(new Sender("RD", from.address, () -> from.upper.acceptedSegments * PACKET));
        return () -> from.post(to, segments, 1);
    }

    RdLab tcp(int count) {
        for (int i = 0; i < count; i++) {
            TcpFlow flow = new TcpFlow(sim, link);
            senders.add(new Sender("TCP", flow, () -> flow.delivered() * TcpFlow.PACKET));
            sim.after(sim.random.nextInt(50_000_000), flow::start);
        }
        return this;
    }

    private long delivered(int i) {
        return senders.get(i).delivered.getAsLong();
    }

    private IntStream senders() {
        return IntStream.range(0, senders.size());
    }

    /** {@return the packets that sender {@code i} has lost since the beginning} */
    long dropped(int i) {
        return link.share(senders.get(i).key).dropped;
    }

    /** Runs without measuring for the settling time, then measures for the run time. */
    RdLab measure(int settleSeconds, int runSeconds) {
        sim.run(RdSim.millis(settleSeconds * 1_000L));
        bytes = senders().mapToLong(this::delivered).toArray();
        drops = senders().mapToLong(this::dropped).toArray();
        sim.run(RdSim.millis(runSeconds * 1_000L));
        seconds = runSeconds;
        return this;
    }

    /** {@return the Mbit/s of sender {@code i}; channels come first} */
    double rate(int i) {
        return (delivered(i) - bytes[i]) * 8 / 1e6 / seconds;
    }

    long lost(int i) {
        return dropped(i) - drops[i];
    }

    double sum() {
        return senders().mapToDouble(this::rate).sum();
    }

    @Override
    public String toString() {
        return sim + ": "
                + senders()
                        .mapToObj(i -> String.format(
                                Locale.ROOT, "%s %.2f Mbit/s, %d lost", senders.get(i).name, rate(i), lost(i)))
                        .toList();
    }
}
