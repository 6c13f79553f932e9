package dev.jwarp.conformance.cases.datagram;

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
 * A channel that the device has opened, over a long path: the tester answers late. So a round trip is long compared
 * with the pauses of a busy machine, and the tester can count the datagrams in flight before an acknowledgement. A
 * <em>flight</em> is the set of these datagrams.
 */
final class LongPath {
    /** Bytes of a packet on the path besides the payload of a Send: IP, UDP, shim, PSN, DDP header and CRC. */
    private static final int BESIDE = 28 + 24 + 12 + 18 + 4 + 2;

    /** Bytes on the path below a datagram: of UDP, and of IP. */
    private static final int BELOW = 28;

    /** Limit of the datagrams of a Send: a target has 1 MiB of memory for it. */
    private static final int MOST = 700;

    /** A flight ends when no new datagram has come for so long. A round trip is longer than a flight by this time. */
    private static final long GAP_MILLIS = 200;

    /** Milliseconds between two polls. */
    private static final long LOOK_MILLIS = 10;

    /** A poll that takes so many milliseconds means that the tester has paused. */
    private static final long PAUSE_MILLIS = 30;

    private static final long CROWD_MILLIS = 10;
    private static final int FLIGHTS = 8;

    private final DatagramTrial trial;
    private final Exchange x;
    private final int peer;
    private final int segment;
    private final Channel channel;

    /** Number of received datagrams, from the expected PSN on. */
    private final BitSet have = new BitSet();

    // Of the last flight.
    private final BitSet came = new BitSet();
    private long octets;
    private final List<Long> times = new ArrayList<>();
    private boolean paused;

    /** Makes the device open a channel for about so many datagrams; the tester's window has so many PSNs. */
    static LongPath of(DatagramTrial trial, int datagrams, int window) {
        int count = 1 + datagrams / MOST;
        return new LongPath(trial, window, 1500, count, datagrams / count * (1500 - BESIDE));
    }

    /**
     * Makes the device open a channel.
     *
     * @param window the tester's window in PSNs
     * @param pathMtu the path MTU that the device's program sets
     * @param count number of Sends
     * @param length length of each Send in bytes
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

    /** Waits. Datagrams that come in that time are not counted yet. */
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

    /** {@return size of the last flight in bytes, as on the path} */
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

    /** Acknowledges the received datagrams up to the first missing one. */
    void acknowledge() {
        int count = have.nextClearBit(0);
        BitSet rest = have.get(count, Math.max(count, have.length()));
        have.clear();
        have.or(rest);
        channel.acknowledge(count);
    }

    /** Sets the tester's window from now on. */
    void widen(int window) {
        x.say(channel.ack(channel.expected(), window, false));
    }

    /** Sends an RD-ACK with RNR: the tester has no receive for the expected datagram. */
    void refuse() {
        x.say(channel.ack(true));
    }

    /** Sends an RD-ACK that reports the first received datagram as lost. */
    void lose() {
        long[] words = new long[(have.length() + Long.SIZE - 2) / Long.SIZE];
        for (int i = have.nextSetBit(1); i > 0; i = have.nextSetBit(i + 1)) {
            words[(i - 1) / Long.SIZE] |= Long.MIN_VALUE >>> (i - 1);
        }
        have.clear(0);
        x.say(channel.ack(false, words));
    }

    /** {@return milliseconds until the expected datagram comes; -1 if it does not come within this time} */
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

    /**
     * {@return number of unacknowledged datagrams of the first flight that has at least so many} Earlier flights are
     * acknowledged.
     */
    int grown(int least) {
        int flight = flight();
        for (int i = 0; i < FLIGHTS && flight < least; i++) {
            acknowledge();
            flight = flight();
        }
        if (flight < least) {
            throw new Skip("needs a device that has " + least + " datagrams in flight at a time");
        }
        return flight;
    }
}
