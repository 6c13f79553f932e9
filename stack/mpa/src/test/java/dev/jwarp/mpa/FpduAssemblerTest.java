package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.mpa.Streams.CountingPool;
import dev.jwarp.mpa.Streams.Delivered;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The assembler of a stream of FPDUs")
class FpduAssemblerTest {
    private final CountingPool pool = new CountingPool();
    private final Delivered delivered = new Delivered();

    @Tag("MPA-5.2-2")
    @Test
    @DisplayName("processes complete FPDUs in place, without a buffer")
    void inPlace() {
        ByteBuffer in = direct(Streams.plainly(List.of(octets(100), octets(3000), octets(1)), true, false, 0));
        List<ByteBuffer> seen = new ArrayList<>();
        FpduAssembler assembler = new FpduAssembler(true, false, pool);
        assertThat(assembler.receive(in, (buffer, offset, length) -> seen.add(buffer)))
                .isTrue();
        assertThat(seen).hasSize(3).allSatisfy(buffer -> assertThat(buffer).isSameAs(in));
        assertThat(pool.acquired).isZero();
    }

    @Test
    @DisplayName("borrows a buffer of exactly the length of a split FPDU, and returns it with the FPDU")
    void borrows() {
        byte[] stream = Streams.plainly(List.of(octets(100), octets(1000)), true, false, 0);
        FpduAssembler assembler = new FpduAssembler(true, false, pool);
        assembler.receive(ByteBuffer.wrap(stream, 0, 150), delivered);
        assertThat(delivered.ulpdus).hasSize(1);
        assertThat(pool.lent).isEqualTo(1);
        assertThat(pool.largest).isEqualTo(Fpdu.length(1000));
        assertThat(assembler.atBoundary()).isFalse();
        assembler.receive(ByteBuffer.wrap(stream, 150, stream.length - 150), delivered);
        assertThat(delivered.ulpdus).hasSize(2);
        assertThat(pool.lent).isZero();
        assertThat(assembler.atBoundary()).isTrue();
    }

    @Test
    @DisplayName("borrows little for an FPDU that announces much, and more as its bytes arrive")
    void growsWithWhatCame() {
        for (boolean markers : new boolean[] {false, true}) {
            byte[] stream = Streams.plainly(List.of(octets(60_000)), true, markers, 0);
            FpduAssembler assembler = new FpduAssembler(true, markers, pool);
            pool.acquired = 0;
            pool.largest = 0;
            for (int i = 0; i < stream.length - 1; i++) {
                assembler.receive(ByteBuffer.wrap(stream, i, 1), delivered);
                assertThat(pool.largest).isLessThanOrEqualTo(Math.max(2048, 2 * (i + 1)));
                assertThat(pool.lent).isLessThanOrEqualTo(1);
            }
            assertThat(pool.acquired).as("each at least twice the one before").isEqualTo(6);
            delivered.ulpdus.clear();
            assembler.receive(ByteBuffer.wrap(stream, stream.length - 1, 1), delivered);
            assertThat(delivered.ulpdus).containsExactly(octets(60_000));
            assertThat(pool.lent).isZero();
        }
    }

    @Test
    @DisplayName("returns its buffer if the pool has no larger one")
    void cannotGrow() {
        byte[] stream = Streams.plainly(List.of(octets(10_000)), true, false, 0);
        BufferPool small = new BufferPool() {
            @Override
            public ByteBuffer acquire(int capacity) {
                if (capacity > 2048) {
                    throw new IllegalStateException("no more");
                }
                return pool.acquire(capacity);
            }

            @Override
            public void release(ByteBuffer buffer) {
                pool.release(buffer);
            }
        };
        FpduAssembler assembler = new FpduAssembler(true, false, small);
        assembler.receive(ByteBuffer.wrap(stream, 0, 2000), delivered);
        assertThatThrownBy(() -> assembler.receive(ByteBuffer.wrap(stream, 2000, 1000), delivered))
                .hasMessage("no more");
        assembler.close();
        assertThat(pool.lent).isZero();
    }

    @Test
    @DisplayName("borrows nothing while the length is not known")
    void noBufferForAHead() {
        byte[] stream = Streams.plainly(List.of(octets(50)), true, true, 0);
        FpduAssembler assembler = new FpduAssembler(true, true, pool);
        for (int i = 0; i < 5; i++) { // a Marker and half a length field
            assembler.receive(ByteBuffer.wrap(stream, i, 1), delivered);
            assertThat(assembler.atBoundary())
                    .as("a Marker belongs to what follows it")
                    .isFalse();
        }
        assertThat(pool.acquired).isZero();
        assembler.receive(ByteBuffer.wrap(stream, 5, 1), delivered);
        assertThat(pool.lent).isEqualTo(1);
        assembler.receive(ByteBuffer.wrap(stream, 6, stream.length - 6), delivered);
        assertThat(delivered.ulpdus).containsExactly(octets(50));
        assertThat(pool.lent).isZero();
    }

    @Test
    @DisplayName("returns a borrowed buffer once if the connection ends within an FPDU")
    void close() {
        FpduAssembler assembler = new FpduAssembler(true, false, pool);
        assembler.receive(ByteBuffer.wrap(Streams.plainly(List.of(octets(9)), true, false, 0), 0, 9), delivered);
        assertThat(pool.lent).isEqualTo(1);
        assembler.close();
        assembler.close();
        assertThat(pool.lent).isZero();
    }

    @Tag("MPA-3-3")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64_768, 65_023, 65_474, 65_535})
    @DisplayName("accepts every length of the field, with and without Markers, in place and in pieces")
    void everyLength(int length) {
        for (boolean markers : new boolean[] {false, true}) {
            for (int piece : new int[] {1 << 20, 1460}) {
                byte[] stream = Streams.plainly(List.of(octets(length), octets(20)), true, markers, 0);
                FpduAssembler assembler = new FpduAssembler(true, markers, pool);
                Delivered all = new Delivered();
                receive(assembler, stream, piece, all);
                assertThat(assembler.error()).isNull();
                assertThat(all.ulpdus).containsExactly(octets(length), octets(20));
            }
        }
        assertThat(pool.largest).isLessThanOrEqualTo(Fpdu.MAX_LENGTH_WITH_MARKERS);
    }

    @Test
    @DisplayName("stops after a ULPDU if the sink requests it, in place and in a borrowed buffer, and continues later")
    void stops() {
        byte[] stream = Streams.plainly(List.of(octets(10), octets(20), octets(30)), true, false, 0);
        UlpduSink stopping = (buffer, offset, length) -> {
            delivered.onUlpdu(buffer, offset, length);
            return false;
        };
        FpduAssembler assembler = new FpduAssembler(true, false, pool);
        ByteBuffer in = ByteBuffer.wrap(stream);
        assertThat(assembler.receive(in, stopping)).isFalse();
        assertThat(in.position()).isEqualTo(Fpdu.length(10));
        assertThat(assembler.error()).isNull();

        in.limit(in.position() + 7);
        assertThat(assembler.receive(in, stopping)).isTrue();
        in.limit(in.capacity());
        assertThat(assembler.receive(in, stopping)).isFalse();
        assertThat(in.position()).isEqualTo(Fpdu.length(10) + Fpdu.length(20));
        assertThat(pool.lent).isZero();

        assertThat(assembler.receive(in, delivered)).isTrue();
        assertThat(delivered.ulpdus).containsExactly(octets(10), octets(20), octets(30));
    }

    @Tag("MPA-4.4-6")
    @Tag("MPA-8-3")
    @Test
    @DisplayName("delivers nothing after an error, and discards further input")
    void nothingAfterAnError() {
        byte[] stream = Streams.plainly(List.of(octets(10), octets(20), octets(30)), true, false, 0);
        stream[Fpdu.length(10) + 5] ^= 1;
        FpduAssembler assembler = new FpduAssembler(true, false, pool);
        ByteBuffer in = ByteBuffer.wrap(stream);
        assertThat(assembler.receive(in, delivered)).isFalse();
        assertThat(in.hasRemaining()).isFalse();
        assertThat(assembler.error()).isEqualTo(MpaError.CRC);
        assertThat(assembler.streamOffset()).isEqualTo(Fpdu.length(10));
        assertThat(assembler.receive(ByteBuffer.wrap(stream), delivered)).isFalse();
        assertThat(delivered.ulpdus).containsExactly(octets(10));
    }

    @Tag("MPA-6-1")
    @Test
    @DisplayName("delivers an FPDU only when it is complete (RFC 5044 §6)")
    void wholeFpdusOnly() {
        byte[] stream = Streams.plainly(List.of(octets(40)), false, false, 0);
        FpduAssembler assembler = new FpduAssembler(false, false, pool);
        receive(assembler, Arrays.copyOf(stream, stream.length - 1), 10, delivered);
        assertThat(delivered.ulpdus).isEmpty();
        assembler.receive(ByteBuffer.wrap(stream, stream.length - 1, 1), delivered);
        assertThat(delivered.ulpdus).hasSize(1);
    }

    @Tag("MPA-4.1-6")
    @Test
    @DisplayName("ignores the CRC field if the CRC is not in use")
    void crcOff() {
        byte[] stream = Streams.plainly(List.of(octets(40)), true, false, 0);
        stream[stream.length - 1] ^= 0x55;
        FpduAssembler assembler = new FpduAssembler(false, false, pool);
        assertThat(assembler.receive(ByteBuffer.wrap(stream), delivered)).isTrue();
        assertThat(delivered.ulpdus).hasSize(1);
    }

    @Tag("MPA-8-1")
    @Test
    @DisplayName("checks every Marker of an FPDU: before it, within, before the CRC; but the CRC first")
    void everyMarker() {
        byte[] good = Streams.plainly(List.of(octets(1502)), false, true, 0); // body 1504: Markers 0, 512, 1024
        byte[] endsWithOne = Streams.plainly(List.of(octets(1514)), false, true, 0); // 1516 + 3 * 4 = 1528, CRC at 1528
        assertThat(Marker.countIn(Fpdu.bodyLength(1522), 0)).isEqualTo(4);
        byte[] beforeCrc =
                Streams.plainly(List.of(octets(1522)), false, true, 0); // body 1524: a Marker at 1536, then CRC
        for (int marker : new int[] {0, 512, 1024}) {
            assertThat(errorWith(good, marker + 3)).isEqualTo(MpaError.MARKER);
            assertThat(errorWith(endsWithOne, marker + 2)).isEqualTo(MpaError.MARKER);
        }
        assertThat(beforeCrc).hasSize(1544);
        assertThat(errorWith(beforeCrc, 1536 + 3)).isEqualTo(MpaError.MARKER);
        assertThat(errorWith(beforeCrc, 1540 + 3))
                .as("the CRC field, not in use")
                .isNull();
        byte[] withCrc = Streams.plainly(List.of(octets(1502)), true, true, 0);
        withCrc[515] ^= 4;
        FpduAssembler assembler = new FpduAssembler(true, true, pool);
        assembler.receive(ByteBuffer.wrap(withCrc), delivered);
        assertThat(assembler.error()).isEqualTo(MpaError.CRC);
    }

    @Test
    @DisplayName("ignores Marker positions in a stream without Markers: four zero bytes are an FPDU's length")
    void noMarkers() {
        byte[] stream = new byte[8]; // ULPDU_Length 0, pad, CRC
        FpduAssembler assembler = new FpduAssembler(false, false, pool);
        assertThat(assembler.receive(ByteBuffer.wrap(stream), delivered)).isTrue();
        assertThat(delivered.ulpdus).containsExactly(new byte[0]);
    }

    @Test
    @DisplayName("returns a borrowed buffer even if the sink throws")
    void sinkThrows() {
        byte[] stream = Streams.plainly(List.of(octets(40), octets(41)), true, false, 0);
        FpduAssembler assembler = new FpduAssembler(true, false, pool);
        assembler.receive(ByteBuffer.wrap(stream, 0, 10), delivered);
        ByteBuffer in = ByteBuffer.wrap(stream, 10, stream.length - 10);
        assertThatThrownBy(() -> assembler.receive(in, (buffer, offset, length) -> {
                    throw new IllegalStateException("our own mistake");
                }))
                .hasMessage("our own mistake");
        assertThat(pool.lent).isZero();
        assertThat(assembler.receive(in, delivered)).isTrue();
        assertThat(delivered.ulpdus).containsExactly(octets(41));
    }

    @Test
    @DisplayName("rejects a little-endian input, which is our own mistake, and an offset that no FPDU can have")
    void misuse() {
        FpduAssembler assembler = new FpduAssembler(true, false, pool);
        ByteBuffer in = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        assertThatThrownBy(() -> assembler.receive(in, delivered)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FpduAssembler(true, true, pool, 6)).isInstanceOf(IllegalArgumentException.class);
    }

    private MpaError errorWith(byte[] stream, int changed) {
        byte[] octets = stream.clone();
        octets[changed] ^= 4;
        FpduAssembler assembler = new FpduAssembler(false, true, pool);
        assembler.receive(ByteBuffer.wrap(octets), (buffer, offset, length) -> true);
        return assembler.error();
    }

    private static void receive(FpduAssembler assembler, byte[] stream, int piece, UlpduSink sink) {
        for (int at = 0; at < stream.length; at += piece) {
            assembler.receive(ByteBuffer.wrap(stream, at, Math.min(piece, stream.length - at)), sink);
        }
    }

    private static ByteBuffer direct(byte[] octets) {
        return ByteBuffer.allocateDirect(octets.length).put(octets).flip();
    }

    private static byte[] octets(int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) (i * 31 + length);
        }
        return octets;
    }
}
