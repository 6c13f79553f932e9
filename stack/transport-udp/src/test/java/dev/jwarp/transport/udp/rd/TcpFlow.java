package dev.jwarp.transport.udp.rd;

import java.util.HashSet;
import java.util.Set;

/**
 * A model of one TCP connection of Linux that always has data: CUBIC with HyStart, SACK, RACK, PRR, tail loss probes,
 * delayed acknowledgements, no pacing. Units are segments of 1,500 bytes on the path.
 */
final class TcpFlow {
    static final int PACKET = 1500;

    private static final int RING = 1 << 16;
    private static final double BETA = 717.0 / 1024;
    private static final double C = 0.4;
    private static final double FRIENDLY = 8.0 / 15;
    private static final int UNSET = Integer.MAX_VALUE;

    private enum Phase {
        OPEN,
        RECOVERY,
        LOSS
    }

    private final RdSim sim;
    private final SharedLink path;

    // Sender: by sequence number of a segment.
    private final long[] sentAt = new long[RING];
    private final boolean[] flying = new boolean[RING];
    private final boolean[] lost = new boolean[RING];
    private final boolean[] sacked = new boolean[RING];
    private final boolean[] again = new boolean[RING];
    private int una;
    private int next;
    private int inFlight;
    private int lostOut;
    private int sackedOut;
    private int fack;
    private Phase phase = Phase.OPEN;
    private int high;
    private double cwnd = 10;
    private double ssthresh = UNSET;
    private double prior;
    private int prrDelivered;
    private int prrOut;

    // RACK
    private long rackSentAt = -1;
    private int rackSeq;
    private long rackRtt;
    private boolean reordered;
    private long leastRtt = Long.MAX_VALUE;

    // Timers
    private long srtt;
    private long rttvar;
    private int backoff;
    private long timerAt = Long.MAX_VALUE;
    private boolean timerIsProbe;
    private boolean armed;
    private boolean probed;

    // CUBIC and HyStart
    private long epoch;
    private double lastMax;
    private double origin;
    private double k;
    private double reno;
    private int roundEnd;
    private long roundStart;
    private long lastAck;
    private long roundRtt;
    private int samples;

    // Receiver
    private int expected;
    private final Set<Integer> ahead = new HashSet<>();
    private int unacked;

    TcpFlow(RdSim sim, SharedLink path) {
        this.sim = sim;
        this.path = path;
    }

    void start() {
        roundStart = sim.now();
        send();
    }

    /** {@return the number of segments delivered in order} */
    long delivered() {
        return expected;
    }

    private static int at(int seq) {
        return seq & (RING - 1);
    }

    // ---- sending

    private void send() {
        if (phase == Phase.OPEN && inFlight > 0 && (int) cwnd - inFlight < Math.min(chunk(), cwnd / 3)) {
            return; // tcp_tso_should_defer
        }
        while (inFlight < (int) cwnd) {
            if (lostOut > 0) {
                int seq = una;
                while (!lost[at(seq)]) {
                    seq++;
                }
                lost[at(seq)] = false;
                lostOut--;
                again[at(seq)] = true;
                transmit(seq);
            } else {
                int slot = at(next);
                lost[slot] = false;
                sacked[slot] = false;
                again[slot] = false;
                transmit(next++);
            }
        }
    }

    /** {@return the segments sent as one piece: a millisecond of the rate, as in tcp_tso_autosize} */
    private double chunk() {
        double factor = cwnd < ssthresh / 2 ? 2 : 1.2;
        return srtt == 0 ? 2 : Math.max(2, Math.min(44, factor * cwnd * RdSim.millis(1) / srtt));
    }

    private void transmit(int seq) {
        if (!flying[at(seq)]) {
            flying[at(seq)] = true;
            inFlight++;
        }
        sentAt[at(seq)] = sim.now();
        prrOut++;
        if (timerAt == Long.MAX_VALUE) {
            arm();
        }
        path.forward(this, PACKET, () -> onData(seq));
    }

    // ---- receiving

    private void onData(int seq) {
        if (seq == expected) {
            boolean gap = !ahead.isEmpty();
            expected++;
            while (ahead.remove(expected)) {
                expected++;
            }
            if (gap || ++unacked >= 2) {
                ack(seq);
            } else {
                int seen = expected;
                sim.after(RdSim.millis(40), () -> {
                    if (unacked > 0 && expected == seen) {
                        ack(seq);
                    }
                });
            }
        } else {
            if (seq > expected) {
                ahead.add(seq);
            }
            ack(seq);
        }
    }

    private void ack(int seq) {
        unacked = 0;
        int upTo = expected;
        path.back(this, () -> onAck(upTo, seq));
    }

    // ---- acknowledgements

    private void onAck(int upTo, int seq) {
        int delivered = 0;
        long sample = -1;
        for (int s = una; s < upTo; s++) {
            if (!sacked[at(s)]) {
                sample = Math.max(sample, deliver(s));
                delivered++;
            } else {
                sackedOut--;
                sacked[at(s)] = false;
            }
        }
        boolean advanced = upTo > una;
        una = Math.max(una, upTo);
        if (seq >= una && !sacked[at(seq)]) {
            sample = Math.max(sample, deliver(seq));
            sacked[at(seq)] = true;
            sackedOut++;
            delivered++;
        }
        if (sample > 0) {
            measure(sample);
        }
        if (delivered == 0) {
            return;
        }
        backoff = 0;
        probed = false;
        int newlyLost = findLost();
        if (phase == Phase.OPEN && newlyLost > 0) {
            enter(Phase.RECOVERY);
        } else if (phase != Phase.OPEN && una >= high) {
            if (phase == Phase.RECOVERY) {
                cwnd = ssthresh;
            }
            phase = Phase.OPEN;
        }
        if (phase == Phase.RECOVERY) {
            reduce(delivered, advanced && newlyLost == 0);
        } else {
            grow(delivered, sample);
        }
        arm();
        send();
    }

    /** {@return the round trip, if it is unambiguous} */
    private long deliver(int seq) {
        int slot = at(seq);
        long rtt = sim.now() - sentAt[slot];
        if (flying[slot]) {
            flying[slot] = false;
            inFlight--;
        }
        if (lost[slot]) {
            lost[slot] = false;
            lostOut--;
        }
        boolean sure = !again[slot] || rtt >= leastRtt;
        if (sure && (sentAt[slot] > rackSentAt || (sentAt[slot] == rackSentAt && seq > rackSeq))) {
            rackSentAt = sentAt[slot];
            rackSeq = seq;
            rackRtt = rtt;
        }
        if (seq < fack && !again[slot]) {
            reordered = true;
        }
        fack = Math.max(fack, seq);
        return again[slot] ? -1 : rtt;
    }

    private void measure(long rtt) {
        leastRtt = Math.min(leastRtt, rtt);
        if (srtt == 0) {
            srtt = rtt;
            rttvar = rtt / 2;
        } else {
            rttvar += (Math.abs(srtt - rtt) - rttvar) / 4;
            srtt += (rtt - srtt) / 8;
        }
    }

    private int findLost() {
        if (sackedOut == 0 && phase == Phase.OPEN) {
            return 0;
        }
        long window = !reordered && (phase != Phase.OPEN || sackedOut >= 3) ? 0 : Math.min(leastRtt / 4, srtt);
        int found = 0;
        long wait = 0;
        for (int s = una; s <= fack; s++) {
            int slot = at(s);
            if (flying[slot] && (sentAt[slot] < rackSentAt || (sentAt[slot] == rackSentAt && s < rackSeq))) {
                long left = sentAt[slot] + rackRtt + window - sim.now();
                if (left <= 0) {
                    flying[slot] = false;
                    inFlight--;
                    lost[slot] = true;
                    lostOut++;
                    found++;
                } else {
                    wait = Math.max(wait, left);
                }
            }
        }
        if (wait > 0) {
            sim.after(wait, this::reorderingOver);
        }
        return found;
    }

    private void reorderingOver() {
        if (findLost() > 0) {
            if (phase == Phase.OPEN) {
                enter(Phase.RECOVERY);
                reduce(0, false);
            }
            send();
        }
    }

    private void enter(Phase entered) {
        high = next;
        prior = cwnd;
        prrDelivered = 0;
        prrOut = 0;
        epoch = 0;
        lastMax = cwnd < lastMax ? cwnd * (1 + BETA) / 2 : cwnd;
        ssthresh = Math.max(2, Math.floor(cwnd * BETA));
        phase = entered;
    }

    /** As in tcp_cwnd_reduction. */
    private void reduce(int delivered, boolean safe) {
        prrDelivered += delivered;
        int delta = (int) ssthresh - inFlight;
        int count;
        if (delta < 0) {
            count = (int) ((ssthresh * prrDelivered + prior - 1) / prior) - prrOut;
        } else {
            count = Math.max(prrDelivered - prrOut, delivered);
            if (safe) {
                count++;
            }
            count = Math.min(delta, count);
        }
        count = Math.max(count, prrOut > 0 ? 0 : 1);
        cwnd = inFlight + count;
    }

    // ---- CUBIC

    private void grow(int acked, long rtt) {
        if (cwnd < ssthresh) {
            hystart(rtt);
            cwnd = Math.min(Math.max(ssthresh, cwnd), cwnd + acked);
            return;
        }
        long now = sim.now();
        if (epoch == 0) {
            epoch = now;
            reno = cwnd;
            k = lastMax <= cwnd ? 0 : Math.cbrt((lastMax - cwnd) / C);
            origin = Math.max(lastMax, cwnd);
        }
        double t = (now - epoch + leastRtt) / 1e9;
        double target = origin + C * (t - k) * (t - k) * (t - k);
        double count = target > cwnd ? cwnd / (target - cwnd) : 100 * cwnd;
        if (lastMax == 0) {
            count = Math.min(count, 20);
        }
        reno += acked * FRIENDLY / cwnd;
        if (reno > cwnd) {
            count = Math.min(count, cwnd / (reno - cwnd));
        }
        cwnd += acked / Math.max(2, count);
    }

    private void hystart(long rtt) {
        long now = sim.now();
        if (una > roundEnd) {
            roundEnd = next;
            roundStart = now;
            lastAck = now;
            roundRtt = Long.MAX_VALUE;
            samples = 0;
        }
        if (ssthresh != UNSET || cwnd < 16) {
            return;
        }
        boolean found = false;
        if (now - lastAck <= RdSim.millis(2)) {
            lastAck = now;
            found = now - roundStart > leastRtt / 2;
        }
        if (rtt > 0) {
            roundRtt = Math.min(roundRtt, rtt);
            long rise = Math.max(RdSim.millis(4), Math.min(leastRtt / 8, RdSim.millis(16)));
            found |= ++samples > 8 && roundRtt > leastRtt + rise;
        }
        if (found) {
            ssthresh = cwnd;
        }
    }

    // ---- timers

    private long rto() {
        return srtt == 0 ? RdSim.millis(1000) : srtt + Math.max(4 * rttvar, RdSim.millis(200));
    }

    private void arm() {
        if (inFlight == 0 && lostOut == 0) {
            timerAt = Long.MAX_VALUE;
            return;
        }
        timerIsProbe = phase == Phase.OPEN && srtt > 0 && backoff == 0 && !probed;
        long wait = timerIsProbe ? Math.min(rto(), 2 * srtt + RdSim.millis(2)) : rto() << Math.min(backoff, 8);
        timerAt = sim.now() + Math.min(wait, RdSim.millis(120_000));
        if (!armed) {
            armed = true;
            sim.at(timerAt, this::timer);
        }
    }

    private void timer() {
        armed = false;
        if (timerAt == Long.MAX_VALUE) {
            return;
        }
        if (sim.now() < timerAt) {
            armed = true;
            sim.at(timerAt, this::timer);
            return;
        }
        timerAt = Long.MAX_VALUE;
        if (timerIsProbe) {
            probed = true;
            int last = next - 1;
            again[at(last)] = true;
            transmit(last);
        } else {
            if (phase != Phase.LOSS) {
                enter(Phase.LOSS);
            }
            high = next;
            for (int s = una; s < next; s++) {
                int slot = at(s);
                if (flying[slot]) {
                    flying[slot] = false;
                    lost[slot] = true;
                    lostOut++;
                }
            }
            inFlight = 0;
            cwnd = 1;
            backoff++;
            send();
        }
        arm();
    }
}
