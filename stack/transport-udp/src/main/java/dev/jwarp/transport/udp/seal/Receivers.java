package dev.jwarp.transport.udp.seal;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.source.Cookies;
import dev.jwarp.transport.udp.wire.Envelope;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The origins of the ports that a port sends to, which greetings reveal (datagram-iWARP §K.4, DG-K.7-8 and DG-K.4-1), and
 * the datagrams that wait for a greeting's answer, as packets wait for that of ARP. Owner only; once a receiver is known,
 * its datagrams allocate nothing.
 */
final class Receivers {
    /** T_GREET: the least time between two greetings that ask one port. */
    static final long GREET_NANOS = TimeUnit.MILLISECONDS.toNanos(200); // T_GREET

    /** T_HOLD: the longest time for which a datagram waits. */
    static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(1); // T_HOLD

    /** The most bytes of datagrams that wait, with {@link #AROUND} for each. */
    static final int MOST_HELD = 4 << 20;

    /** The memory of the objects around a datagram that waits. */
    static final int AROUND = 300;

    /** The most addresses that an answer from another address is compared with. */
    private static final int MOST_COMPARED = 16;

    private static final int ASK_PLACES = 1 << 10;

    /** With so many datagrams ready to be sent no greeting is added. */
    static final int MOST_READY = 1_024;

    /** A greeting as a datagram: octet 0 and shim are 0. */
    private static final int GREETING = Envelope.GREETING_LENGTH - Envelope.OVERHEAD;

    private static final int ASKS = Envelope.ASKS_OFFSET - Envelope.SHIFT;
    private static final int ANSWERS = Envelope.ANSWERS_OFFSET - Envelope.SHIFT;

    private final Map<DatagramAddress, SealWindows.Window> known;
    private final Cookies cookies;
    private final Consumer<UdpCounter> counts;
    private final Map<DatagramAddress, Waiting> waiting = new LinkedHashMap<>();
    private final ArrayDeque<Ready> ready = new ArrayDeque<>();
    private int held;
    /** When sources of misdirected envelopes were asked last; addresses with one hash share a place. */
    private final long[] lastAsks = new long[ASK_PLACES];

    private final int hashKey;

    /**
     * A datagram that can be sent now.
     *
     * @param plain not yet in an envelope
     * @param receiver for the envelope
     */
    record Ready(DatagramAddress to, ByteBuffer plain, boolean mayBeCut, long receiver) {}

    private record Held(ByteBuffer plain, boolean mayBeCut, long sinceNanos) {}

    /** Datagrams for one address. */
    private static final class Waiting {
        private final ArrayDeque<Held> datagrams = new ArrayDeque<>();
        private long askedNanos;
    }

    /** @param known the windows by the addresses of their senders; {@link SealWindows} removes them */
    Receivers(Map<DatagramAddress, SealWindows.Window> known, RandomGenerator random, Consumer<UdpCounter> counts) {
        this.known = known;
        this.counts = counts;
        hashKey = random.nextInt() | 1;
        Arrays.fill(lastAsks, Long.MIN_VALUE);
        byte[] secret = new byte[Cookies.SECRET_LENGTH];
        random.nextBytes(secret);
        cookies = new Cookies(secret);
    }

    /** {@return the origin of the port at that address; 0 if it is not known} */
    long origin(DatagramAddress at) {
        SealWindows.Window receiver = known.get(at);
        return receiver == null ? 0 : receiver.origin();
    }

    /** Copies the first datagram of a batch, and asks for its receiver. */
    void hold(DatagramBatch plain, long nowNanos) {
        DatagramAddress to = plain.destination();
        Waiting there = waiting.get(to);
        if (there == null) {
            there = new Waiting();
            ask(to.copy(), there, nowNanos);
        }
        ByteBuffer copy = ByteBuffer.allocate(plain.firstLength());
        copy.put(0, plain.memory(), plain.offset(), copy.capacity());
        there.datagrams.add(new Held(copy, plain.mayBeCut(), nowNanos));
        held += copy.capacity() + AROUND;
        while (held > MOST_HELD) {
            Map.Entry<DatagramAddress, Waiting> eldest =
                    waiting.entrySet().iterator().next();
            drop(eldest.getValue());
            if (eldest.getValue().datagrams.isEmpty()) {
                waiting.remove(eldest.getKey());
            }
        }
    }

    private void drop(Waiting there) {
        held -= there.datagrams.remove().plain.capacity() + AROUND;
        counts.accept(UdpCounter.TX_NO_RECEIVER);
    }

    /** Asks for the receiver at an address, which is then the last to be asked again. */
    private void ask(DatagramAddress to, Waiting there, long nowNanos) {
        waiting.remove(to);
        waiting.put(to, there);
        there.askedNanos = nowNanos;
        ask(to, nowNanos);
    }

    /** {@return when a receiver is to be asked again} */
    long nextTimeout() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.values().iterator().next().askedNanos + GREET_NANOS;
    }

    /** Asks again where datagrams still wait, and drops those that have waited for too long. */
    void onTimeout(long nowNanos) {
        while (nextTimeout() <= nowNanos) {
            Map.Entry<DatagramAddress, Waiting> eldest =
                    waiting.entrySet().iterator().next();
            DatagramAddress to = eldest.getKey();
            Waiting there = eldest.getValue();
            while (!there.datagrams.isEmpty() && nowNanos - there.datagrams.element().sinceNanos >= HOLD_NANOS) {
                drop(there);
            }
            if (there.datagrams.isEmpty()) {
                waiting.remove(to);
            } else {
                ask(to, there, nowNanos);
            }
        }
    }

    /** Drops all datagrams that wait. */
    void close() {
        waiting.values().forEach(there -> {
            while (!there.datagrams.isEmpty()) {
                drop(there);
            }
        });
        waiting.clear();
        ready.clear();
    }

    /** A greeting for this port has come. */
    void greeted(ByteBuffer envelope, int at, SealWindows.Window sender, DatagramAddress source, long nowNanos) {
        int answers = at + Envelope.ANSWERS_OFFSET;
        if (envelope.getLong(at + Envelope.RECEIVER_OFFSET) != 0) {
            long high = envelope.getLong(answers);
            DatagramAddress asked = asked(source, high, envelope.getLong(answers + Long.BYTES), nowNanos);
            if (asked != null && mayBeAt(asked, sender, nowNanos)) {
                sender.receivesAt(asked);
                release(asked, sender.origin(), nowNanos);
            }
        }
        int asks = at + Envelope.ASKS_OFFSET;
        if ((envelope.getLong(asks) | envelope.getLong(asks + Long.BYTES)) != 0) {
            ByteBuffer reply = ByteBuffer.allocate(GREETING).put(ANSWERS, envelope, asks, 2 * Long.BYTES);
            if (origin(source) != sender.origin()) {
                asking(reply, source, nowNanos);
            }
            greet(source, reply, sender.origin());
        }
    }

    /**
     * {@return the address that was asked with a number; null if none was} A port that is bound to all addresses of its
     * host may answer from another one.
     */
    private @Nullable DatagramAddress asked(DatagramAddress source, long high, long low, long nowNanos) {
        if ((high | low) == 0) {
            return null;
        }
        if (cookies.good(source, 0, high, low, nowNanos)) {
            return source;
        }
        Iterator<DatagramAddress> others = waiting.keySet().iterator();
        for (int i = 0; i < MOST_COMPARED && others.hasNext(); i++) {
            DatagramAddress other = others.next();
            if (cookies.good(other, 0, high, low, nowNanos)) {
                return other;
            }
        }
        return null;
    }

    /** {@return whether a port may be at an address: not while another one is heard that was there before} */
    private boolean mayBeAt(DatagramAddress at, SealWindows.Window sender, long nowNanos) {
        SealWindows.Window before = known.get(at);
        return before == null || before.origin() == sender.origin() || !before.isHeard(HOLD_NANOS, nowNanos);
    }

    /** A port has sent to another receiver than this one: it does not know this one yet. */
    void misdirected(DatagramAddress source, long nowNanos) {
        int place = (source.hashCode() * hashKey) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(ASK_PLACES));
        if (lastAsks[place] == Long.MIN_VALUE || nowNanos - lastAsks[place] >= GREET_NANOS) {
            lastAsks[place] = nowNanos;
            ask(source, nowNanos);
        }
    }

    private void release(DatagramAddress to, long receiver, long nowNanos) {
        Waiting there = waiting.remove(to);
        if (there == null) {
            return;
        }
        for (Held each : there.datagrams) {
            held -= each.plain.capacity() + AROUND;
            if (nowNanos - each.sinceNanos < HOLD_NANOS) {
                ready.add(new Ready(to.copy(), each.plain, each.mayBeCut, receiver));
            } else {
                counts.accept(UdpCounter.TX_NO_RECEIVER);
            }
        }
    }

    private void ask(DatagramAddress to, long nowNanos) {
        greet(to, asking(ByteBuffer.allocate(GREETING), to, nowNanos), 0);
    }

    /** Only who receives datagrams at that address can answer. */
    private ByteBuffer asking(ByteBuffer greeting, DatagramAddress to, long nowNanos) {
        cookies.make(to, 0, nowNanos);
        return greeting.putLong(ASKS, cookies.high()).putLong(ASKS + Long.BYTES, cookies.low());
    }

    private void greet(DatagramAddress to, ByteBuffer greeting, long receiver) {
        if (to.port() == 0 || to.group()) {
            return; // no port is there that could answer
        }
        if (ready.size() >= MOST_READY) {
            counts.accept(UdpCounter.TX_OVERFLOWED);
            return;
        }
        ready.add(new Ready(to.copy(), greeting, false, receiver));
        counts.accept(UdpCounter.TX_GREETING);
    }

    /** {@return the next datagram to send; null if there is none} */
    @Nullable
    Ready poll() {
        return ready.poll();
    }
}
