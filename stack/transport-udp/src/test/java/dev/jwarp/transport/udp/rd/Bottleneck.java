package dev.jwarp.transport.udp.rd;

import java.util.HashMap;
import java.util.Map;

/**
 * A link that several senders share: so many bytes a second, a queue of so many bytes that drops what does not fit, and a delay.
 * What goes back to the senders meets the delay alone. Bytes are those of IP packets.
 */
final class Bottleneck {
    /** A queue that holds less than this many packets is none. */
    private static final int LEAST_PACKETS = 3;

    private static final int PACKET = 1500;

    /** What one sender gave to it. */
    static final class Share {
        long sent;
        long dropped;
        long bytes;

        /** {@return how much of it was dropped} */
        double loss() {
            return sent == 0 ? 0 : (double) dropped / sent;
        }
    }

    /** Nanoseconds of one way. */
    final long delay;

    /** Share of packets that are late, and by how much. */
    double late;

    long lateBy;

    /** Share of packets that are lost at random. */
    double loss;

    /** Nothing gets through in either direction. */
    boolean down;

    private final RdSim sim;
    private final double nanosPerByte;
    private final long queue;
    private final Map<Object, Share> shares = new HashMap<>();
    private final Map<Object, Long> lastBack = new HashMap<>();
    private double freeAt;

    /**
     * Creates an idle one.
     *
     * @param megabits a second
     * @param roundTripMillis of an empty queue
     * @param products bytes of the queue, in products of rate and round trip
     */
    Bottleneck(RdSim sim, double megabits, long roundTripMillis, double products) {
        this.sim = sim;
        delay = RdSim.millis(roundTripMillis) / 2;
        nanosPerByte = 8_000 / megabits;
        queue = Math.max(LEAST_PACKETS * PACKET, (long) (products * RdSim.millis(roundTripMillis) / nanosPerByte));
    }

    /** {@return what that sender gave to it so far} */
    Share share(Object sender) {
        return shares.computeIfAbsent(sender, s -> new Share());
    }

    /** A packet towards the receivers: arrives, or does not. */
    void forward(Object sender, int bytes, Runnable arrival) {
        Share share = share(sender);
        share.sent++;
        double now = sim.now();
        double begin = Math.max(freeAt, now);
        boolean full = (begin - now) / nanosPerByte + bytes > queue + PACKET; // one is on the wire
        if (full || down || sim.random.nextDouble() < loss) {
            share.dropped++;
            return;
        }
        share.bytes += bytes;
        freeAt = begin + bytes * nanosPerByte;
        long extra = late > 0 && sim.random.nextDouble() < late ? lateBy : 0;
        sim.at((long) freeAt + delay + extra, arrival);
    }

    /**
     * A packet back to a sender, by up to as much later as the link needs for a packet: else those that go by acknowledgements would
     * all meet a full queue at the same moment of its service, and be dropped always or never (phase effects).
     */
    void back(Object sender, Runnable arrival) {
        if (down) {
            return;
        }
        long at = sim.now() + delay + sim.random.nextInt((int) (PACKET * nanosPerByte));
        at = Math.max(at, lastBack.getOrDefault(sender, 0L));
        lastBack.put(sender, at);
        sim.at(at, arrival);
    }
}
