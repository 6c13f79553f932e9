package dev.jwarp.transport.udp.port;

import dev.jwarp.base.SplitMix;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.InjectedFaults;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Drops, duplicates and delays the datagrams of one port. The fate of a datagram of UD depends on the seed, the number
 * of its message (counted from the first that its queue pair sent), whether it is a reply, and its Segment Index; never
 * on time. Datagrams of a reliable channel are numbered as they are sent, so that a repetition can have another fate.
 *
 * <p>For experiments: with faults it allocates, and every datagram is sent alone. Owner thread only.
 */
public final class Injector {
    private static final long REORDER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** The most delayed datagrams; further ones are sent at once. */
    private static final int MOST_HELD = 4_096;

    private static final int LOSS = 0;
    private static final int DUPLICATE = 1;
    private static final int REORDER = 2;

    private record Held(long when, long order, DatagramAddress to, ByteBuffer octets) implements Comparable<Held> {
        @Override
        public int compareTo(Held other) {
            int byTime = Long.compare(when, other.when);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final InjectedFaults faults;
    private final Tally<UdpCounter> counters;
    private final boolean active;
    private final Shim shim = new Shim();
    private final Map<Integer, Integer> firstIds = new HashMap<>();
    private final Map<Integer, Integer> ordinals = new HashMap<>();
    private final PriorityQueue<Held> held = new PriorityQueue<>();
    private long order;
    private long reliable;
    private long now;

    public Injector(InjectedFaults faults, Tally<UdpCounter> counters) {
        this.faults = faults;
        this.counters = counters;
        active = faults.any();
    }

    boolean active() {
        return active;
    }

    /** Sets the time for {@link #copies}. */
    public void at(long nowNanos) {
        now = nowNanos;
    }

    /** {@return the number of copies of this datagram to send now: 0, 1 or 2} Delayed copies are sent later. */
    int copies(DatagramAddress to, ByteBuffer memory, int offset, int length) {
        if (!active) {
            return 1;
        }
        long fate = fate(memory, offset);
        if (share(fate, LOSS) < faults.loss()) {
            counters.count(UdpCounter.INJECTED_LOSS);
            return 0;
        }
        int copies = 1;
        if (share(fate, DUPLICATE) < faults.duplicate()) {
            counters.count(UdpCounter.INJECTED_DUPLICATE);
            copies = 2;
        }
        long delay = faults.delayNanos() + (share(fate, REORDER) < faults.reorder() ? REORDER_NANOS : 0);
        if (delay == 0 || held.size() + copies > MOST_HELD) {
            return copies;
        }
        counters.count(UdpCounter.INJECTED_DELAY);
        for (int i = 0; i < copies; i++) {
            ByteBuffer octets = ByteBuffer.allocate(length);
            octets.put(0, memory, offset, length);
            held.add(new Held(now + delay, order++, to.copy(), octets));
        }
        return 0;
    }

    private long fate(ByteBuffer memory, int offset) {
        ShimHeader.read(memory, offset, shim);
        boolean ofChannel = shim.reliable() || ShimHeader.kindCode(memory, offset) != Kind.DATA.code();
        if (ofChannel) {
            return SplitMix.mix(SplitMix.mix(faults.seed()) + reliable++);
        }
        int source = shim.sourceQpn() << 1 | (shim.reply() ? 1 : 0);
        int ordinal = ordinals.computeIfAbsent(shim.sourceQpn(), key -> ordinals.size());
        int message = shim.messageId() - firstIds.computeIfAbsent(source, key -> shim.messageId());
        long queuePair = SplitMix.mix(faults.seed() * 2 + (shim.reply() ? 1 : 0)) + ordinal;
        return SplitMix.mix(SplitMix.mix(queuePair) + ((long) message << 16 | shim.segmentIndex()));
    }

    private static double share(long fate, int what) {
        return (SplitMix.mix(fate + what) >>> 11) * 0x1p-53;
    }

    /** {@return when the next delayed datagram has to be sent; {@link Long#MAX_VALUE} for none} */
    public long nextRelease() {
        Held first = held.peek();
        return first == null ? Long.MAX_VALUE : first.when;
    }

    /** Writes the delayed datagrams that are due, as far as there is room. */
    public void release(SendBuffer out, long nowNanos) {
        while (out.hasRoom() && nextRelease() <= nowNanos) {
            Held first = held.remove();
            out.append(first.to, first.octets);
        }
    }
}
