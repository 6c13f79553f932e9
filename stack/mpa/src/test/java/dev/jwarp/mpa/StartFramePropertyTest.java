package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.mpa.StartFrame.Kind;
import dev.jwarp.mpa.StartFrameAssembler.Progress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Label("Any start-up frame, at any split, with any fault")
class StartFramePropertyTest {
    @Provide
    static Arbitrary<StartFrame> frames() {
        Arbitrary<Boolean> flag = Arbitraries.of(true, false);
        Arbitrary<Set<RtrType>> rtr = Arbitraries.of(RtrType.class).set();
        Arbitrary<Integer> depth = Arbitraries.integers().between(0, EnhancedData.NOT_NEGOTIATED);
        Arbitrary<EnhancedData> word = Combinators.combine(flag, rtr, depth, depth)
                .as(EnhancedData::new)
                .injectNull(0.3);
        Arbitrary<byte[]> privateData = Arbitraries.bytes().array(byte[].class).ofMaxSize(PrivateData.MAX_LENGTH);
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        Arbitraries.integers().between(1, 2),
                        flag,
                        flag,
                        flag,
                        Arbitraries.integers().between(0, 0x1F),
                        word,
                        privateData)
                .as((kind, revision, markers, crc, rejected, reserved, enhanced, data) -> {
                    EnhancedData fitting = revision == 1 ? null : enhanced;
                    int room = fitting == null ? PrivateData.MAX_LENGTH : PrivateData.MAX_ENHANCED_LENGTH;
                    byte[] cut = Arrays.copyOf(data, Math.min(data.length, room));
                    int bits = revision == 1 ? reserved : reserved & 0x0F;
                    return new StartFrame(kind, revision, markers, crc, rejected, bits, fitting, PrivateData.of(cut));
                });
    }

    @Property
    @Label("decode to the encoded values, at any split, and leave bytes after a Reply")
    void identity(
            @ForAll("frames") StartFrame frame,
            @ForAll @Size(max = 20) byte[] behind,
            @ForAll @IntRange(min = 1, max = 40) int largestPiece,
            @ForAll Random random) {
        byte[] encoded = frame.encode().array();
        assertThat(encoded).hasSize(frame.length());
        boolean reply = frame.kind() == Kind.REPLY;
        byte[] stream = Arrays.copyOf(encoded, encoded.length + (reply ? behind.length : 0));
        StartFrameAssembler assembler = new StartFrameAssembler(frame.kind());
        ByteBuffer in = ByteBuffer.wrap(stream);
        while (assembler.progress() == Progress.INCOMPLETE) {
            in.limit(Math.min(stream.length, in.position() + 1 + random.nextInt(largestPiece)));
            assembler.receive(in);
        }
        assertThat(assembler.problem()).isNull();
        assertThat(assembler.frame()).isEqualTo(frame);
        assertThat(in.position()).isEqualTo(encoded.length);
    }

    @Property
    @Label(
            "a changed frame is another frame, a problem or a wait for more: never an exception or more bytes than a frame")
    void mutation(
            @ForAll("frames") StartFrame frame,
            @ForAll @IntRange(min = 1, max = 8) int changes,
            @ForAll @IntRange(min = 1, max = 40) int largestPiece,
            @ForAll Random random) {
        byte[] stream = frame.encode().array();
        for (int i = 0; i < changes; i++) {
            // Changes of flags, revision and length have the most effects.
            int at = random.nextBoolean() ? 16 + random.nextInt(4) : random.nextInt(stream.length);
            stream[at] = (byte) random.nextInt(256);
        }
        check(frame.kind(), stream, largestPiece, random);
    }

    @Property
    @Label("any bytes are a frame, a problem or a wait for more")
    void anyOctets(
            @ForAll Kind expected,
            @ForAll @Size(max = 700) byte[] stream,
            @ForAll @IntRange(min = 1, max = 40) int largestPiece,
            @ForAll Random random) {
        check(expected, stream, largestPiece, random);
    }

    private static void check(Kind expected, byte[] stream, int largestPiece, Random random) {
        StartFrameAssembler assembler = new StartFrameAssembler(expected);
        ByteBuffer in = ByteBuffer.wrap(stream);
        while (in.position() < stream.length && assembler.progress() == Progress.INCOMPLETE) {
            in.limit(Math.min(stream.length, in.position() + 1 + random.nextInt(largestPiece)));
            assembler.receive(in);
        }
        assertThat(in.position()).isLessThanOrEqualTo(StartFrame.MAX_LENGTH);
        switch (assembler.progress()) {
            case COMPLETE ->
                assertThat(assembler.frame().encode().array()).isEqualTo(Arrays.copyOf(stream, in.position()));
            case BROKEN -> assertThat(assembler.problem()).isNotNull();
            case INCOMPLETE -> assertThat(assembler.problem()).isNull();
        }
    }
}
