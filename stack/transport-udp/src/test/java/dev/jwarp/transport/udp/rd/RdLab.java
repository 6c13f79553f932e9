package dev.jwarp.transport.udp.rd;

import dev.jwarp.transport.udp.UdpSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** One bottleneck and its senders; results are of the time after {@link #measure} began. */
final class RdLab {
    static final int PAYLOAD = 1412;
    private static final long SEED = Long.getLong("jwarp.sim.seed", 1);
    private static final int PACKET = RdHost.HEADERS + PAYLOAD + 28;

    final RdSim sim;
    final SharedLink link;
    final List<RdHost> channels = new ArrayList<>();
    final List<TcpFlow> flows = new ArrayList<>();
    double seconds;
    private double[] bytes = {};
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
        return () -> from.post(to, segments, 1);
    }

    RdLab tcp(int count) {
        for (int i = 0; i < count; i++) {
            TcpFlow flow = new TcpFlow(sim, link);
            flows.add(flow);
            sim.after(sim.random.nextInt(50_000_000), flow::start);
        }
        return this;
    }

    private int size() {
        return channels.size() + flows.size();
    }

    private double delivered(int i) {
        return i < channels.size()
                ? (double) channels.get(i).upper.acceptedSegments * PACKET
                : (double) flows.get(i - channels.size()).delivered() * TcpFlow.PACKET;
    }

    /** {@return the packets that sender {@code i} has lost since the beginning} */
    long dropped(int i) {
        Object sender = i < channels.size() ? channels.get(i).address : flows.get(i - channels.size());
        return link.share(sender).dropped;
    }

    /** Runs without measuring for the settling time, then measures for the run time. */
    RdLab measure(int settleSeconds, int runSeconds) {
        sim.run(RdSim.millis(settleSeconds * 1_000L));
        bytes = new double[size()];
        drops = new long[size()];
        for (int i = 0; i < size(); i++) {
            bytes[i] = delivered(i);
            drops[i] = dropped(i);
        }
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
        return IntStream.range(0, size()).mapToDouble(this::rate).sum();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(sim + ":");
        for (int i = 0; i < size(); i++) {
            text.append(String.format(
                    Locale.ROOT, " %s %.2f Mbit/s, %d lost;", i < channels.size() ? "RD" : "TCP", rate(i), lost(i)));
        }
        return text.toString();
    }
}
