package dev.jwarp.transport.udp.seal;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.source.Divided;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Protects the datagrams of a port with keys, between its sockets and its engine: every datagram is sent and received
 * in an envelope (datagram-iWARP §K.1, DG-K.1-1). One for each port; its owner only.
 */
public final class PortSeal {
    /** T_FRESH in seconds: datagrams whose time differs by more from this host's time are dropped. */
    static final long FRESH_SECONDS = 300; // T_FRESH

    private static final int TAG = Envelope.TAG_LENGTH;
    /** No window of a key has fewer places. */
    private static final int LEAST_SENDERS = 16;

    private final LongFunction<SealKeys> source;
    private final int most;
    private final RandomGenerator random;
    private final LongSupplier clock;
    private long began;
    private final Crc crc = new Crc();
    private final EnvelopeCipher sealing = new EnvelopeCipher();
    private final EnvelopeCipher opening = new EnvelopeCipher();
    private final Map<DatagramAddress, SealWindows.Window> known = new HashMap<>();
    private final Receivers receivers;
    private final Consumer<UdpCounter> counts;
    private final Divided watcher;

    /** The origin of this port; a received datagram with this origin is the port's own (DG-K.7-5). */
    private final long origin;

    private SealKeys present;
    private List<PortKey> keys = List.of();
    private long looked;

    /** The number of datagrams sent, with any key. Visible for tests. */
    long sequence;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(DatagramLength.LARGEST + Envelope.OVERHEAD);
    /** An envelope up to its tag, copied here at once: the JDK would copy a direct buffer piece by piece. */
    private final byte[] covered = new byte[DatagramLength.LARGEST + Envelope.OVERHEAD];

    /**
     * For one port, opened now.
     *
     * @param source gives the keys at a time, seconds since 1970; other ones than before are valid from then on
     * @param most the most senders to remember, divided among the keys
     * @param random a source of unpredictable numbers
     * @param clock seconds since 1970
     * @param counts adds one to a counter
     */
    public PortSeal(
            LongFunction<SealKeys> source,
            int most,
            RandomGenerator random,
            LongSupplier clock,
            Consumer<UdpCounter> counts) {
        this.source = source;
        this.most = most;
        this.random = random;
        this.clock = clock;
        began = clock.getAsLong();
        origin = nonZero(random);
        receivers = new Receivers(known, random, counts);
        this.counts = counts;
        watcher = new Divided(counts, UdpCounter.SEAL_TAKEN_BACK);
        looked = began;
        present = source.apply(began);
        adopt();
    }

    private static long nonZero(RandomGenerator random) {
        long number = random.nextLong();
        return number == 0 ? nonZero(random) : number;
    }

    /** The time, at which the keys may have changed. */
    private long now() {
        long now = clock.getAsLong();
        if (now != looked) {
            looked = now;
            began = Math.min(began, now); // a clock that was ahead
            SealKeys newest = source.apply(now);
            if (newest != present) {
                present = newest;
                adopt();
            }
        }
        return now;
    }

    /** Goes on with keys that were there before, which differ in use, peers or lifetimes at most. */
    private void adopt() {
        List<PortKey> before = keys;
        List<PortKey> after = new ArrayList<>();
        for (SealKeys.SealKey key : present.list()) {
            after.add(before.stream()
                    .filter(one -> one.key().isSame(key))
                    .findFirst()
                    .map(one -> one.with(key))
                    // Envelopes that were accepted with the key before it was taken away are not accepted again.
                    .orElseGet(() -> new PortKey(key, newWindows(), before.isEmpty() ? Long.MIN_VALUE : looked)));
        }
        keys = List.copyOf(after);
        known.replaceAll((address, window) -> remaining(window));
        known.values().removeIf(window -> keys.stream().noneMatch(one -> window.isOf(one.windows())));
    }

    /** {@return a sender as it is known with a key that is still there; the same if there is none} */
    private SealWindows.Window remaining(SealWindows.Window sender) {
        for (PortKey one : keys) {
            SealWindows.Window other = one.windows().find(sender.origin());
            if (other != null) {
                return other;
            }
        }
        return sender;
    }

    private SealWindows newWindows() {
        int share =
                Math.max(Math.min(LEAST_SENDERS, most), most / present.list().size());
        // A Time may be ahead by T_FRESH, and is fresh for as long again.
        long idle = TimeUnit.SECONDS.toNanos(2 * FRESH_SECONDS);
        return new SealWindows(share, idle, random.nextLong(), watcher, known);
    }

    private @Nullable PortKey receiving(int id, DatagramAddress source, long now) {
        for (int i = 0; i < keys.size(); i++) {
            PortKey one = keys.get(i);
            if (one.key().id() == id) {
                return one.key().isFor(source) && one.isValid(now) ? one : null;
            }
        }
        return null;
    }

    private @Nullable PortKey sending(DatagramAddress to, boolean group, long now) {
        for (int i = 0; i < keys.size(); i++) {
            PortKey one = keys.get(i);
            if (one.key().sendsTo(to, group) && one.canSend(now)) {
                return one;
            }
        }
        return null;
    }

    /** Visible for tests: as if a greeting had told which port is at that address. */
    void assume(DatagramAddress at, PortSeal receiver) {
        known.put(at.copy(), keys.get(0).windows().new Window(receiver.origin));
    }

    /**
     * {@return the length in the envelope at {@code offset}, limited to 1 to {@code available}} No field is trusted.
     */
    public int stated(ByteBuffer buffer, int offset, int available) {
        if (available < Envelope.SHORTEST || !Envelope.is(buffer, offset)) {
            return available;
        }
        int length = Envelope.length(buffer, offset);
        return length >= Envelope.SHORTEST && length < available ? length : available;
    }

    /**
     * Takes a datagram out of its envelope in place: the datagram begins {@link Envelope#SHIFT} octets later, is {@link
     * Envelope#OVERHEAD} octets shorter, and has a CRC of its own.
     *
     * @param group whether the datagram came through a group, so that others have it, too
     * @param nowNanos the time of the engine, which any clock of the system may not change
     * @return null if the datagram is authentic, new and for this port; else the counter of the fault, or of greetings
     */
    public @Nullable UdpCounter open(
            ByteBuffer buffer, int offset, int length, DatagramAddress source, boolean group, long nowNanos) {
        UdpCounter wrong = form(buffer, offset, length);
        if (wrong != null) {
            return wrong;
        }
        long now = now();
        PortKey key = receiving(buffer.getInt(offset + Envelope.KEY_ID_OFFSET), source, now); // DG-K.7-3
        if (key == null) {
            return UdpCounter.RX_SEAL_BAD;
        }
        if (Envelope.algorithm(buffer, offset) != key.key().algorithm()) {
            return UdpCounter.RX_SEAL_BAD;
        }
        long sender = buffer.getLong(offset + Envelope.ORIGIN_OFFSET);
        long number = buffer.getLong(offset + Envelope.SEQUENCE_OFFSET);
        SealWindows.Window window = key.windows().find(sender);
        long epoch = TrafficKey.epoch(number);
        TrafficKey kept = window == null ? null : window.key(epoch);
        TrafficKey traffic = kept == null ? opening.derive(key.key(), sender, epoch) : kept;
        int end = length - TAG - Crc.LENGTH;
        buffer.get(offset, covered, 0, end + TAG);
        if (!opening.restore(traffic, covered, end, number)) { // DG-K.7-4
            return UdpCounter.RX_SEAL_BAD;
        }
        boolean toGroup = (ShimHeader.flags(buffer, offset) & ShimHeader.GROUP) != 0; // members receive their own
        if (!toGroup && sender == origin) { // DG-K.7-5
            return UdpCounter.RX_SEAL_REPLAY;
        }
        long time = nearest(buffer.getInt(offset + Envelope.TIME_OFFSET), now);
        if (window == null) {
            // Only a sender that is not known needs a clock: the numbers of a known one suffice.
            if (!isFresh(time, key, now)) { // DG-K.7-6
                return UdpCounter.RX_SEAL_LATE;
            }
            window = key.windows().add(sender, source, TimeUnit.SECONDS.toNanos(now));
        }
        if (window == null || !window.take(number, time, TimeUnit.SECONDS.toNanos(now))) { // DG-K.7-7
            return UdpCounter.RX_SEAL_REPLAY;
        }
        window.keep(traffic);
        buffer.put(offset, covered, 0, end);
        long receiver = buffer.getLong(offset + Envelope.RECEIVER_OFFSET);
        boolean greeting = Envelope.isGreeting(buffer, offset);
        boolean mine = receiver == (toGroup ? 0 : origin) || (greeting && receiver == 0);
        if (!mine || (greeting && group)) { // DG-K.7-8
            // No more octets than came, and none for what others have got, too.
            if (!group && length >= Envelope.GREETING_LENGTH) {
                receivers.misdirected(source, nowNanos);
            }
            return UdpCounter.RX_SEAL_OTHER;
        }
        if (greeting) {
            receivers.greeted(buffer, offset, window, source, nowNanos);
            return UdpCounter.RX_GREETING;
        }
        window.hear(nowNanos);
        Envelope.unwrap(buffer, offset, length, crc);
        return null;
    }

    /** {@return the time with these 32 bits that is nearest to now} */
    private static long nearest(int stated, long now) {
        return now + (stated - (int) now);
    }

    private boolean isFresh(long time, PortKey key, long now) {
        return time >= Math.max(Math.max(began, Math.min(key.since(), now)), now - FRESH_SECONDS)
                && time <= now + FRESH_SECONDS
                && key.windows().isAbove(time);
    }

    /** The checks that need no key. */
    private @Nullable UdpCounter form(ByteBuffer buffer, int offset, int length) {
        if (length < DatagramLength.SHORTEST) { // datagram-iWARP §5, check 1 (DG-5.1-1)
            return UdpCounter.RX_SHORT;
        }
        if (!crc.matches(buffer, offset, length)) { // datagram-iWARP §5, check 2 (DG-4.1-2)
            return UdpCounter.RX_CRC;
        }
        if (!Envelope.is(buffer, offset)) { // DG-K.7-1
            return UdpCounter.RX_UNSEALED;
        }
        if (length < Envelope.SHORTEST) { // DG-K.7-2
            return UdpCounter.RX_SHORT;
        }
        if (Envelope.isGreeting(buffer, offset) && !Envelope.isWholeGreeting(buffer, offset, length)) { // DG-K.7-2
            return UdpCounter.RX_MALFORMED;
        }
        return Envelope.length(buffer, offset) == length ? null : UdpCounter.RX_MALFORMED; // DG-K.7-2
    }

    /**
     * Puts the first datagrams of a batch into envelopes (DG-K.6-1), as many as one system call takes.
     *
     * @param plain not changed
     * @param sealed set to memory of this object, valid until the next call
     * @return null if {@code sealed} is set; else the counter of what happened to the first datagram: there is no key
     *     for it, or it waits until its receiver is known
     */
    public @Nullable UdpCounter seal(DatagramBatch plain, DatagramBatch sealed, long nowNanos) {
        DatagramAddress to = plain.destination();
        // The broadcast address of a network does not show that it is a group.
        boolean group = (ShimHeader.flags(plain.memory(), plain.offset()) & ShimHeader.GROUP) != 0;
        PortKey key = sending(to, group, now());
        if (key == null) {
            return UdpCounter.TX_NO_KEY;
        }
        long receiver = group ? 0 : receivers.origin(to);
        if (receiver == 0 && !group) { // DG-K.7-8
            receivers.hold(plain, nowNanos);
            return UdpCounter.TX_HELD;
        }
        int size = plain.datagramSize() + Envelope.OVERHEAD;
        int most = Math.max(1, DatagramLength.LARGEST / size);
        int used = 0;
        for (int i = 0, from = 0; i < most && from < plain.length(); i++, from += plain.datagramSize()) {
            int length = Math.min(plain.datagramSize(), plain.length() - from);
            used = write(plain.memory(), plain.offset() + from, length, key, receiver, used);
        }
        sealed.set(to, memory, 0, used, size);
        if (plain.mayBeCut()) {
            sealed.allowCut();
        }
        return null;
    }

    /** {@return whether {@code sealed} is set to a datagram of the seal's own: a greeting, or one that has waited} */
    public boolean next(DatagramBatch sealed) {
        for (Receivers.Ready one = receivers.poll(); one != null; one = receivers.poll()) {
            PortKey key = sending(one.to(), false, now());
            if (key != null) {
                ByteBuffer plain = one.plain();
                int size = write(plain, 0, plain.capacity(), key, one.receiver(), 0);
                sealed.set(one.to(), memory, 0, size, size);
                if (one.mayBeCut()) {
                    sealed.allowCut();
                }
                return true;
            }
            counts.accept(UdpCounter.TX_NO_KEY);
        }
        return false;
    }

    /** {@return when {@link #onTimeout} is due, nanoseconds; {@code Long.MAX_VALUE} for never} */
    public long nextTimeout() {
        return receivers.nextTimeout();
    }

    /** Asks again for receivers that datagrams wait for, and drops datagrams that have waited for too long. */
    public void onTimeout(long nowNanos) {
        receivers.onTimeout(nowNanos);
    }

    /** Drops all datagrams that wait. */
    public void close() {
        receivers.close();
    }

    /** {@return the end of the envelope of one datagram, written at {@code at}} */
    private int write(ByteBuffer plain, int from, int length, PortKey key, long receiver, int at) {
        int written = Envelope.write(plain, from, length, memory, at);
        long number = ++sequence; // DG-K.6-2
        memory.put(at + Envelope.ALGORITHM_OFFSET, (byte) key.key().algorithm());
        memory.putInt(at + Envelope.KEY_ID_OFFSET, key.key().id());
        memory.putLong(at + Envelope.ORIGIN_OFFSET, origin).putLong(at + Envelope.SEQUENCE_OFFSET, number);
        memory.putInt(at + Envelope.TIME_OFFSET, (int) looked);
        memory.putLong(at + Envelope.RECEIVER_OFFSET, receiver);
        memory.get(at, covered, 0, written);
        sealing.protect(key.sending(sealing, origin, number, written), covered, written, number);
        memory.put(at, covered, 0, written + TAG);
        return at + crc.seal(memory, at, written + TAG);
    }
}
