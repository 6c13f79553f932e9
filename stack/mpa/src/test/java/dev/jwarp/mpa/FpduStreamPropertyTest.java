package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.mpa.Streams.CountingPool;
import dev.jwarp.mpa.Streams.Delivered;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Label("Any stream of FPDUs, at any split, with any fault")
class FpduStreamPropertyTest {
    private final FpduBatch batch = new FpduBatch(FpduBatch.MIN_CAPACITY, 256);

    @Provide
    Arbitrary<Integer> lengths() {
        return Arbitraries.frequencyOf(
                Tuple.of(6, Arbitraries.integers().between(0, 100)),
                Tuple.of(6, Arbitraries.integers().between(400, 600)),
                Tuple.of(4, Arbitraries.integers().between(0, 3000)),
                Tuple.of(1, Arbitraries.integers().between(0, Fpdu.MAX_ULPDU_SENT)));
    }

    @Tag("MPA-3-1")
    @Tag("MPA-5.2-1")
    @Property
    @Label("a batch encodes the same bytes as the reference encoder, which decode to the same ULPDUs at any split")
    void identity(
            @ForAll @Size(max = 12) List<@From("lengths") Integer> lengths,
            @ForAll boolean crc,
            @ForAll boolean markers,
            @ForAll @IntRange(max = 200) int startWord,
            @ForAll @IntRange(min = 1, max = 3000) int largestPiece,
            @ForAll Random random) {
        List<byte[]> ulpdus = ulpdus(lengths, random);
        byte[] stream = encode(ulpdus, crc, markers, 4L * startWord, random);
        assertThat(stream).isEqualTo(Streams.plainly(ulpdus, crc, markers, 4L * startWord));

        CountingPool pool = new CountingPool();
        FpduAssembler assembler = new FpduAssembler(crc, markers, pool, 4L * startWord);
        Delivered delivered = new Delivered();
        assertThat(receive(assembler, stream, largestPiece, random, delivered)).isTrue();
        assertThat(delivered.ulpdus).containsExactlyElementsOf(ulpdus);
        assertThat(assembler.atBoundary()).isTrue();
        assertThat(assembler.streamOffset()).isEqualTo(4L * startWord + stream.length);
        assertThat(pool.lent).isZero();
    }

    @Property
    @Label("without the CRC field on both sides, the stream decodes to the same ULPDUs at any split")
    void withoutCrcField(
            @ForAll @Size(max = 12) List<@From("lengths") Integer> lengths,
            @ForAll @IntRange(min = 1, max = 3000) int largestPiece,
            @ForAll Random random) {
        List<byte[]> ulpdus = ulpdus(lengths, random);
        byte[] stream = encode(ulpdus, offset -> batch.resetWithoutCrcField(offset), 0, random);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (byte[] ulpdu : ulpdus) {
            byte[] whole = Streams.plainly(List.of(ulpdu), false, false, 0);
            expected.write(whole, 0, whole.length - Fpdu.CRC_LENGTH);
        }
        assertThat(stream).isEqualTo(expected.toByteArray());

        CountingPool pool = new CountingPool();
        FpduAssembler assembler = FpduAssembler.withoutCrcField(pool);
        Delivered delivered = new Delivered();
        assertThat(receive(assembler, stream, largestPiece, random, delivered)).isTrue();
        assertThat(delivered.ulpdus).containsExactlyElementsOf(ulpdus);
        assertThat(assembler.atBoundary()).isTrue();
        assertThat(assembler.streamOffset()).isEqualTo(stream.length);
        assertThat(pool.lent).isZero();
    }

    @Property
    @Label("any bytes of a peer without the CRC field give ULPDUs: no exception, at most one borrowed buffer")
    void anyOctetsWithoutCrcField(
            @ForAll @Size(max = 4000) byte[] stream,
            @ForAll @IntRange(min = 1, max = 500) int largestPiece,
            @ForAll Random random) {
        CountingPool pool = new CountingPool();
        FpduAssembler assembler = FpduAssembler.withoutCrcField(pool);
        assertThat(receive(assembler, stream, largestPiece, random, new Delivered()))
                .isTrue();
        check(assembler, pool);
    }

    @Tag("MPA-5.2-1")
    @Property(tries = 200)
    @Label("byte by byte a stream gives the same ULPDUs, with one borrowed buffer per FPDU")
    void octetByOctet(
            @ForAll @Size(max = 8) List<@IntRange(max = 1200) Integer> lengths,
            @ForAll boolean crc,
            @ForAll boolean markers,
            @ForAll Random random) {
        List<byte[]> ulpdus = ulpdus(lengths, random);
        byte[] stream = encode(ulpdus, crc, markers, 0, random);
        CountingPool pool = new CountingPool();
        FpduAssembler assembler = new FpduAssembler(crc, markers, pool);
        Delivered delivered = new Delivered();
        ByteBuffer in = ByteBuffer.allocateDirect(1);
        for (byte octet : stream) {
            assertThat(assembler.receive(in.clear().put(0, octet), delivered)).isTrue();
            assertThat(pool.lent).isLessThanOrEqualTo(1);
        }
        assertThat(delivered.ulpdus).containsExactlyElementsOf(ulpdus);
        assertThat(pool.acquired).isEqualTo(ulpdus.size());
    }

    @Tag("MPA-8-3")
    @Property
    @Label("a changed stream with CRCs gives only sent ULPDUs, in order, then an error or nothing")
    void mutationUnderCrc(
            @ForAll @Size(min = 1, max = 8) List<@IntRange(max = 1200) Integer> lengths,
            @ForAll boolean markers,
            @ForAll @IntRange(min = 1, max = 2000) int largestPiece,
            @ForAll @IntRange(min = 1, max = 4) int changes,
            @ForAll Random random) {
        List<byte[]> ulpdus = ulpdus(lengths, random);
        byte[] stream = encode(ulpdus, true, markers, 0, random);
        for (int i = 0; i < changes; i++) {
            stream = mutate(stream, random);
        }
        CountingPool pool = new CountingPool();
        FpduAssembler assembler = new FpduAssembler(true, markers, pool);
        Delivered delivered = new Delivered();
        receive(assembler, stream, largestPiece, random, delivered);
        // An omission may omit a whole small FPDU; no other ULPDU can change or be added.
        int next = 0;
        for (byte[] ulpdu : delivered.ulpdus) {
            while (next < ulpdus.size() && !Arrays.equals(ulpdu, ulpdus.get(next))) {
                next++;
            }
            assertThat(next++).as("an ULPDU that was never sent").isLessThan(ulpdus.size());
        }
        check(assembler, pool);
    }

    @Property
    @Label("any bytes give ULPDUs or a Marker error: no exception, at most one borrowed buffer")
    void anyOctets(
            @ForAll @Size(max = 4000) byte[] stream,
            @ForAll boolean crc,
            @ForAll boolean markers,
            @ForAll @IntRange(min = 1, max = 500) int largestPiece,
            @ForAll Random random) {
        CountingPool pool = new CountingPool();
        FpduAssembler assembler = new FpduAssembler(crc, markers, pool);
        receive(assembler, stream, largestPiece, random, new Delivered());
        check(assembler, pool);
    }

    private static void check(FpduAssembler assembler, CountingPool pool) {
        if (assembler.error() != null) {
            assertThat(assembler.error()).isIn(MpaError.CRC, MpaError.MARKER);
            Delivered late = new Delivered();
            assertThat(assembler.receive(ByteBuffer.wrap(new byte[100]), late)).isFalse();
            assertThat(late.ulpdus).isEmpty();
            assertThat(pool.lent).isZero();
        }
        assertThat(pool.lent).isLessThanOrEqualTo(1);
        assertThat(pool.largest).isLessThanOrEqualTo(Fpdu.MAX_LENGTH_WITH_MARKERS);
        assembler.close();
        assertThat(pool.lent).isZero();
    }

    private static boolean receive(
            FpduAssembler assembler, byte[] stream, int largestPiece, Random random, UlpduSink sink) {
        boolean inOrder = true;
        for (int at = 0; at < stream.length; ) {
            int length = Math.min(1 + random.nextInt(largestPiece), stream.length - at);
            ByteBuffer in = random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
            inOrder = assembler.receive(in.put(stream, at, length).flip(), sink);
            assertThat(in.hasRemaining()).isFalse();
            at += length;
        }
        return inOrder;
    }

    private static byte[] mutate(byte[] stream, Random random) {
        if (stream.length == 0) {
            return stream;
        }
        int at = random.nextInt(stream.length);
        int length = Math.min(stream.length - at, 1 + random.nextInt(7));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(stream, 0, at);
        switch (random.nextInt(4)) {
            case 0 -> { // flip a bit
                out.write(stream[at] ^ (1 << random.nextInt(8)));
                out.write(stream, at + 1, stream.length - at - 1);
            }
            case 1 -> { // overwrite
                for (int i = 0; i < length; i++) {
                    out.write(random.nextInt(256));
                }
                out.write(stream, at + length, stream.length - at - length);
            }
            case 2 -> out.write(stream, at + length, stream.length - at - length); // leave out
            default -> { // put in
                for (int i = 0; i < length; i++) {
                    out.write(random.nextInt(256));
                }
                out.write(stream, at, stream.length - at);
            }
        }
        return out.toByteArray();
    }

    private byte[] encode(List<byte[]> ulpdus, boolean crc, boolean markers, long streamOffset, Random random) {
        return encode(ulpdus, offset -> batch.reset(crc, markers, offset), streamOffset, random);
    }

    private byte[] encode(List<byte[]> ulpdus, LongConsumer reset, long streamOffset, Random random) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        reset.accept(streamOffset);
        for (byte[] ulpdu : ulpdus) {
            int header = random.nextInt(Math.min(ulpdu.length, 70) + 1);
            if (!batch.hasRoom(header, ulpdu.length - header)) {
                long next = batch.streamOffset();
                stream.writeBytes(Streams.drain(batch, 1 + random.nextInt(100_000)));
                reset.accept(next);
            }
            Streams.add(batch, ulpdu, header, random.nextBoolean());
        }
        stream.writeBytes(Streams.drain(batch, 1 + random.nextInt(100_000)));
        return stream.toByteArray();
    }

    private static List<byte[]> ulpdus(List<Integer> lengths, Random random) {
        List<byte[]> ulpdus = new ArrayList<>();
        for (int length : lengths) {
            byte[] ulpdu = new byte[length];
            random.nextBytes(ulpdu);
            ulpdus.add(ulpdu);
        }
        return ulpdus;
    }
}
