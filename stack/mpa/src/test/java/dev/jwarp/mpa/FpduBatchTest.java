package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A batch of FPDUs")
class FpduBatchTest {
    private static final int LARGE = 5000;

    private final FpduBatch batch = new FpduBatch();
    private final ByteBuffer region = filled(64 * 1024, 1);

    @Test
    @DisplayName("gathers n large payloads with 2n+1 slices: trailer and next header share one")
    void gathersLargePayloads() {
        batch.reset(true, false, 0);
        for (int i = 0; i < 4; i++) {
            write(14, region, i * LARGE, LARGE, true);
        }
        batch.slices();
        assertThat(batch.sliceCount()).isEqualTo(9);
        assertThat(Streams.drain(batch, 777))
                .isEqualTo(expected(
                        true,
                        0,
                        14,
                        List.of(
                                slice(region, 0, LARGE),
                                slice(region, LARGE, LARGE),
                                slice(region, 2 * LARGE, LARGE),
                                slice(region, 3 * LARGE, LARGE))));
    }

    @Test
    @DisplayName("copies payloads up to the limit: any number of small FPDUs is one slice")
    void copiesSmallPayloads() {
        batch.reset(true, false, 0);
        for (int i = 0; i < 40; i++) {
            write(18, region, i, FpduBatch.DEFAULT_COPY_LIMIT, true);
        }
        batch.slices();
        assertThat(batch.sliceCount()).isEqualTo(1);
        write18(true);
        assertThat(batch.sliceCount()).isEqualTo(3);
    }

    private void write18(boolean stable) {
        batch.reset(true, false, 0);
        write(18, region, 0, FpduBatch.DEFAULT_COPY_LIMIT + 1, stable);
        batch.slices();
    }

    @Test
    @DisplayName("copies a large payload that may change: the CRC covers the bytes sent")
    void copiesUnstablePayloads() {
        write18(false);
        assertThat(batch.sliceCount()).isEqualTo(1);
        byte[] before = slice(region, 0, FpduBatch.DEFAULT_COPY_LIMIT + 1);
        region.put(100, (byte) ~region.get(100));
        assertThat(Streams.drain(batch, 1 << 20)).isEqualTo(expected(true, 0, 18, List.of(before)));
    }

    @Test
    @DisplayName("detaches the unwritten rest, and can be reused before the rest is written")
    void detaches() {
        byte[] whole = twoPayloads();
        for (int written = 0; written <= whole.length; written += 97) {
            twoPayloads();
            ByteBuffer[] slices = batch.slices();
            int left = written;
            for (int i = 0; i < batch.sliceCount(); i++) {
                int step = Math.min(left, slices[i].remaining());
                slices[i].position(slices[i].position() + step);
                left -= step;
            }
            batch.written(written);
            int own = batch.unsentBuffered();
            ByteBuffer[] rest = batch.detach();
            write18(false); // another use
            ByteBuffer sent = ByteBuffer.allocate(whole.length - written);
            for (ByteBuffer piece : rest) {
                own -= piece.isDirect() ? 0 : piece.remaining();
                sent.put(piece);
            }
            assertThat(sent.array()).isEqualTo(java.util.Arrays.copyOfRange(whole, written, whole.length));
            assertThat(own).isZero();
        }
    }

    /** Builds two FPDUs whose payloads are gathered, and one that is copied. */
    private byte[] twoPayloads() {
        batch.reset(true, false, 0);
        write(14, region, 0, LARGE, true);
        write(14, region, LARGE, LARGE, true);
        write(14, region, 7, 100, false);
        ByteBuffer whole = ByteBuffer.allocate(3 * LARGE);
        batch.slices();
        for (int i = 0; i < batch.sliceCount(); i++) {
            whole.put(batch.slices()[i].duplicate());
        }
        return java.util.Arrays.copyOf(whole.array(), whole.position());
    }

    @Test
    @DisplayName("copies from memory that is not direct: a gathering write would copy it again")
    void copiesHeapMemory() {
        batch.reset(true, false, 0);
        ByteBuffer heap = ByteBuffer.allocate(LARGE);
        write(18, heap, 0, LARGE, true);
        batch.slices();
        assertThat(batch.sliceCount()).isEqualTo(1);
        assertThat(Streams.drain(batch, 99)).isEqualTo(expected(true, 0, 18, List.of(new byte[LARGE])));
    }

    @Test
    @DisplayName("takes a payload in several pieces, copied and gathered in any order, from several regions")
    void mixesPieces() {
        ByteBuffer other = filled(64 * 1024, 7);
        batch.reset(true, false, 0);
        for (int round = 0; round < 3; round++) {
            header(batch.begin(14, 2 * LARGE + 30), 14);
            batch.payload(other, 3, 10, true);
            batch.payload(region, 9, LARGE, true);
            batch.payload(other, 100, LARGE, true); // two gathered pieces side by side
            batch.payload(region, 1, 20, true);
            batch.end();
        }
        byte[] payload =
                concat(slice(other, 3, 10), slice(region, 9, LARGE), slice(other, 100, LARGE), slice(region, 1, 20));
        batch.slices();
        assertThat(batch.sliceCount()).isEqualTo(3 * 3 + 1);
        assertThat(Streams.drain(batch, 4096)).isEqualTo(expected(true, 0, 14, List.of(payload, payload, payload)));
    }

    @Tag("MPA-4.1-5")
    @Test
    @DisplayName("sends zero in the CRC field if the CRC is not in use")
    void crcOff() {
        batch.reset(false, false, 0);
        write(18, region, 0, LARGE, true);
        byte[] octets = Streams.drain(batch, 1 << 20);
        assertThat(octets).isEqualTo(expected(false, 0, 18, List.of(slice(region, 0, LARGE))));
        assertThat(ByteBuffer.wrap(octets).getInt(octets.length - 4)).isZero();
    }

    @Tag("MPA-4.2-2")
    @Tag("MPA-4.3-1")
    @Tag("MPA-4.3-3")
    @Tag("MPA-4.3-4")
    @Tag("MPA-4.3-6")
    @Test
    @DisplayName("puts Markers into headers, payloads and before CRCs, and copies then")
    void markers() {
        for (int header : new int[] {14, 18, 70, 1200}) {
            for (long offset = 0; offset < 1024; offset += 4) {
                batch.reset(true, true, offset);
                for (int i = 0; i < 3; i++) {
                    write(header, region, i, LARGE + i, true);
                }
                assertThat(batch.streamOffset() - offset).isEqualTo(drainedLength());
                assertThat(batch.sliceCount()).isEqualTo(1);
                assertThat(Streams.drain(batch, 1 << 20))
                        .isEqualTo(Streams.plainly(
                                List.of(
                                        ulpdu(header, slice(region, 0, LARGE)),
                                        ulpdu(header, slice(region, 1, LARGE + 1)),
                                        ulpdu(header, slice(region, 2, LARGE + 2))),
                                true,
                                true,
                                offset));
            }
        }
    }

    private long drainedLength() {
        batch.slices();
        return batch.remaining();
    }

    @Tag("MPA-4.3-3")
    @Test
    @DisplayName("continues where the previous batch ended, for Markers too")
    void severalBatches() {
        byte[] stream = new byte[0];
        long offset = 0;
        for (int i = 0; i < 5; i++) {
            batch.reset(true, true, offset);
            write(18, region, i, 333, true);
            offset = batch.streamOffset();
            stream = concat(stream, Streams.drain(batch, 50));
        }
        assertThat(offset).isEqualTo(stream.length);
        Streams.Delivered delivered = new Streams.Delivered();
        FpduAssembler assembler = new FpduAssembler(true, true, new Streams.CountingPool());
        assertThat(assembler.receive(ByteBuffer.wrap(stream), delivered)).isTrue();
        assertThat(delivered.ulpdus).hasSize(5);
    }

    @Tag("MPA-4.3-8")
    @Test
    @DisplayName("places Markers correctly across 2^32 bytes of a stream, and the assembler finds them")
    void markersBeyondFourGiB() {
        for (long offset = (1L << 32) - 1024; offset <= (1L << 32); offset += 4) {
            batch.reset(true, true, offset);
            List<byte[]> sent = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                write(18, region, i, 333, true);
                sent.add(ulpdu(18, slice(region, i, 333)));
            }
            byte[] stream = Streams.drain(batch, 1 << 20);
            assertThat(stream).isEqualTo(Streams.plainly(sent, true, true, offset));
            Streams.Delivered delivered = new Streams.Delivered();
            FpduAssembler assembler = new FpduAssembler(true, true, new Streams.CountingPool(), offset);
            assertThat(assembler.receive(ByteBuffer.wrap(stream), delivered)).isTrue();
            assertThat(delivered.ulpdus).containsExactlyElementsOf(sent);
        }
    }

    @Test
    @DisplayName("does not change position, limit and order of the source")
    void leavesSourceAlone() {
        batch.reset(true, false, 0);
        region.order(ByteOrder.LITTLE_ENDIAN).position(17).limit(40_000);
        write(18, region, 0, LARGE, true);
        write(18, region, 0, 100, true);
        assertThat(region.position()).isEqualTo(17);
        assertThat(region.limit()).isEqualTo(40_000);
        assertThat(region.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(Streams.drain(batch, 1 << 20))
                .isEqualTo(expected(true, 0, 18, List.of(slice(region, 0, LARGE), slice(region, 0, 100))));
    }

    @Test
    @DisplayName("counts partial writes, down to one byte at a time")
    void partialWrites() {
        batch.reset(true, false, 0);
        write(18, region, 0, LARGE, true);
        write(18, region, 3, 3, true);
        byte[] expected = expected(true, 0, 18, List.of(slice(region, 0, LARGE), slice(region, 3, 3)));
        assertThat(Streams.drain(batch, 1)).isEqualTo(expected);
        assertThat(batch.remaining()).isZero();
        assertThat(batch.firstSlice()).isEqualTo(batch.sliceCount());
        assertThatThrownBy(() -> batch.written(1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("holds FPDUs up to its capacity, by default four messages of 64 KiB in one write")
    void room() {
        for (int payload : new int[] {1408, 32 * 1024, 64 * 1000}) {
            batch.reset(true, false, 0);
            int octets = 0;
            while (batch.hasRoom(14, payload)) {
                write(14, region, 0, payload, true);
                octets += payload;
            }
            assertThat(octets).isGreaterThanOrEqualTo(payload == 64_000 ? 256_000 : 256 * 1024);
            assertThatThrownBy(() -> batch.begin(14, payload)).isInstanceOf(IllegalStateException.class);
            batch.slices();
            assertThat(batch.remaining()).isLessThanOrEqualTo(FpduBatch.DEFAULT_CAPACITY);
        }
    }

    @Test
    @DisplayName("gathers more than its memory holds: only headers and trailers need space there")
    void gathersMoreThanItsMemory() {
        batch.reset(true, false, 0);
        int payloads = 0;
        while (batch.hasRoom(14, 32 * 1024)) {
            write(14, region, 0, 32 * 1024, true);
            payloads++;
        }
        assertThat(batch.gathered()).isEqualTo(payloads * 32 * 1024).isGreaterThan(FpduBatch.arenaLength(1 << 30));
        assertThat(batch.streamOffset()).isBetween(512L * 1024, (long) FpduBatch.DEFAULT_CAPACITY);
        assertThat(Streams.drain(batch, 99_999))
                .isEqualTo(expected(true, 0, 14, Collections.nCopies(payloads, slice(region, 0, 32 * 1024))));
    }

    @Test
    @DisplayName("copies at most what its memory holds, and gathers large payloads in addition")
    void copiesNoMoreThanItsMemory() {
        batch.reset(true, false, 0);
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; batch.hasRoom(14, 32 * 1024); i++) {
            boolean stable = i % 4 == 0;
            write(14, region, i, 32 * 1024, stable);
            payloads.add(slice(region, i, 32 * 1024));
        }
        assertThat(batch.hasRoom(14, 10)).as("a small one").isTrue();
        assertThat(batch.buffered()).isLessThanOrEqualTo(FpduBatch.arenaLength(FpduBatch.DEFAULT_CAPACITY));
        assertThat(batch.gathered()).isPositive();
        assertThat(Streams.drain(batch, 99_999)).isEqualTo(expected(true, 0, 14, payloads));
    }

    @Test
    @DisplayName("of the smallest capacity holds the largest FPDU, with Markers")
    void smallestCapacity() {
        FpduBatch small = new FpduBatch(FpduBatch.MIN_CAPACITY, 256);
        small.reset(true, true, 0);
        assertThat(small.isEmpty()).isTrue();
        assertThat(small.hasRoom(0, Fpdu.MAX_ULPDU_SENT)).isTrue();
        Streams.add(small, new byte[Fpdu.MAX_ULPDU_SENT], 14, true);
        assertThat(small.isEmpty()).isFalse();
        assertThat(small.hasRoom(14, Fpdu.MAX_ULPDU_SENT)).isFalse();
        assertThat(Streams.drain(small, 1 << 20))
                .isEqualTo(Streams.plainly(List.of(new byte[Fpdu.MAX_ULPDU_SENT]), true, true, 0));
    }

    @Tag("MPA-3-2")
    @Test
    @DisplayName("throws exceptions on misuse")
    void misuse() {
        batch.reset(true, false, 0);
        assertThatThrownBy(() -> batch.begin(14, Fpdu.MAX_ULPDU_SENT - 13))
                .as("RFC 5044 §3")
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64768");
        assertThatThrownBy(() -> batch.begin(Integer.MAX_VALUE, Integer.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch.begin(-1, 5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(batch::end).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> batch.payload(region, 0, 1, true)).isInstanceOf(IllegalStateException.class);
        batch.begin(14, 10);
        assertThatThrownBy(() -> batch.begin(14, 10)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(batch::slices).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> batch.payload(region, 0, 11, true)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> batch.payload(region, region.limit() - 5, 10, true))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> batch.payload(region, -1, 10, true)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(batch::end).isInstanceOf(IllegalStateException.class).hasMessageContaining("10 bytes");
        batch.payload(region, 0, 10, true);
        batch.end();
        batch.slices();
        assertThat(batch.hasRoom(0, 0)).as("no more once it is being written").isFalse();
        assertThatThrownBy(() -> batch.reset(true, false, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FpduBatch(1000, 4096)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FpduBatch(FpduBatch.DEFAULT_CAPACITY, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("clear drops unwritten bytes, and the batch can be used again")
    void clear() {
        batch.reset(true, false, 0);
        write(18, region, 0, LARGE, true);
        batch.slices();
        batch.clear();
        assertThat(batch.isEmpty()).isTrue();
        assertThat(batch.remaining()).isZero();
        assertThat(batch.sliceCount()).isZero();
        assertThat(batch.slices()).containsOnlyNulls();
        write18(true);
        assertThat(Streams.drain(batch, 9))
                .isEqualTo(expected(true, 0, 18, List.of(slice(region, 0, FpduBatch.DEFAULT_COPY_LIMIT + 1))));
    }

    private void write(int headerLength, ByteBuffer source, int offset, int length, boolean stable) {
        header(batch.begin(headerLength, length), headerLength);
        batch.payload(source, offset, length, stable);
        batch.end();
    }

    private void header(int index, int length) {
        for (int i = 0; i < length; i++) {
            batch.buffer().put(index + i, (byte) (0xA0 + i));
        }
    }

    private static byte[] expected(boolean crc, long streamOffset, int headerLength, List<byte[]> payloads) {
        return Streams.plainly(
                payloads.stream().map(payload -> ulpdu(headerLength, payload)).toList(), crc, false, streamOffset);
    }

    private static byte[] ulpdu(int headerLength, byte[] payload) {
        byte[] header = new byte[headerLength];
        for (int i = 0; i < headerLength; i++) {
            header[i] = (byte) (0xA0 + i);
        }
        return concat(header, payload);
    }

    private static byte[] slice(ByteBuffer buffer, int offset, int length) {
        byte[] octets = new byte[length];
        buffer.get(offset, octets);
        return octets;
    }

    private static byte[] concat(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    private static ByteBuffer filled(int length, int seed) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(length);
        for (int i = 0; i < length; i++) {
            buffer.put(i, (byte) (seed * 31 + i * 7 + i / 256));
        }
        return buffer;
    }
}
