package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

@Label("Random datagrams with random faults")
class DatagramPropertyTest {
    private final DatagramParser parser = new DatagramParser();

    private @Nullable UdpCounter parse(byte[] datagram) {
        return parser.parse(ByteBuffer.wrap(datagram), 0, datagram.length, Samples.source());
    }

    @Property
    @Label("a shim is read as it was written, at any offset")
    void shimRoundTrip(
            @ForAll Kind kind,
            @ForAll @IntRange(max = 0xff_ffff) int destination,
            @ForAll @IntRange(max = 0xff_ffff) int source,
            @ForAll int key,
            @ForAll int id,
            @ForAll @LongRange(max = 0xffff_ffffL) long length,
            @ForAll @IntRange(max = 0xffff) int index,
            @ForAll @IntRange(max = 0xffff) int size,
            @ForAll @Size(4) boolean[] flags,
            @ForAll @IntRange(max = 40) int at) {
        Shim written = new Shim()
                .addressed(destination, source, key)
                .message(id, length)
                .segment(index, size)
                .flags(flags[0], flags[1], flags[2], flags[3]);
        ByteBuffer buffer = ByteBuffer.allocateDirect(at + ShimHeader.LENGTH);
        ShimHeader.write(buffer, at, kind, written, ShimHeader.COOKIE);
        Shim read = new Shim();
        ShimHeader.read(buffer, at, read);
        assertThat(read).usingRecursiveComparison().isEqualTo(written);
        assertThat(ShimHeader.kindCode(buffer, at)).isEqualTo(kind.code());
        assertThat(ShimHeader.version(buffer, at)).isEqualTo(kind == Kind.VERSION_LIST ? 0 : 1);
        assertThat(ShimHeader.flags(buffer, at) & ShimHeader.COOKIE).isEqualTo(ShimHeader.COOKIE);
    }

    @Property
    @Label("a legal datagram passes, and its fields give the same bytes when written again")
    void roundTrip(@ForAll Kind kind, @ForAll Random random) {
        byte[] datagram = Samples.of(kind, random);
        assertThat(parse(datagram)).isNull();
        assertThat(parser.kind()).isEqualTo(kind);
        byte[] again = datagram.clone();
        boolean wholly = kind != Kind.DATA && kind != Kind.RESOLVE;
        Arrays.fill(again, 0, wholly ? again.length : parser.datagram().offset(), (byte) 0);
        rewrite(ByteBuffer.wrap(datagram), ByteBuffer.wrap(again));
        new Crc().seal(ByteBuffer.wrap(again), 0, again.length - Crc.LENGTH);
        assertThat(again).isEqualTo(datagram);
    }

    /** Writes every field of the views from its value. */
    private void rewrite(ByteBuffer in, ByteBuffer out) {
        int more = (parser.hasCookie() ? ShimHeader.COOKIE : 0) | (parser.ackWanted() ? ShimHeader.ACK_WANTED : 0);
        ShimHeader.write(out, 0, parser.kind(), parser.shim(), more);
        if (parser.hasCookie()) {
            BodyCopy.copy(Kind.CHALLENGE, in, out, ShimHeader.LENGTH);
        }
        if (parser.kind() == Kind.DATA && parser.shim().reliable()) {
            RdExtension from = Samples.view(new RdExtension(), in, ShimHeader.LENGTH);
            Samples.view(new RdExtension(), out, ShimHeader.LENGTH).set(from.psn(), from.ack(), from.window());
        }
        BodyCopy.copy(parser.kind(), in, out, parser.datagram().offset());
    }

    @Tag("DG-4.1-2")
    @Property(tries = 60)
    @Label("a flipped bit gives a wrong CRC")
    void anyBit(@ForAll Kind kind, @ForAll Random random) {
        byte[] datagram = Samples.of(kind, random);
        for (int bit = 0; bit < datagram.length * 8; bit++) {
            datagram[bit >>> 3] ^= (byte) (0x80 >>> (bit & 7));
            assertThat(parse(datagram)).as("bit %d", bit).isEqualTo(UdpCounter.RX_CRC);
            datagram[bit >>> 3] ^= (byte) (0x80 >>> (bit & 7));
        }
        assertThat(parse(datagram)).isNull();
    }

    @Property
    @Label("any bytes give a datagram or a counter, never an exception")
    void anyOctets(@ForAll @Size(max = 400) byte[] octets, @ForAll boolean sealed) {
        if (sealed && octets.length >= Crc.LENGTH) {
            new Crc().seal(ByteBuffer.wrap(octets), 0, octets.length - Crc.LENGTH);
        }
        check(octets);
    }

    @Property(tries = 5000)
    @Label(
            "a legal datagram, changed or truncated, with a correct CRC gives a datagram or a counter, never an exception")
    void changed(
            @ForAll Kind kind,
            @ForAll Random random,
            @ForAll @IntRange(min = 1, max = 4) int changes,
            @ForAll @IntRange(max = 30) int cut) {
        byte[] whole = Samples.of(kind, random);
        byte[] datagram = Arrays.copyOf(whole, Math.max(Crc.LENGTH, whole.length - cut));
        for (int i = 0; i < changes; i++) {
            datagram[random.nextInt(Math.min(60, datagram.length))] = (byte) random.nextInt(256);
        }
        new Crc().seal(ByteBuffer.wrap(datagram), 0, datagram.length - Crc.LENGTH);
        check(datagram);
    }

    private void check(byte[] datagram) {
        ByteBuffer buffer = ByteBuffer.wrap(datagram);
        int stated = DatagramLength.stated(buffer, 0, datagram.length);
        assertThat(stated).isBetween(Math.min(1, datagram.length), datagram.length);
        if (parse(datagram) == null) {
            BodyCopy.copy(
                    parser.kind(),
                    buffer,
                    ByteBuffer.allocate(datagram.length),
                    parser.datagram().offset());
            assertThat(parser.datagram().offset() + parser.datagram().length() + Crc.LENGTH)
                    .isEqualTo(datagram.length);
            if (parser.kind() != Kind.DATA) {
                assertThat(stated).isEqualTo(datagram.length);
            }
        }
    }

    @Tag("DG-4.1-6")
    @Property
    @Label("a datagram in front of others states its own length, also at an offset in a direct buffer")
    void statedLength(
            @ForAll Kind kind,
            @ForAll Random random,
            @ForAll @IntRange(max = 40) int at,
            @ForAll @IntRange(max = 2000) int behind) {
        byte[] datagram = Samples.of(kind, random);
        ByteBuffer several =
                ByteBuffer.allocateDirect(at + datagram.length + behind).put(at, datagram);
        assertThat(parser.parse(several, at, datagram.length, Samples.source())).isNull();
        assertThat(DatagramLength.stated(several, at, datagram.length + behind)).isEqualTo(datagram.length);
    }
}
