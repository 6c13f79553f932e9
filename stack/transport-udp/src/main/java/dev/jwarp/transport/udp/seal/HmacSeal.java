package dev.jwarp.transport.udp.seal;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.source.SourceTable;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates the datagrams of a port with keys, between its sockets and its engine: every datagram is sent and
 * received in an envelope (datagram-iWARP §4.8) with an HMAC-SHA-256 tag, truncated to 128 bits (DG-4.8-1). One for
 * each port; its owner only. The JDK's {@link Mac} allocates some 200 bytes for each datagram, in each direction.
 */
public final class HmacSeal {
    /** T_FRESH in seconds: datagrams whose time differs by more from this host's time are dropped. */
    static final long FRESH_SECONDS = 300;

    private static final int TAG = Envelope.TAG_LENGTH;
    private static final int SALT_SHIFT = 32;

    private final SealKeys keys;
    private final Mac[] macs;
    private final LongSupplier clock;
    private final long began;
    private final Crc crc = new Crc();
    private final SealWindows windows;

    /** The high half of all origins of this port; a received datagram with this salt is the port's own (DG-4.8-7). */
    private final int salt;

    private final SourceTable destinations;
    private final long[] origins;
    private final long[] sequences;
    private int destinationsSoFar;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(DatagramLength.LARGEST + Envelope.OVERHEAD);
    /** The octets that the tag covers, copied here at once: the JDK would copy a direct buffer piece by piece. */
    private final byte[] covered = new byte[DatagramLength.LARGEST + Envelope.OVERHEAD];

    private final byte[] tag = new byte[TAG];
    private final byte[] wanted = new byte[TAG];

    /**
     * For one port, opened now.
     *
     * @param most the most origins, and the most destinations, to remember
     * @param random a source of unpredictable numbers
     * @param clock seconds since 1970
     */
    public HmacSeal(SealKeys keys, int most, RandomGenerator random, LongSupplier clock) {
        this.keys = keys;
        this.clock = clock;
        began = clock.getAsLong();
        salt = random.nextInt();
        windows = new SealWindows(most, random.nextLong());
        destinations = new SourceTable(most, random.nextLong());
        origins = new long[most];
        sequences = new long[most];
        macs = new Mac[keys.size()];
        for (int i = 0; i < macs.length; i++) {
            macs[i] = keys.get(i).mac();
        }
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
     * @return null if the datagram is authentic and new; else the counter of the fault, and the buffer is unchanged
     */
    public @Nullable UdpCounter open(ByteBuffer buffer, int offset, int length, DatagramAddress source) {
        UdpCounter wrong = form(buffer, offset, length);
        if (wrong != null) {
            return wrong;
        }
        int id = buffer.getInt(offset + Envelope.KEY_ID_OFFSET);
        int key = keys.find(id);
        if (key < 0 || !keys.get(key).isFor(source)) { // DG-4.8-4
            return UdpCounter.RX_SEAL_BAD;
        }
        if (Envelope.algorithm(buffer, offset) != Envelope.HMAC_SHA_256_128) { // DG-4.8-4
            return UdpCounter.RX_SEAL_BAD;
        }
        int before = length - TAG - Crc.LENGTH;
        tag(macs[key], buffer, offset, before);
        buffer.get(offset + before, wanted);
        if (!MessageDigest.isEqual(tag, wanted)) { // DG-4.8-5: the whole tag, in constant time
            return UdpCounter.RX_SEAL_BAD;
        }
        wrong = again(buffer, offset, id);
        if (wrong == null) {
            Envelope.unwrap(buffer, offset, length, crc);
        }
        return wrong;
    }

    /** The checks that need no key. */
    private @Nullable UdpCounter form(ByteBuffer buffer, int offset, int length) {
        if (length < DatagramLength.SHORTEST) { // datagram-iWARP §5, check 1 (DG-5.1-1)
            return UdpCounter.RX_SHORT;
        }
        if (!crc.matches(buffer, offset, length)) { // datagram-iWARP §5, check 2 (DG-4.1-2)
            return UdpCounter.RX_CRC;
        }
        if (!Envelope.is(buffer, offset)) { // DG-4.8-2
            return UdpCounter.RX_UNSEALED;
        }
        if (length < Envelope.SHORTEST) { // DG-4.8-3
            return UdpCounter.RX_SHORT;
        }
        return Envelope.length(buffer, offset) == length ? null : UdpCounter.RX_MALFORMED; // DG-4.8-3
    }

    /** Whether the datagram was sent by this very port, is too old, or is a replay. */
    private @Nullable UdpCounter again(ByteBuffer buffer, int offset, int id) {
        long origin = buffer.getLong(offset + Envelope.ORIGIN_OFFSET);
        boolean group = (ShimHeader.flags(buffer, offset) & ShimHeader.GROUP) != 0; // members receive their own
        if (!group && (int) (origin >>> SALT_SHIFT) == salt) { // DG-4.8-7
            return UdpCounter.RX_SEAL_REPLAY;
        }
        long now = clock.getAsLong();
        long time = now + (buffer.getInt(offset + Envelope.TIME_OFFSET) - (int) now); // the nearest with these bits
        long oldest = Math.max(began, now - FRESH_SECONDS);
        if (time < oldest || time > now + FRESH_SECONDS) { // DG-4.8-6
            return UdpCounter.RX_SEAL_LATE;
        }
        long sequence = buffer.getLong(offset + Envelope.SEQUENCE_OFFSET);
        return windows.take(id, origin, sequence, time, oldest) ? null : UdpCounter.RX_SEAL_REPLAY; // DG-4.8-8
    }

    private void tag(Mac mac, ByteBuffer buffer, int offset, int length) {
        buffer.get(offset, covered, 0, length);
        mac.update(covered, 0, length);
        System.arraycopy(mac.doFinal(), 0, tag, 0, TAG);
    }

    /**
     * Puts the first datagrams of a batch into envelopes (DG-4.8-11), as many as one system call takes.
     *
     * @param plain not changed
     * @param sealed set to memory of this object, valid until the next call
     * @return false if there is no key for the batch's destination
     */
    public boolean seal(DatagramBatch plain, DatagramBatch sealed) {
        DatagramAddress to = plain.destination();
        int key = keys.sending(to);
        if (key < 0) {
            return false;
        }
        int slot = destination(to);
        int size = plain.datagramSize() + Envelope.OVERHEAD;
        int most = Math.max(1, DatagramLength.LARGEST / size);
        int time = (int) clock.getAsLong();
        int used = 0;
        for (int i = 0, from = 0; i < most && from < plain.length(); i++, from += plain.datagramSize()) {
            int length = Math.min(plain.datagramSize(), plain.length() - from);
            int written = Envelope.write(plain.memory(), plain.offset() + from, length, memory, used);
            memory.putInt(used + Envelope.KEY_ID_OFFSET, keys.get(key).id());
            memory.putLong(used + Envelope.ORIGIN_OFFSET, origins[slot]);
            memory.putLong(used + Envelope.SEQUENCE_OFFSET, ++sequences[slot]); // DG-4.8-9
            memory.putInt(used + Envelope.TIME_OFFSET, time);
            tag(macs[key], memory, used, written);
            memory.put(used + written, tag);
            used += crc.seal(memory, used, written + TAG);
        }
        sealed.set(to, memory, 0, used, size);
        if (plain.mayBeCut()) {
            sealed.allowCut();
        }
        return true;
    }

    /** A new destination has an origin of its own, so that its sequence numbers have no gaps (DG-4.8-9). */
    private int destination(DatagramAddress to) {
        int slot = destinations.put(to);
        if (destinations.fresh()) {
            origins[slot] = (long) salt << SALT_SHIFT | (destinationsSoFar++ & 0xffff_ffffL);
            sequences[slot] = 0;
        }
        return slot;
    }
}
