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
    private static final DatagramAddress A = DatagramAddress.of(new InetSocketAddress("192.0.2.1", 4000));
    private static final DatagramAddress B = DatagramAddress.of(new InetSocketAddress("192.0.2.2", 4000));
    private static final int CRC = Crc.LENGTH;

    private long seconds = 1_800_000_000L;

    private PortSeal port(String keys, int most, long seed) {
        PortSeal port = newPort(keys, most, seed);
        port.assume(B, newPort(KEYS, 1, 2));
        return port;
    }

    private PortSeal newPort(String keys, int most, long seed) {
        SealKeys parsed = SealKeys.parse("keys", keys);
        return new PortSeal(now -> parsed, most, new Random(seed), () -> seconds, counter -> {});
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
        ByteBuffer memory = ByteBuffer.allocateDirect(2 * DatagramLength.LARGEST);
        int used = 5;
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

    private static @Nullable UdpCounter open(PortSeal by, byte[] octets) {
        return by.open(ByteBuffer.wrap(octets.clone()), 0, octets.length, A, false, 0);
    }

    private static byte[] with(byte[] octets, int at, int value, int width) {
        ByteBuffer copy = ByteBuffer.wrap(octets.clone());
        if (width == 1) {
            copy.put(at, (byte) value);
        } else {
            copy.putShort(at, (short) value);
        }
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
        PortSeal receiver = port(keys, 64, 2);
        assertThat(receiver.stated(in, before, sealed.length)).isEqualTo(sealed.length);
        assertThat(receiver.open(in, before, sealed.length, A, false, 0)).isNull();
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
        byte[] changed = with(good, at, good[at] ^ by, 1);
        UdpCounter found = open(port(keys, 64, 2), changed);
        assertThat(found)
                .isIn(
                        at == 0
                                ? List.of(UdpCounter.RX_UNSEALED)
                                : List.of(UdpCounter.RX_SEAL_BAD, UdpCounter.RX_MALFORMED));
    }

    @Property(tries = 300)
    void octetsAtRandomAreDropped(@ForAll @Size(max = 120) byte[] octets) {
        PortSeal port = port(2);
        assertThat(open(port, octets)).isNotNull();
        if (octets.length > 0) {
            assertThat(port.stated(ByteBuffer.wrap(octets), 0, octets.length)).isBetween(1, octets.length);
        }
    }

    @Test
    @Tag("DG-K.7-2")
    @DisplayName("the stated length must be the real one, with room for a shim")
    void length() {
        byte[] good = sealed(port(1), datagram(28));
        assertThat(good).hasSize(Envelope.SHORTEST);
        assertThat(open(port(2), with(good, 30, good.length + 4, 2))).isEqualTo(UdpCounter.RX_MALFORMED);
        byte[] cut = with(Arrays.copyOf(good, good.length - 1), 30, good.length - 1, 2);
        assertThat(open(port(2), cut)).isEqualTo(UdpCounter.RX_SHORT);
        byte[] damaged = good.clone();
        damaged[40] ^= 1;
        assertThat(open(port(2), damaged)).isEqualTo(UdpCounter.RX_CRC);
    }

    @Test
    @Tag("DG-K.7-1")
    @DisplayName("a datagram without an envelope is dropped")
    void unsealed() {
        assertThat(open(port(2), datagram(60))).isEqualTo(UdpCounter.RX_UNSEALED);
    }

    @Test
    @Tag("DG-K.7-3")
    @DisplayName("the key must be known, for the source, and for the stated algorithm")
    void keys() {
        byte[] good = sealed(port(1), datagram(40));
        assertThat(open(port("8 send " + SECRET + " any", 64, 2), good)).isEqualTo(UdpCounter.RX_SEAL_BAD);
        assertThat(open(port("7 send " + SECRET + " 198.51.100.0/24", 64, 2), good))
                .isEqualTo(UdpCounter.RX_SEAL_BAD);
        assertThat(open(port("7 send " + SECRET + " 192.0.2.1", 64, 2), good)).isNull();
        assertThat(open(port(BARE, 64, 2), good)).isEqualTo(UdpCounter.RX_SEAL_BAD);
        for (int algorithm : new int[] {0, 1, 3}) {
            assertThat(open(port(2), with(good, 29, algorithm, 1))).isEqualTo(UdpCounter.RX_SEAL_BAD);
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
        byte[] sealed = sealed(port(1), plain);
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
        PortSeal sender = port(keys, 64, 1);
        PortSeal receiver = port(keys, 64, 2);
        byte[] held = sealed(sender, datagram(40));
        for (long next : new long[] {1 << 22, (3 << 22) - 1, 1L << 40}) {
            sender.sequence = next - 1;
            assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
            assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
            sender.sequence = next - 3;
            assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
        }
        assertThat(open(receiver, held)).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
    }

    @Test
    @DisplayName("keys can be changed without a pause: all receive with the new key before one side sends with it")
    void rotation() {
        String both = "7 receive " + SECRET + " any\n8 send hex:ffffffffffffffffffffffffffffffff any\n";
        String newLast = KEYS + "8 receive hex:ffffffffffffffffffffffffffffffff any\n";
        PortSeal first = port(both, 64, 1);
        PortSeal second = port(newLast, 64, 2);
        second.assume(B, first);
        assertThat(open(second, sealed(first, datagram(40)))).isNull();
        assertThat(open(first, sealed(second, datagram(40)))).isNull();
    }

    private static final String OTHER = "8 %s hex:ffffffffffffffffffffffffffffffff any\n";

    @Test
    @DisplayName(
            "keys are changed while ports are open: no datagram is lost, and the old key is not accepted afterwards")
    void reload() {
        SealKeys[] first = {SealKeys.parse("keys", KEYS)};
        SealKeys[] second = {first[0]};
        PortSeal sender = new PortSeal(now -> first[0], 64, new Random(1), () -> seconds, counter -> {});
        PortSeal receiver = new PortSeal(now -> second[0], 64, new Random(2), () -> seconds, counter -> {});
        sender.assume(B, receiver);
        byte[] before = sealed(sender, datagram(40));
        assertThat(open(receiver, before)).isNull();
        byte[] old = sealed(sender, datagram(40));

        second[0] = SealKeys.parse("keys", KEYS + OTHER.formatted("receive"));
        seconds++;
        assertThat(open(receiver, before)).as("the windows stay").isEqualTo(UdpCounter.RX_SEAL_REPLAY);
        assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
        first[0] = SealKeys.parse("keys", OTHER.formatted("send") + KEYS.replace("send", "receive"));
        seconds++;
        byte[] with = sealed(sender, datagram(40));
        assertThat(ByteBuffer.wrap(with).getInt(Envelope.KEY_ID_OFFSET)).isEqualTo(8);
        assertThat(ByteBuffer.wrap(with).getLong(Envelope.SEQUENCE_OFFSET))
                .as("no number is used twice, with whatever key")
                .isEqualTo(4);
        assertThat(open(receiver, with)).isNull();
        second[0] = SealKeys.parse("keys", OTHER.formatted("send"));
        seconds++;
        assertThat(open(receiver, old)).isEqualTo(UdpCounter.RX_SEAL_BAD);
        assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
    }

    @Test
    @DisplayName("a receiver that is known with a key that stays is not asked again when another key goes")
    void reloadKeepsReceivers() {
        SealKeys[] keys = {SealKeys.parse("keys", KEYS + OTHER.formatted("send"))};
        PortSeal sender = new PortSeal(now -> keys[0], 64, new Random(1), () -> seconds, counter -> {});
        PortSeal receiver = port(OTHER.formatted("send"), 64, 2);
        sender.assume(B, receiver);
        receiver.assume(B, sender);
        assertThat(open(sender, sealed(receiver, datagram(40)))).isNull();
        keys[0] = SealKeys.parse("keys", OTHER.formatted("send"));
        seconds++;
        assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
    }

    @Test
    @DisplayName("a key that is taken away and comes back does not bring back what was accepted before")
    void keyComesBack() {
        SealKeys[] keys = {SealKeys.parse("keys", KEYS)};
        PortSeal receiver = new PortSeal(now -> keys[0], 64, new Random(2), () -> seconds, counter -> {});
        PortSeal sender = port(1);
        byte[] before = sealed(sender, datagram(40));
        assertThat(open(receiver, before)).isNull();
        for (String text : new String[] {OTHER.formatted("send"), KEYS}) {
            seconds++;
            keys[0] = SealKeys.parse("keys", text);
            open(receiver, before);
        }
        assertThat(open(receiver, before)).isEqualTo(UdpCounter.RX_SEAL_LATE);
        assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
    }

    @Test
    @Tag("DG-K.7-6")
    @DisplayName("a clock that was ahead when the port was opened, and is set right, keeps no sender out")
    void clockWasAhead() {
        seconds += 3_600;
        PortSeal receiver = port(2);
        seconds -= 3_600;
        assertThat(open(receiver, sealed(port(1), datagram(40)))).isNull();
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("what came from a sender that gave way to another host is not accepted again")
    void floor() {
        PortSeal receiver = port(KEYS, 2, 2);
        PortSeal one = port(1);
        byte[] first = sealed(one, datagram(40));
        assertThat(open(receiver, first)).isNull();
        assertThat(open(receiver, sealed(port(3), datagram(40)))).isNull();
        seconds++;
        byte[] elsewhere = sealed(port(4), datagram(40));
        assertThat(receiver.open(ByteBuffer.wrap(elsewhere), 0, elsewhere.length, B, false, 0))
                .isNull();
        assertThat(receiver.open(ByteBuffer.wrap(first.clone()), 0, first.length, B, false, 0))
                .isEqualTo(UdpCounter.RX_SEAL_LATE);
    }

    @Test
    @DisplayName("a receiver that was known with a key that has gone is asked again")
    void reloadForgets() {
        SealKeys[] keys = {SealKeys.parse("keys", KEYS)};
        PortSeal sender = new PortSeal(now -> keys[0], 64, new Random(1), () -> seconds, counter -> {});
        sender.assume(B, port(2));
        sealed(sender, datagram(40));
        keys[0] = SealKeys.parse("keys", OTHER.formatted("send"));
        seconds++;
        DatagramBatch batch = new DatagramBatch();
        batch.set(B, ByteBuffer.allocate(40).put(datagram(40)), 0, 40, 40);
        assertThat(sender.seal(batch, new DatagramBatch(), 0)).isEqualTo(UdpCounter.TX_HELD);
    }

    @Test
    @DisplayName("a key ends at its time, at both ends, and with its bytes, at the sender")
    void lifetime() {
        String until = "7 send " + SECRET + " any until=" + Instant.ofEpochSecond(seconds + 10) + "\n";
        PortSeal sender = port(until + OTHER.formatted("send"), 64, 1);
        PortSeal receiver = port(until + OTHER.formatted("receive"), 64, 2);
        byte[] early = sealed(sender, datagram(40));
        seconds += 9;
        byte[] last = sealed(sender, datagram(40));
        assertThat(open(receiver, last)).isNull();
        seconds++;
        assertThat(open(receiver, early)).isEqualTo(UdpCounter.RX_SEAL_BAD);
        byte[] next = sealed(sender, datagram(40));
        assertThat(ByteBuffer.wrap(next).getInt(Envelope.KEY_ID_OFFSET)).isEqualTo(8);
        assertThat(open(receiver, next)).isNull();

        PortSeal few = port("7 send " + SECRET + " any bytes=100", 64, 3);
        sealed(few, datagram(40));
        sealed(few, datagram(40));
        DatagramBatch batch = new DatagramBatch();
        batch.set(B, ByteBuffer.allocate(40).put(datagram(40)), 0, 40, 40);
        assertThat(few.seal(batch, new DatagramBatch(), 0)).isEqualTo(UdpCounter.TX_NO_KEY);
    }

    @Test
    @DisplayName("nothing is sent to a peer without a key")
    void noKey() {
        DatagramBatch batch = new DatagramBatch();
        batch.set(B, ByteBuffer.allocate(40).put(datagram(40)), 0, 40, 40);
        assertThat(port("7 send " + SECRET + " 198.51.100.0/24", 64, 1).seal(batch, new DatagramBatch(), 0))
                .isEqualTo(UdpCounter.TX_NO_KEY);
    }

    @Test
    @Tag("DG-K.7-5")
    @DisplayName("a reflected datagram is dropped, except that group members receive their own")
    void reflected() {
        PortSeal sender = port(1);
        assertThat(open(sender, sealed(sender, datagram(40)))).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
        DatagramAddress broadcast = DatagramAddress.of(new InetSocketAddress("192.0.2.255", 4000));
        byte[] toGroup = seal(sender, broadcast, with(datagram(40), 4, 0x08, 1)).get(0);
        assertThat(open(sender, toGroup)).isNull();
        assertThat(open(sender, toGroup)).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("each datagram is accepted once, in any order, unless one 1,024 numbers later has come")
    void replay() {
        PortSeal sender = port(1);
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < 1030; i++) {
            all.add(sealed(sender, datagram(40)));
        }
        PortSeal receiver = port(2);
        assertThat(open(receiver, all.get(1029))).isNull();
        assertThat(open(receiver, all.get(1029))).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
        assertThat(open(receiver, all.get(5))).isEqualTo(UdpCounter.RX_SEAL_REPLAY); // 1,024 behind
        assertThat(open(receiver, all.get(6))).isNull(); // 1,023 behind
        assertThat(open(receiver, all.get(6))).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
        for (int i = 7; i < 1029; i++) {
            assertThat(open(receiver, all.get(i))).isNull();
            assertThat(open(receiver, all.get(i))).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
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
        PortSeal sender = port(1);
        byte[] recorded = sealed(sender, datagram(40));
        seconds++;
        PortSeal receiver = port(2);
        assertThat(open(receiver, recorded)).isEqualTo(UdpCounter.RX_SEAL_LATE);
        byte[] held = sealed(sender, datagram(40));
        byte[] other = sealed(port(3), datagram(40));
        byte[] third = sealed(port(4), datagram(40));
        seconds += PortSeal.FRESH_SECONDS;
        assertThat(open(receiver, held)).isNull();
        seconds++;
        assertThat(open(receiver, other)).isEqualTo(UdpCounter.RX_SEAL_LATE);
        byte[] ahead = sealed(port(5), datagram(40));
        seconds -= PortSeal.FRESH_SECONDS;
        assertThat(open(receiver, ahead)).isNull();
        assertThat(open(receiver, third)).isNull();
    }

    @Test
    @Tag("DG-K.7-6")
    @DisplayName("the clock does not matter for a known sender, at either end")
    void clockSteps() {
        PortSeal sender = port(1);
        PortSeal receiver = port(2);
        assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
        for (long step : new long[] {3_600, -7_200, 1 << 30}) {
            byte[] before = sealed(sender, datagram(40));
            seconds += step;
            assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
            assertThat(open(receiver, before)).isNull();
            assertThat(open(receiver, before)).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
        }
    }

    @Test
    @Tag("DG-K.6-2")
    @DisplayName("a port has one origin and one sequence, however many its destinations")
    void oneSequence() {
        PortSeal sender = port(1);
        PortSeal receiver = port(KEYS, 1, 2);
        ByteBuffer plain = ByteBuffer.allocate(40).put(0, datagram(40));
        for (int i = 1; i <= 5_000; i++) {
            DatagramBatch batch = new DatagramBatch();
            DatagramAddress to = new DatagramAddress().setIpv4(0x0a00_0000 + i, 9);
            sender.assume(to, receiver);
            batch.set(to, plain, 0, 40, 40);
            DatagramBatch sealed = new DatagramBatch();
            assertThat(sender.seal(batch, sealed, 0)).isNull();
            assertThat(sealed.memory().getLong(sealed.offset() + Envelope.SEQUENCE_OFFSET))
                    .isEqualTo(i);
            assertThat(receiver.open(sealed.memory(), sealed.offset(), sealed.length(), A, false, 0))
                    .isNull();
        }
    }

    @Test
    @Tag("DG-K.7-6")
    @DisplayName("the 32 bits of a time wrap around in 2106")
    void timeWraps() {
        seconds = (1L << 32) - 2;
        PortSeal receiver = port(2);
        seconds += 5;
        PortSeal sender = port(1);
        assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
        seconds -= 4;
        assertThat(open(receiver, sealed(sender, datagram(40)))).isNull();
    }

    @Test
    @Tag("DG-K.6-2")
    @DisplayName("a restarted sender is accepted at once, and its old datagrams are still detected")
    void restart() {
        PortSeal receiver = port(2);
        PortSeal before = port(1);
        byte[] old = sealed(before, datagram(40));
        assertThat(open(receiver, old)).isNull();
        assertThat(open(receiver, sealed(port(3), datagram(40)))).isNull();
        assertThat(open(receiver, old)).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("a host that has filled the table gets no new sender while its old ones could be replayed")
    void full() {
        PortSeal receiver = port(KEYS, 2, 2);
        PortSeal one = port(1);
        byte[] first = sealed(one, datagram(40));
        assertThat(open(receiver, first)).isNull();
        seconds++;
        assertThat(open(receiver, sealed(port(3), datagram(40)))).isNull();
        PortSeal late = port(4);
        assertThat(open(receiver, sealed(late, datagram(40)))).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
        assertThat(open(receiver, first)).isEqualTo(UdpCounter.RX_SEAL_REPLAY);
        seconds += 2 * PortSeal.FRESH_SECONDS + 1;
        assertThat(open(receiver, sealed(late, datagram(40)))).isNull();
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("a host that fills the table keeps out neither other hosts nor the senders with another key")
    void lockOut() {
        String other = "hex:ffffffffffffffffffffffffffffffff";
        PortSeal receiver = port(KEYS + "8 receive " + other + " any\n", 64, 2);
        for (int i = 0; i < 1_000; i++) {
            open(receiver, sealed(port(100 + i), datagram(40)));
        }
        byte[] another = sealed(port("8 send " + other + " any", 64, 3), datagram(40));
        assertThat(open(receiver, another)).isNull();
        byte[] elsewhere = sealed(port(4), datagram(40));
        assertThat(receiver.open(ByteBuffer.wrap(elsewhere.clone()), 0, elsewhere.length, B, false, 0))
                .isNull();
        assertThat(receiver.open(ByteBuffer.wrap(elsewhere.clone()), 0, elsewhere.length, B, false, 0))
                .isEqualTo(UdpCounter.RX_SEAL_REPLAY);
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("a forged datagram creates no entry")
    void forgedMakesNoEntry() {
        PortSeal receiver = port(KEYS, 1, 2);
        byte[] good = sealed(port(1), datagram(40));
        for (int i = 0; i < 10; i++) {
            byte[] forged = with(good, 33, i, 1);
            assertThat(open(receiver, forged)).isEqualTo(UdpCounter.RX_SEAL_BAD);
        }
        assertThat(open(receiver, good)).isNull();
    }

    @Test
    @Tag("DG-K.6-3")
    @DisplayName("a batch of equal datagrams becomes one of equal envelopes, within the limit of a system call")
    void batch() {
        byte[][] plain = new byte[45][];
        for (int i = 0; i < plain.length; i++) {
            plain[i] = datagram(i == plain.length - 1 ? 600 : 1420);
        }
        List<byte[]> sealed = seal(port(1), plain);
        assertThat(sealed).hasSize(DatagramLength.LARGEST / 1472).allMatch(one -> one.length == 1472);
        assertThat(seal(port(1), datagram(1420), datagram(600)))
                .extracting(one -> one.length)
                .containsExactly(1472, 652);
    }
}
