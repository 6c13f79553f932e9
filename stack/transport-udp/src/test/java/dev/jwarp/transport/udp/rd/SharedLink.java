package dev.jwarp.transport.udp.rd;

import java.util.HashMap;
import java.util.Map;

/**
 * A link shared by several senders: a rate, a drop-tail queue, and a delay. The reverse direction has only the delay.
 * Bytes are those of IP packets.
 */
final class SharedLink {
    /** The least capacity of the queue, packets. */
    private static final int LEAST_PACKETS = 3;

    private static final int PACKET = 1500;

    /** The packets of one sender. */
    static final class Share {
        long sent;
        long dropped;
    }

    /** The delay of one direction, nanoseconds. */
    final long delay;

    /** The share of late packets, and their additional delay. */
    double late;

    long lateBy;

    /** The share of packets lost at random. */
    double loss;

    /** Whether the link is down in both directions. */
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
     * @param megabits the rate, Mbit/s
     * @param roundTripMillis the round trip with an empty queue
     * @param products the length of the queue, in products of rate and round trip
     */
    SharedLink(RdSim sim, double megabits, long roundTripMillis, double products) {
        this.sim = sim;
        delay = RdSim.millis(roundTripMillis) / 2;
        nanosPerByte = 8_000 / megabits;
        queue = Math.max(LEAST_PACKETS * PACKET, (long) (products * RdSim.millis(roundTripMillis) / nanosPerByte));
    }

    /** {@return the packets of that sender so far} */
    Share share(Object sender) {
        return shares.computeIfAbsent(sender, s -> new Share());
    }

    /** Sends a packet towards the receivers, which may be dropped. */
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
        freeAt = begin + bytes * nanosPerByte;
        long extra = late > 0 && sim.random.nextDouble() < late ? lateBy : 0;
        sim.at((long) freeAt + delay + extra, arrival);
    }

    /**
     * Sends a packet back to a sender, with a random delay of up to the time of one packet on the link. Without it,
     * acknowledgement-clocked senders would meet a full queue always at the same phase (phase effects).
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
