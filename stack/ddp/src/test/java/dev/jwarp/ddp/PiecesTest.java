package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.TerminateCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A region of several buffers")
class PiecesTest {
    private static final long DOMAIN = 3;
    private static final int EVERYTHING =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.MW_BIND;
    private static final BigInteger WHOLE = BigInteger.ONE.shiftLeft(64);
    private static final int CANARY = 16;

    private final STagTable table = new STagTable(new SplittableRandom(5), 100);
    private final TaggedAccess access = new TaggedAccess(table, DOMAIN, 0);

    /** Buffers of these lengths in one memory, with bytes between them that belong to none. */
    private static List<ByteBuffer> buffers(ByteBuffer memory, List<Integer> lengths) {
        List<ByteBuffer> buffers = new ArrayList<>();
        int at = CANARY;
        for (int length : lengths) {
            buffers.add(memory.duplicate().position(at).limit(at + length));
            at += length + CANARY;
        }
        return buffers;
    }

    private static ByteBuffer memory(List<Integer> lengths) {
        return ByteBuffer.allocate(
                CANARY + lengths.stream().mapToInt(length -> length + CANARY).sum());
    }

    /** The index in the memory of each byte of the region, in order. */
    private static List<Integer> places(List<Integer> lengths) {
        List<Integer> places = new ArrayList<>();
        int at = CANARY;
        for (int length : lengths) {
            for (int i = 0; i < length; i++) {
                places.add(at + i);
            }
            at += length + CANARY;
        }
        return places;
    }

    private static BigInteger unsigned(long number) {
        return new BigInteger(Long.toUnsignedString(number));
    }

    private static byte[] octets(TaggedBuffer buffer, long position, int length) {
        byte[] octets = new byte[length];
        long at = position;
        int left = length;
        while (left > 0) {
            int part = buffer.contiguous(at, left);
            assertThat(part).isBetween(1, left);
            buffer.memoryAt(at).get(buffer.indexAt(at), octets, length - left, part);
            at += part;
            left -= part;
        }
        return octets;
    }

    /** Offsets near all boundaries. */
    @Provide
    Arbitrary<Long> offsets() {
        return Arbitraries.oneOf(
                Arbitraries.longs(),
                Arbitraries.longs().between(-150, 150),
                Arbitraries.longs().between(Long.MAX_VALUE - 150, Long.MAX_VALUE),
                Arbitraries.longs().between(Long.MIN_VALUE, Long.MIN_VALUE + 150));
    }

    private static TerminateCode verdict(BigInteger first, BigInteger size, BigInteger to, int length) {
        BigInteger end = to.add(BigInteger.valueOf(length));
        if (end.compareTo(WHOLE) >= 0) {
            return TerminateCode.DDP_TO_WRAP;
        }
        return to.compareTo(first) < 0 || end.compareTo(first.add(size)) > 0 ? TerminateCode.DDP_BASE_BOUNDS : null;
    }

    @Property(tries = 5_000)
    @Label("accepts the ranges that exact arithmetic allows, places each byte, and changes nothing between its buffers")
    void anyBuffers(
            @ForAll @Size(max = 7) List<@IntRange(max = 20) Integer> lengths,
            @ForAll("offsets") long base,
            @ForAll("offsets") long distance,
            @ForAll @IntRange(min = 1, max = 60) int length) {
        ByteBuffer memory = memory(lengths);
        List<Integer> places = places(lengths);
        BigInteger size = BigInteger.valueOf(places.size());
        BigInteger first = unsigned(base);
        if (places.size() > 0 && first.add(size).compareTo(WHOLE) >= 0) {
            assertThatThrownBy(() -> table.register(DOMAIN, buffers(memory, lengths), base, EVERYTHING))
                    .isInstanceOf(IllegalArgumentException.class);
            return;
        }
        TaggedBuffer region = table.register(DOMAIN, buffers(memory, lengths), base, EVERYTHING);
        assertThat(region.length()).isEqualTo(places.size());
        long to = base + distance;
        TerminateCode expected = verdict(first, size, unsigned(to), length);
        assertThat(access.checkWrite(region.stag(), to, length)).isEqualTo(expected);
        assertThat(access.checkRemoteRead(region.stag(), to, length) == null).isEqualTo(expected == null);
        if (expected == null) {
            byte[] payload = new byte[length + 2];
            new Random(length).nextBytes(payload);
            access.place(ByteBuffer.wrap(payload), 1, length);
            byte[] wanted = new byte[memory.capacity()];
            int at = unsigned(to).subtract(first).intValueExact();
            for (int i = 0; i < length; i++) {
                wanted[places.get(at + i)] = payload[1 + i];
            }
            byte[] got = new byte[memory.capacity()];
            memory.get(0, got);
            assertThat(got).isEqualTo(wanted);
            assertThat(ByteBuffer.wrap(octets(region, access.position(), length)))
                    .isEqualTo(ByteBuffer.wrap(payload, 1, length));
            assertThat(region.taggedOffset(access.position())).isEqualTo(to);
        }
        table.deregister(region);
    }

    @Property(tries = 2_000)
    @Label("works the same if all buffers but the last are equally long")
    void equalBuffers(
            @ForAll @IntRange(min = 1, max = 20) int each,
            @ForAll @IntRange(min = 1, max = 6) int count,
            @ForAll @IntRange(max = 40) int last,
            @ForAll("offsets") long base,
            @ForAll @IntRange(max = 170) int distance,
            @ForAll @IntRange(min = 1, max = 60) int length) {
        List<Integer> lengths = new ArrayList<>(Collections.nCopies(count, each));
        lengths.add(last);
        anyBuffers(lengths, base, distance, length);
    }

    @Property(tries = 2_000)
    @Label("has windows that begin and end in any of its buffers")
    void windows(
            @ForAll @Size(min = 2, max = 7) List<@IntRange(max = 20) Integer> lengths,
            @ForAll("offsets") long base,
            @ForAll @IntRange(max = 140) int offset,
            @ForAll @IntRange(max = 60) int length) {
        ByteBuffer memory = memory(lengths);
        List<Integer> places = places(lengths);
        TaggedBuffer region = table.register(DOMAIN, buffers(memory, lengths), 0, EVERYTHING);
        boolean within = offset + length <= places.size();
        boolean wraps =
                length > 0 && unsigned(base).add(BigInteger.valueOf(length)).compareTo(WHOLE) >= 0;
        if (!within || wraps) {
            assertThatThrownBy(() -> table.registerWindow(region, 0, offset, length, base, Access.REMOTE_WRITE))
                    .isInstanceOf(IllegalArgumentException.class);
        } else {
            TaggedBuffer window = table.registerWindow(region, 0, offset, length, base, Access.REMOTE_WRITE);
            if (length > 0) {
                assertThat(access.checkWrite(window.stag(), base, length)).isNull();
                byte[] payload = new byte[length];
                new Random(length).nextBytes(payload);
                access.place(ByteBuffer.wrap(payload), 0, length);
                for (int i = 0; i < length; i++) {
                    assertThat(memory.get(places.get(offset + i))).isEqualTo(payload[i]);
                }
                assertThat(access.position()).isEqualTo(offset);
                assertThat(window.taggedOffset(offset)).isEqualTo(base);
            }
            assertThat(access.checkWrite(window.stag(), base + length, 1)).isNotNull();
            table.deregister(window);
        }
        table.deregister(region);
    }

    @Test
    @DisplayName("refuses Atomics on words across buffers, or unaligned in memory")
    void atomics() {
        ByteBuffer memory = ByteBuffer.allocateDirect(64);
        int even = memory.alignmentOffset(0, 8) == 0 ? 0 : 8 - memory.alignmentOffset(0, 8);
        List<ByteBuffer> buffers = List.of(memory.slice(even, 20), memory.slice(even + 24, 20));
        int stag = table.register(DOMAIN, buffers, 0, EVERYTHING).stag();
        assertThat(access.checkAtomic(stag, 0)).isNull();
        assertThat(access.checkAtomic(stag, 8)).isNull();
        assertThat(access.checkAtomic(stag, 16))
                .as("in two buffers")
                .isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(access.checkAtomic(stag, 20))
                .as("the second buffer's first word")
                .isNull();
        assertThat(access.position()).isEqualTo(20);
        assertThat(access.checkAtomic(stag, 24)).isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(access.checkAtomic(stag, 28)).isNull();
        assertThat(access.checkAtomic(stag, 36)).isEqualTo(TerminateCode.RDMAP_BASE_BOUNDS);
    }

    @Test
    @DisplayName("keeps its own view of each buffer, independent of later changes of positions and list")
    void ownViews() {
        ByteBuffer memory = ByteBuffer.allocateDirect(32);
        List<ByteBuffer> buffers = new ArrayList<>(List.of(memory.slice(0, 16), memory.slice(16, 16)));
        TaggedBuffer region = table.register(DOMAIN, buffers, 0, EVERYTHING);
        buffers.get(1).limit(0);
        buffers.clear();
        assertThat(access.checkWrite(region.stag(), 12, 8)).isNull();
        access.place(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}), 0, 8);
        assertThat(memory.getLong(12)).isEqualTo(0x0102030405060708L);
    }

    @Test
    @DisplayName("cannot be written if one of them is read-only")
    void readOnly() {
        List<ByteBuffer> buffers =
                List.of(ByteBuffer.allocate(8), ByteBuffer.allocate(8).asReadOnlyBuffer());
        assertThatThrownBy(() -> table.register(DOMAIN, buffers, 0, Access.REMOTE_WRITE))
                .hasMessageContaining("Read-only");
        assertThat(table.register(DOMAIN, buffers, 0, Access.REMOTE_READ)).isNotNull();
    }

    @Test
    @DisplayName("is copied before sending if its memory may disappear, and so are its windows")
    void stable() {
        List<ByteBuffer> buffers = List.of(ByteBuffer.allocate(8), ByteBuffer.allocate(8));
        for (int bit : new int[] {Access.CLOSEABLE, Access.MAPPED, 0}) {
            TaggedBuffer region = table.register(DOMAIN, buffers, 0, Access.MW_BIND | bit);
            TaggedBuffer window = table.registerWindow(region, 0, 4, 8, 0, Access.REMOTE_READ);
            assertThat(region.stable()).isEqualTo(bit == 0);
            assertThat(window.stable()).isEqualTo(bit == 0);
            assertThat(window.mapped()).isEqualTo(bit == Access.MAPPED);
        }
    }

    /** A terabyte: a thousand times the same sparse gigabyte. */
    private static final class Terabyte {
        static final long LENGTH = 1L << 40;
        static final ByteBuffer GIGABYTE = map();

        private Terabyte() {}

        private static ByteBuffer map() {
            try {
                Path path = Files.createTempFile("jwarp", "sparse");
                try (FileChannel file = FileChannel.open(
                        path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
                    return file.map(FileChannel.MapMode.READ_WRITE, 0, 1L << 30);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Arbitrary<Long> near(long... lines) {
        Arbitrary<Long> any = Arbitraries.longs().between(0, Terabyte.LENGTH);
        for (long line : lines) {
            any = Arbitraries.oneOf(any, Arbitraries.longs().between(line - 40, line + 40));
        }
        return any;
    }

    @Provide
    Arbitrary<Long> positions() {
        return near(0, 1L << 30, 1L << 31, 1L << 32, 3L << 33, Terabyte.LENGTH - (1L << 30), Terabyte.LENGTH);
    }

    @Provide
    Arbitrary<Long> bases() {
        long line = 1L << 41;
        return Arbitraries.oneOf(
                Arbitraries.longs(),
                Arbitraries.longs().between(0, 4096),
                Arbitraries.longs().between(Long.MAX_VALUE - line, Long.MAX_VALUE), // it lies across 2^63
                Arbitraries.longs().between(-line, -1)); // it ends near 2^64
    }

    @Property(tries = 2_000)
    @Label("may have a terabyte, at any offset that ends below 2^64")
    void terabyte(
            @ForAll("bases") long base,
            @ForAll("positions") long position,
            @ForAll @IntRange(min = 1, max = 60) int length) {
        List<ByteBuffer> buffers = Collections.nCopies(1024, Terabyte.GIGABYTE);
        BigInteger first = unsigned(base);
        BigInteger size = BigInteger.valueOf(Terabyte.LENGTH);
        if (first.add(size).compareTo(WHOLE) >= 0) {
            assertThatThrownBy(() -> table.register(DOMAIN, buffers, base, EVERYTHING))
                    .hasMessageContaining("2^64");
            return;
        }
        TaggedBuffer region = table.register(DOMAIN, buffers, base, EVERYTHING);
        long to = base + position;
        TerminateCode expected = verdict(first, size, unsigned(to), length);
        assertThat(access.checkWrite(region.stag(), to, length)).isEqualTo(expected);
        if (expected == null) {
            byte[] payload = new byte[length];
            new Random(position).nextBytes(payload);
            access.place(ByteBuffer.wrap(payload), 0, length);
            assertThat(access.position()).isEqualTo(position);
            for (int i = 0; i < length; i++) {
                int at = (int) ((position + i) % (1L << 30));
                assertThat(Terabyte.GIGABYTE.get(at)).isEqualTo(payload[i]);
            }
            assertThat(octets(region, position, length)).isEqualTo(payload);
        }
        table.deregister(region);
    }
}
