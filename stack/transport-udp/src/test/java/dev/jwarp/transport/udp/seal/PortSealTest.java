package dev.jwarp.transport.udp.seal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Envelope;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Envelopes")
class PortSealTest {
    private static final String SECRET = "hex:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    private static final String KEYS = "7 send " + SECRET + " any\n";
    private static final String BARE = "7 send " + SECRET + " any hmac-sha-256\n";
    private static final String OTHER = "8 %s hex:ffffffffffffffffffffffffffffffff any\n";
    private static final DatagramAddress A = DatagramAddress.of(new InetSocketAddress("192.0.2.1", 4000));
    private static final DatagramAddress B = DatagramAddress.of(new InetSocketAddress("192.0.2.2", 4000));
    private static final int CRC = Crc.LENGTH;
    /** The second byte of the stated length. */
    private static final int LAST_OF_LENGTH = 31;

    private long seconds = 1_800_000_000L;
    private final PortSeal sender = port(1);
    private final PortSeal receiver = port(2);

    private PortSeal port(String keys, int most, long seed) {
        PortSeal port = newPort(keys, most, seed);
        port.assume(B, newPort(KEYS, 1, 2));
        return port;
    }

    private PortSeal newPort(String keys, int most, long seed) {
        return newPort(new SealKeys[] {SealKeys.parse("keys", keys)}, most, seed);
    }

    /** A port whose keys may be exchanged. */
    private PortSeal newPort(SealKeys[] keys, int most, long seed) {
        return new PortSeal(now -> keys[0], most, new Random(seed), () -> seconds, counter -> {});
    }

    private PortSeal port(long seed) {
        return port(KEYS, 64, seed);
    }

    /** A meaningless datagram with a correct CRC. */
    private static byte[] datagram(int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length - CRC; i++) {
            octets[i] = (byte) (i * 31 + 16);
        }
        octets[4] = 0; // no flags
        new Crc().seal(ByteBuffer.wrap(octets), 0, length - CRC);
        return octets;
    }

    private static List<byte[]> seal(PortSeal by, byte[]... plain) {
        return seal(by, B, plain);
    }

    private static List<byte[]> seal(PortSeal by, DatagramAddress to, byte[]... plain) {
        int used = 5;
        ByteBuffer memory = ByteBuffer.allocateDirect(used + plain.length * plain[0].length);
        for (byte[] one : plain) {
            memory.put(used, one);
            used += one.length;
        }
        DatagramBatch batch = new DatagramBatch();
        batch.set(to, memory, 5, used - 5, plain[0].length);
        DatagramBatch sealed = new DatagramBatch();
        assertThat(by.seal(batch, sealed, 0)).isNull();
        List<byte[]> all = new ArrayList<>();
        while (sealed.length() > 0) {
            byte[] one = new byte[sealed.firstLength()];
            sealed.memory().get(sealed.offset(), one);
            all.add(one);
            sealed.advance(one.length);
        }
        return all;
    }

    private static byte[] sealed(PortSeal by, byte[] plain) {
        return seal(by, plain).get(0);
    }

    private static byte[] next(PortSeal by) {
        return sealed(by, datagram(40));
    }

    private static @Nullable UdpCounter open(PortSeal by, byte[] octets) {
        return openFrom(A, by, octets);
    }

    private static @Nullable UdpCounter openFrom(DatagramAddress source, PortSeal by, byte[] octets) {
        return by.open(ByteBuffer.wrap(octets.clone()), 0, octets.length, source, false, 0);
    }

    private static void accepts(PortSeal receiver, byte[] octets) {
        assertThat(open(receiver, octets)).isNull();
    }

    private static void drops(PortSeal receiver, byte[] octets, UdpCounter counter) {
        assertThat(open(receiver, octets)).isEqualTo(counter);
    }

    private static long sequence(byte[] sealed) {
        return ByteBuffer.wrap(sealed).getLong(Envelope.SEQUENCE_OFFSET);
    }

    private static void sendsNothing(PortSeal by, UdpCounter counter) {
        DatagramBatch batch = new DatagramBatch();
        batch.set(B, ByteBuffer.wrap(datagram(40)), 0, 40, 40);
        assertThat(by.seal(batch, new DatagramBatch(), 0)).isEqualTo(counter);
    }

    private static byte[] with(byte[] octets, int at, int value) {
        ByteBuffer copy = ByteBuffer.wrap(octets.clone()).put(at, (byte) value);
        new Crc().seal(copy, 0, octets.length - CRC);
        return copy.array();
    }

    @Property(tries = 200)
    @net.jqwik.api.Tag("DG-K.1-1")
    @net.jqwik.api.Tag("DG-K.6-3")
    void whatIsSealedIsOpened(
            @ForAll boolean encrypts,
            @ForAll @IntRange(min = 28, max = 9000) int length,
            @ForAll @IntRange(max = 99) int before) {
        String keys = encrypts ? KEYS : BARE;
        byte[] plain = datagram(length);
        byte[] sealed = sealed(port(keys, 64, 1), plain);
        assertThat(sealed).hasSize(length + Envelope.OVERHEAD);
        ByteBuffer in = ByteBuffer.allocateDirect(before + sealed.length).put(before, sealed);
        PortSeal to = port(keys, 64, 2);
        assertThat(to.stated(in, before, sealed.length)).isEqualTo(sealed.length);
        assertThat(to.open(in, before, sealed.length, A, false, 0)).isNull();
        byte[] opened = new byte[length];
        in.get(before + Envelope.SHIFT, opened);
        assertThat(opened).isEqualTo(plain);
    }

    @Property(tries = 500)
    @net.jqwik.api.Tag("DG-K.7-2")
    @net.jqwik.api.Tag("DG-K.7-4")
    void anyOctetChangedIsFound(
            @ForAll boolean encrypts,
            @ForAll @IntRange(min = 28, max = 200) int length,
            @ForAll int where,
            @ForAll @IntRange(min = 1, max = 255) int by) {
        String keys = encrypts ? KEYS : BARE;
        byte[] good = sealed(port(keys, 64, 1), datagram(length));
        int at = Math.floorMod(where, good.length - CRC);
        byte[] changed = with(good, at, good[at] ^ by);
        UdpCounter found = open(port(keys, 64, 2), changed);
        assertThat(found)
                .isIn(
                        at == 0
                                ? List.of(UdpCounter.RX_UNSEALED)
                                : List.of(UdpCounter.RX_SEAL_BAD, UdpCounter.RX_MALFORMED));
    }

    @Property(tries = 300)
    void octetsAtRandomAreDropped(@ForAll @Size(max = 120) byte[] octets) {
        assertThat(open(receiver, octets)).isNotNull();
        if (octets.length > 0) {
            assertThat(receiver.stated(ByteBuffer.wrap(octets), 0, octets.length))
                    .isBetween(1, octets.length);
        }
    }

    @Test
    @Tag("DG-K.7-2")
    @DisplayName("the stated length must be the real one, with room for a shim")
    void length() {
        byte[] good = sealed(sender, datagram(28));
        assertThat(good).hasSize(Envelope.SHORTEST);
        drops(receiver, with(good, LAST_OF_LENGTH, good.length + 4), UdpCounter.RX_MALFORMED);
        byte[] cut = with(Arrays.copyOf(good, good.length - 1), LAST_OF_LENGTH, good.length - 1);
        drops(receiver, cut, UdpCounter.RX_SHORT);
        byte[] damaged = good.clone();
        damaged[40] ^= 1;
        drops(receiver, damaged, UdpCounter.RX_CRC);
    }

    @Test
    @Tag("DG-K.7-3")
    @DisplayName("the key must be known, for the source, and for the stated algorithm")
    void keys() {
        byte[] good = next(sender);
        drops(port("8 send " + SECRET + " any", 64, 2), good, UdpCounter.RX_SEAL_BAD);
        drops(port("7 send " + SECRET + " 198.51.100.0/24", 64, 2), good, UdpCounter.RX_SEAL_BAD);
        accepts(port("7 send " + SECRET + " 192.0.2.1", 64, 2), good);
        drops(port(BARE, 64, 2), good, UdpCounter.RX_SEAL_BAD);
        for (int algorithm : new int[] {0, 1, 3}) {
            drops(receiver, with(good, 29, algorithm), UdpCounter.RX_SEAL_BAD);
        }
    }

    @Test
    @Tag("DG-K.2-1")
    @DisplayName("only a key for AES-128-GCM encrypts, and it encrypts all that is behind the envelope's fields")
    void encryption() {
        byte[] plain = datagram(400);
        byte[] rest = Arrays.copyOfRange(plain, 24, plain.length - CRC);
        byte[] bare = sealed(port(BARE, 64, 1), plain);
        assertThat(Arrays.copyOfRange(bare, Envelope.REST_OFFSET, Envelope.REST_OFFSET + rest.length))
                .isEqualTo(rest);
        byte[] sealed = sealed(sender, plain);
        byte[] encrypted = Arrays.copyOfRange(sealed, Envelope.REST_OFFSET, Envelope.REST_OFFSET + rest.length);
        int equal = 0;
        for (int i = 0; i < rest.length; i++) {
            equal += encrypted[i] == rest[i] ? 1 : 0;
        }
        assertThat(equal).isLessThan(rest.length / 10);
    }

    @Property(tries = 10)
    @net.jqwik.api.Tag("DG-K.5-1")
    void theEpochMayChangeInAnyOrder(@ForAll boolean encrypts) {
        String keys = encrypts ? KEYS : BARE;
        PortSeal from = port(keys, 64, 1);
        PortSeal to = port(keys, 64, 2);
        byte[] held = next(from);
        for (long next : new long[] {1 << 22, (3 << 22) - 1, 1L << 40}) {
            from.sequence = next - 1;
            accepts(to, next(from));
            accepts(to, next(from));
            from.sequence = next - 3;
            accepts(to, next(from));
        }
        drops(to, held, UdpCounter.RX_SEAL_REPLAY);
    }

    @Test
    @DisplayName(
            "keys are changed while ports are open: no datagram is lost, and the old key is not accepted afterwards")
    void reload() {
        SealKeys[] first = {SealKeys.parse("keys", KEYS)};
        SealKeys[] second = {first[0]};
        PortSeal from = newPort(first, 64, 1);
        PortSeal to = newPort(second, 64, 2);
        from.assume(B, to);
        byte[] before = next(from);
        accepts(to, before);
        byte[] old = next(from);

        second[0] = SealKeys.parse("keys", KEYS + OTHER.formatted("receive"));
        seconds++;
        drops(to, before, UdpCounter.RX_SEAL_REPLAY); // the windows stay
        accepts(to, next(from));
        first[0] = SealKeys.parse("keys", OTHER.formatted("send") + KEYS.replace("send", "receive"));
        seconds++;
        byte[] with = next(from);
        assertThat(ByteBuffer.wrap(with).getInt(Envelope.KEY_ID_OFFSET)).isEqualTo(8);
        assertThat(sequence(with))
                .as("no number is used twice, with whatever key")
                .isEqualTo(4);
        accepts(to, with);
        to.assume(B, from);
        accepts(from, next(to)); // still with the old key
        second[0] = SealKeys.parse("keys", OTHER.formatted("send"));
        seconds++;
        drops(to, old, UdpCounter.RX_SEAL_BAD);
        accepts(to, next(from));
    }

    @Test
    @DisplayName("a receiver that is known with a key that stays is not asked again when another key goes")
    void reloadKeepsReceivers() {
        SealKeys[] keys = {SealKeys.parse("keys", KEYS + OTHER.formatted("send"))};
        PortSeal from = newPort(keys, 64, 1);
        PortSeal to = port(OTHER.formatted("send"), 64, 2);
        from.assume(B, to);
        to.assume(B, from);
        accepts(from, next(to));
        keys[0] = SealKeys.parse("keys", OTHER.formatted("send"));
        seconds++;
        accepts(to, next(from));
    }

    @Test
    @DisplayName("a key that is taken away and comes back does not bring back what was accepted before")
    void keyComesBack() {
        SealKeys[] keys = {SealKeys.parse("keys", KEYS)};
        PortSeal to = newPort(keys, 64, 2);
        byte[] before = next(sender);
        accepts(to, before);
        for (String text : new String[] {OTHER.formatted("send"), KEYS}) {
            seconds++;
            keys[0] = SealKeys.parse("keys", text);
            open(to, before);
        }
        drops(to, before, UdpCounter.RX_SEAL_LATE);
        accepts(to, next(sender));
    }

    @Test
    @Tag("DG-K.7-6")
    @DisplayName("a clock that was ahead when the port was opened, and is set right, keeps no sender out")
    void clockWasAhead() {
        seconds += 3_600;
        PortSeal ahead = port(2);
        seconds -= 3_600;
        accepts(ahead, next(sender));
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("what came from a sender that gave way to another host is not accepted again")
    void floor() {
        PortSeal small = port(KEYS, 2, 2);
        byte[] first = next(sender);
        accepts(small, first);
        accepts(small, next(port(3)));
        seconds++;
        byte[] elsewhere = next(port(4));
        assertThat(openFrom(B, small, elsewhere)).isNull();
        assertThat(openFrom(B, small, first)).isEqualTo(UdpCounter.RX_SEAL_LATE);
    }

    @Test
    @DisplayName("a receiver that was known with a key that has gone is asked again")
    void reloadForgets() {
        SealKeys[] keys = {SealKeys.parse("keys", KEYS)};
        PortSeal from = newPort(keys, 64, 1);
        from.assume(B, receiver);
        next(from);
        keys[0] = SealKeys.parse("keys", OTHER.formatted("send"));
        seconds++;
        sendsNothing(from, UdpCounter.TX_HELD);
    }

    @Test
    @DisplayName("a key ends at its time, at both ends, and with its bytes, at the sender")
    void lifetime() {
        String until = "7 send " + SECRET + " any until=" + Instant.ofEpochSecond(seconds + 10) + "\n";
        PortSeal from = port(until + OTHER.formatted("send"), 64, 1);
        PortSeal to = port(until + OTHER.formatted("receive"), 64, 2);
        byte[] early = next(from);
        seconds += 9;
        byte[] last = next(from);
        accepts(to, last);
        seconds++;
        drops(to, early, UdpCounter.RX_SEAL_BAD);
        byte[] next = next(from);
        assertThat(ByteBuffer.wrap(next).getInt(Envelope.KEY_ID_OFFSET)).isEqualTo(8);
        accepts(to, next);

        PortSeal few = port("7 send " + SECRET + " any bytes=100", 64, 3);
        next(few);
        next(few);
        sendsNothing(few, UdpCounter.TX_NO_KEY);
    }

    @Test
    @DisplayName("nothing is sent to a peer without a key")
    void noKey() {
        sendsNothing(port("7 send " + SECRET + " 198.51.100.0/24", 64, 1), UdpCounter.TX_NO_KEY);
    }

    @Test
    @Tag("DG-K.7-5")
    @DisplayName("a reflected datagram is dropped, except that group members receive their own")
    void reflected() {
        drops(sender, next(sender), UdpCounter.RX_SEAL_REPLAY);
        DatagramAddress broadcast = DatagramAddress.of(new InetSocketAddress("192.0.2.255", 4000));
        byte[] toGroup = seal(sender, broadcast, with(datagram(40), 4, 0x08)).get(0);
        accepts(sender, toGroup);
        drops(sender, toGroup, UdpCounter.RX_SEAL_REPLAY);
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("each datagram is accepted once, in any order, unless one 1,024 numbers later has come")
    void replay() {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < 1030; i++) {
            all.add(next(sender));
        }
        accepts(receiver, all.get(1029));
        drops(receiver, all.get(1029), UdpCounter.RX_SEAL_REPLAY);
        drops(receiver, all.get(5), UdpCounter.RX_SEAL_REPLAY); // 1,024 behind
        accepts(receiver, all.get(6)); // 1,023 behind
        drops(receiver, all.get(6), UdpCounter.RX_SEAL_REPLAY);
        for (int i = 7; i < 1029; i++) {
            accepts(receiver, all.get(i));
            drops(receiver, all.get(i), UdpCounter.RX_SEAL_REPLAY);
        }
    }

    @Property(tries = 100)
    @net.jqwik.api.Tag("DG-K.7-7")
    void nothingIsTakenTwice(@ForAll @Size(max = 400) List<@IntRange(max = 2999) Integer> order) {
        SealWindows.Window window = new SealWindows(8, 1, 1, sentence -> {}, Map.of()).add(99, A, 0);
        assertThat(window).isNotNull();
        int[] latest = new int[SealWindows.WINDOW];
        for (int i : order) {
            int number = i + 1;
            boolean expected = number > latest[number % SealWindows.WINDOW];
            assertThat(window.take(number, 0, 0)).isEqualTo(expected);
            if (expected) {
                latest[number % SealWindows.WINDOW] = number;
            }
        }
    }

    @Test
    @Tag("DG-K.7-6")
    @DisplayName(
            "of an unknown sender, datagrams from before the opening of the port, or with another time, are dropped")
    void late() {
        byte[] recorded = next(sender);
        seconds++;
        PortSeal opened = port(2);
        drops(opened, recorded, UdpCounter.RX_SEAL_LATE);
        byte[] held = next(sender);
        byte[] other = next(port(3));
        byte[] third = next(port(4));
        seconds += PortSeal.FRESH_SECONDS;
        accepts(opened, held);
        seconds++;
        drops(opened, other, UdpCounter.RX_SEAL_LATE);
        byte[] ahead = next(port(5));
        seconds -= PortSeal.FRESH_SECONDS;
        accepts(opened, ahead);
        accepts(opened, third);
    }

    @Test
    @Tag("DG-K.7-6")
    @DisplayName("the clock does not matter for a known sender, at either end")
    void clockSteps() {
        accepts(receiver, next(sender));
        for (long step : new long[] {3_600, -7_200, 1 << 30}) {
            byte[] before = next(sender);
            seconds += step;
            accepts(receiver, next(sender));
            accepts(receiver, before);
            drops(receiver, before, UdpCounter.RX_SEAL_REPLAY);
        }
    }

    @Test
    @Tag("DG-K.6-2")
    @DisplayName("a port has one origin and one sequence, however many its destinations")
    void oneSequence() {
        PortSeal small = port(KEYS, 1, 2);
        for (int i = 1; i <= 5_000; i++) {
            DatagramAddress to = new DatagramAddress().setIpv4(0x0a00_0000 + i, 9);
            sender.assume(to, small);
            byte[] sealed = seal(sender, to, datagram(40)).get(0);
            assertThat(sequence(sealed)).isEqualTo(i);
            accepts(small, sealed);
        }
    }

    @Test
    @Tag("DG-K.7-6")
    @DisplayName("the 32 bits of a time wrap around in 2106")
    void timeWraps() {
        seconds = (1L << 32) - 2;
        PortSeal to = port(2);
        seconds += 5;
        PortSeal from = port(1);
        accepts(to, next(from));
        seconds -= 4;
        accepts(to, next(from));
    }

    @Test
    @Tag("DG-K.6-2")
    @Tag("DG-K.7-7")
    @DisplayName("a restarted sender is accepted at once, unless its host has filled the table and could be replayed")
    void full() {
        PortSeal small = port(KEYS, 2, 2);
        byte[] first = next(sender);
        accepts(small, first);
        seconds++;
        accepts(small, next(port(3)));
        PortSeal late = port(4);
        drops(small, next(late), UdpCounter.RX_SEAL_REPLAY);
        drops(small, first, UdpCounter.RX_SEAL_REPLAY);
        seconds += 2 * PortSeal.FRESH_SECONDS + 1;
        accepts(small, next(late));
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("a host that fills the table keeps out neither other hosts nor the senders with another key")
    void lockOut() {
        PortSeal crowded = port(KEYS + OTHER.formatted("receive"), 64, 2);
        for (int i = 0; i < 1_000; i++) {
            open(crowded, next(port(100 + i)));
        }
        accepts(crowded, next(port(OTHER.formatted("send"), 64, 3)));
        byte[] elsewhere = next(port(4));
        assertThat(openFrom(B, crowded, elsewhere)).isNull();
        assertThat(openFrom(B, crowded, elsewhere)).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("a forged datagram creates no entry")
    void forgedMakesNoEntry() {
        PortSeal small = port(KEYS, 1, 2);
        byte[] good = next(sender);
        for (int i = 0; i < 10; i++) {
            drops(small, with(good, 33, i), UdpCounter.RX_SEAL_BAD);
        }
        accepts(small, good);
    }

    @Test
    @Tag("DG-K.6-3")
    @DisplayName("a batch of equal datagrams becomes one of equal envelopes, within the limit of a system call")
    void batch() {
        byte[][] plain = new byte[45][];
        for (int i = 0; i < plain.length; i++) {
            plain[i] = datagram(i == plain.length - 1 ? 600 : 1420);
        }
        List<byte[]> sealed = seal(sender, plain);
        assertThat(sealed).hasSize(DatagramLength.LARGEST / 1472).allMatch(one -> one.length == 1472);
        assertThat(seal(sender, datagram(1420), datagram(600)))
                .extracting(one -> one.length)
                .containsExactly(1472, 652);
    }
}
