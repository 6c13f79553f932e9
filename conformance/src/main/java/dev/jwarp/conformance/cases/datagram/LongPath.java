package dev.jwarp.conformance.cases.datagram;

import dev.jwarp.conformance.datagram.Bodies;
import dev.jwarp.conformance.datagram.Channel;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.script.Skip;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A channel that the device has opened, over a path as long as the tester makes it: it answers late. So a round trip is long beside the
 * pauses of a busy machine, and what the device has under way can be counted before an acknowledgement changes it. A
 * <em>flight</em> is what it sends until then.
 */
final class LongPath {
    /** Bytes of a packet on the path besides the payload of a Send: IP, UDP, shim, PSN, DDP header and CRC. */
    private static final int BESIDE = 28 + 24 + 12 + 18 + 4 + 2;

    /** Bytes on the path below a datagram: of UDP, and of IP. */
    private static final int BELOW = 28;

    /** Datagrams of a Send at most: a target has a MiB of memory for one. */
    private static final int MOST = 700;

    /** A flight is over when nothing new has come for so long. A round trip is longer than a flight by this time. */
    private static final long GAP_MILLIS = 200;

    /** Milliseconds between two looks. */
    private static final long LOOK_MILLIS = 10;

    /** A look that takes so many milliseconds means that the tester has paused. */
    private static final long PAUSE_MILLIS = 30;

    private static final long CROWD_MILLIS = 10;
    private static final int FLIGHTS = 8;

    private final DatagramTrial trial;
    private final Exchange x;
    private final int peer;
    private final int segment;
    private final Channel channel;

    /** Datagrams that have come, counted from the PSN that is due. */
    private final BitSet have = new BitSet();

    // Of the last flight.
    private final BitSet came = new BitSet();
    private long octets;
    private final List<Long> times = new ArrayList<>();
    private boolean paused;

    /** A channel that the device opens for about so many datagrams; the tester keeps so many PSNs ahead. */
    static LongPath of(DatagramTrial trial, int datagrams, int window) {
        int count = 1 + datagrams / MOST;
        return new LongPath(trial, window, 1500, count, datagrams / count * (1500 - BESIDE));
    }

    /**
     * A channel that the device opens.
     *
     * @param window PSNs that the tester keeps ahead
     * @param pathMtu which the device's program tells it
     * @param count of Sends
     * @param length of each, bytes
     */
    LongPath(DatagramTrial trial, int window, int pathMtu, int count, int length) {
        this.trial = trial;
        x = trial.stranger(trial.rd());
        peer = trial.program().peer(x.theirs(), x.port(), x.number(), x.key(), pathMtu);
        segment = pathMtu - BESIDE;
        for (int i = 0; i < count; i++) {
            post(length);
        }
        Datagram open = x.expect(Kind.RD_OPEN);
        pass(GAP_MILLIS);
        channel = Channel.accept(x, open, window);
    }

    private void post(long length) {
        trial.program().postSend(peer, (int) Math.min(x.theirs().longest(), length), 1);
    }

    /** One more Send, of so many datagrams. */
    void more(int datagrams) {
        post((long) datagrams * segment);
    }

    /** Lets the time pass. Datagrams that come in that time are not looked at. */
    void pass(long millis) {
        for (long end = x.elapsed() + millis; x.elapsed() < end; ) {
            x.hear(end - x.elapsed());
        }
    }

    /** {@return the number of new datagrams that come; 0 if none comes in time} */
    int flight() {
        came.clear();
        times.clear();
        octets = 0;
        paused = false;
        long now = x.elapsed();
        for (long end = now + x.patience().answerMillis(); now < end; ) {
            long before = now;
            Datagram d = channel.maybeData(Math.min(LOOK_MILLIS, end - now));
            now = x.elapsed();
            paused = now - before >= PAUSE_MILLIS || (paused && !came.isEmpty());
            int ahead = d == null ? -1 : channel.ahead(d);
            if (d != null && ahead >= 0 && !have.get(ahead)) {
                times.add(now);
                end = now + GAP_MILLIS;
                octets += d.bytes().length + BELOW;
                came.set(ahead);
                have.set(ahead);
            }
        }
        return came.cardinality();
    }

    /** {@return octets of the last flight, as they are on the path} */
    long octets() {
        return octets;
    }

    /** {@return the most datagrams of the last flight that came within 10 ms; -1 if the tester has paused meanwhile} */
    int crowd() {
        int most = 0;
        int first = 0;
        for (int last = 0; last < times.size(); last++) {
            while (times.get(last) - times.get(first) > CROWD_MILLIS) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return paused ? -1 : most;
    }

    /** Acknowledges what has come, as far as nothing is missing. */
    void acknowledge() {
        acknowledge(have.nextClearBit(0));
    }

    private void acknowledge(int count) {
        channel.expected(channel.expected() + count);
        BitSet rest = have.get(count, Math.max(count, have.length()));
        have.clear();
        have.or(rest);
        channel.acknowledge();
    }

    /** The tester keeps so many PSNs ahead from now on. */
    void widen(int window) {
        x.say(Bodies.ack(x, channel.theirs(), channel.expected(), window, false));
    }

    /** The tester has no receive for the datagram that is due. */
    void refuse() {
        x.say(channel.ack(true));
    }

    /** The first datagram of what has come was lost: an RD-ACK says so. */
    void lose() {
        long[] words = new long[(have.length() + Long.SIZE - 2) / Long.SIZE];
        for (int i = have.nextSetBit(1); i > 0; i = have.nextSetBit(i + 1)) {
            words[(i - 1) / Long.SIZE] |= Long.MIN_VALUE >>> (i - 1);
        }
        have.clear(0);
        x.say(channel.ack(false, words));
    }

    /** {@return milliseconds until the datagram that is due comes; -1 if it does not in so many} */
    long due(long millis) {
        long began = x.elapsed();
        while (x.elapsed() - began < millis) {
            Datagram d = channel.maybeData(millis - (x.elapsed() - began));
            if (d != null && channel.ahead(d) == 0) {
                return x.elapsed() - began;
            }
        }
        return -1;
    }

    /** {@return how many datagrams, not acknowledged, a flight has that has so many} Those before are acknowledged. */
    int grown(int least) {
        int flight = flight();
        for (int i = 0; i < FLIGHTS && flight < least; i++) {
            acknowledge();
            flight = flight();
        }
        if (flight < least) {
            throw new Skip("needs a device that has " + least + " datagrams under way at a time");
        }
        return flight;
    }
}
