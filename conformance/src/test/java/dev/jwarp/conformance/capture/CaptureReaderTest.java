package dev.jwarp.conformance.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Classic pcap and pcapng, whole and damaged. */
class CaptureReaderTest {
    static final List<ByteOrder> ORDERS = List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN);
    private static final long WHEN = 1_700_000_000_123_456_789L;

    private static Frame frame(long number, int size) {
        byte[] octets = new byte[size];
        Arrays.fill(octets, (byte) number);
        return new Frame(number, WHEN + number * 1000, 101, octets, size);
    }

    @ParameterizedTest
    @FieldSource("ORDERS")
    @DisplayName("pcap is read in both byte orders, with nanoseconds or microseconds")
    void pcapIsReadInBoth(ByteOrder order) throws IOException {
        List<Frame> frames = List.of(frame(1, 60), frame(2, 0), frame(3, 1500));

        List<Frame> nanos = CaptureFiles.read(CaptureFiles.pcap(order, true, frames));
        List<Frame> micros = CaptureFiles.read(CaptureFiles.pcap(order, false, frames));

        assertThat(nanos).usingRecursiveComparison().isEqualTo(frames);
        assertThat(micros)
                .extracting(Frame::nanos)
                .containsExactly(WHEN / 1000 * 1000 + 1000, WHEN / 1000 * 1000 + 2000, WHEN / 1000 * 1000 + 3000);
    }

    @Test
    @DisplayName("a cut frame keeps its length on the wire")
    void frameThatWasCutKeepsItsLength() throws IOException {
        Frame cut = new Frame(1, WHEN, 101, new byte[96], 1514);

        assertThat(CaptureFiles.read(CaptureFiles.pcap(ByteOrder.BIG_ENDIAN, true, List.of(cut))))
                .singleElement()
                .satisfies(frame -> assertThat(frame.originalLength()).isEqualTo(1514));
    }

    @ParameterizedTest
    @FieldSource("ORDERS")
    @DisplayName("pcapng has interfaces with clocks of their own; unknown blocks are skipped")
    void pcapngHasInterfacesWithClocks(ByteOrder order) throws IOException {
        ByteBuffer file = section(ByteBuffer.allocate(4096).order(order));
        block(file, 1, b -> link(b, 1));
        // if_tsresol 9: nanoseconds; if_tsoffset 100 s.
        block(file, 1, b -> {
            link(b, 101);
            b.putShort((short) 2).putShort((short) 3).put(new byte[] {'l', 'o', '0', 0});
            b.putShort((short) 9).putShort((short) 1).put(new byte[] {9, 0, 0, 0});
            b.putShort((short) 14).putShort((short) 8).putLong(100);
            b.putInt(0);
        });
        block(file, 5, b -> b.putInt(0).putLong(0));
        block(file, 6, b -> packet(b, 0, 1_000_001, 5, 5));
        block(file, 6, b -> packet(b, 1, 2_000_000_003L, 6, 60));
        block(file, 3, b -> b.putInt(7).put(new byte[8]));
        block(file, 0x0BAD, b -> b.putInt(99).put(new byte[12]));
        section(file);
        block(file, 1, b -> link(b, 113));
        block(file, 2, b -> {
            b.putShort((short) 0).putShort((short) 0);
            b.putInt(0).putInt(5).putInt(4).putInt(4).putInt(0);
        });

        List<Frame> frames = read(file);

        assertThat(frames).extracting(Frame::number).containsExactly(1L, 2L, 3L, 4L);
        assertThat(frames).extracting(Frame::linkType).containsExactly(1, 101, 1, 113);
        assertThat(frames).extracting(f -> f.octets().length).containsExactly(5, 6, 7, 4);
        assertThat(frames).extracting(Frame::originalLength).containsExactly(5L, 60L, 7L, 4L);
        assertThat(frames).extracting(Frame::nanos).containsExactly(1_000_001_000L, 102_000_000_003L, 0L, 5000L);
    }

    @Test
    @DisplayName("clocks tick in powers of ten and of two")
    void clocksTickInPowersOfTenAndOfTwo() {
        assertThat(new PcapngReader.Clock(3, 0).nanos(1500)).isEqualTo(1_500_000_000L);
        assertThat(new PcapngReader.Clock(0x80 | 10, 0).nanos(1536)).isEqualTo(1_500_000_000L);
        assertThat(new PcapngReader.Clock(12, 0).nanos(1_500_000_000_999L)).isEqualTo(1_500_000_000L);
        assertThat(new PcapngReader.Clock(0x80 | 40, -1).nanos(3L << 39)).isEqualTo(500_000_000L);
        assertThat(new PcapngReader.Clock(19, 0).nanos(7)).isZero();
    }

    static Stream<Arguments> notCaptures() {
        return Stream.of(
                arguments(new byte[0], "the file is empty"),
                arguments(new byte[3], "the file is too short for a capture"),
                arguments(new byte[24], "neither pcap nor pcapng: it begins with 00000000"),
                arguments(new byte[] {0x1F, (byte) 0x8B, 8, 0}, "compressed: pipe it through zcat"),
                arguments(ints(0xA1B2C3D4, 0), "in the middle of its file header"),
                arguments(ints(0xA1B2C3D4, 0x0003_0004, 0, 0, 0, 0), "version 3 of pcap"),
                arguments(ints(0x0A0D0D0A, 28), "in the middle of its first block"),
                arguments(ints(0x0A0D0D0A, 28, 0x11223344), "without a byte-order magic"),
                arguments(ints(0x0A0D0D0A, 16, 0x1A2B3C4D, 0), "a section of only 16 bytes"));
    }

    @ParameterizedTest
    @MethodSource("notCaptures")
    @DisplayName("the message for a file that is no capture is a sentence")
    void whatIsNoCaptureIsSaidInSentence(byte[] file, String sentence) {
        assertThatThrownBy(() -> CaptureFiles.read(file))
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    @DisplayName("a record that claims too many bytes is damage, and no memory is allocated for it")
    void recordThatClaimsTooMuch() {
        byte[] file = CaptureFiles.pcap(ByteOrder.BIG_ENDIAN, true, List.of(frame(1, 4), frame(2, 4)));
        ByteBuffer.wrap(file).putInt(24 + 20 + 8, 0x7FFF_FFFF);

        assertThatThrownBy(() -> CaptureFiles.read(file))
                .isInstanceOf(CaptureException.class)
                .hasMessage(
                        "frame 2 claims 2147483647 bytes, at byte 44 of the file: the capture is damaged from there on")
                .matches(e -> ((CaptureException) e).damaged());
    }

    @Test
    @DisplayName("the message for damaged pcapng has the place")
    void damageOfPcapngIsSaidWithItsPlace() {
        ByteBuffer file = section(ByteBuffer.allocate(256));
        block(file, 6, b -> packet(b, 0, 0, 4, 4));

        assertThatThrownBy(() -> read(file))
                .hasMessageContaining("block 2")
                .hasMessageContaining("names interface 0, but the section has 0");

        file.putInt(28 + 4, 30);
        assertThatThrownBy(() -> read(file)).hasMessageContaining("claims 30 bytes");
    }

    @Test
    @DisplayName("a packet longer than its block is damage")
    void packetLongerThanItsBlockIsDamage() {
        ByteBuffer file = section(ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN));
        block(file, 1, b -> link(b, 1));
        block(file, 6, b -> b.putInt(0).putLong(0).putInt(5).putInt(5).putInt(0));

        assertThatThrownBy(() -> read(file))
                .hasMessageContaining("is a packet of 5 bytes in a block that has room for 4");
    }

    @Test
    @DisplayName("two lengths of a block that differ are damage")
    void twoLengthsOfBlockThatDifferAreDamage() {
        ByteBuffer file = section(ByteBuffer.allocate(256));
        block(file, 5, b -> b.putInt(0));
        file.putInt(file.position() - 4, 20);

        assertThatThrownBy(() -> read(file))
                .hasMessageContaining("is 16 bytes long by its first length and 20 by its last");
    }

    @Test
    @DisplayName("frames before the cut end of a file are returned")
    void framesBeforeCutEndAreHandedOut() throws IOException {
        byte[] file = CaptureFiles.pcap(ByteOrder.LITTLE_ENDIAN, true, List.of(frame(1, 60), frame(2, 60)));
        CaptureReader reader = CaptureReader.of(new ByteArrayInputStream(file, 0, file.length - 1));

        assertThat(reader.next()).isNotNull();
        assertThatThrownBy(reader::next).hasMessageContaining("in the middle of frame 2");
    }

    private static byte[] ints(int... values) {
        ByteBuffer octets = ByteBuffer.allocate(4 * values.length);
        Arrays.stream(values).forEach(octets::putInt);
        return octets.array();
    }

    private static List<Frame> read(ByteBuffer file) throws IOException {
        byte[] octets = new byte[file.position()];
        file.get(0, octets);
        return CaptureFiles.read(octets);
    }

    private static ByteBuffer section(ByteBuffer file) {
        block(
                file,
                0x0A0D0D0A,
                b -> b.putInt(0x1A2B3C4D)
                        .putShort((short) 1)
                        .putShort((short) 0)
                        .putLong(-1));
        return file;
    }

    private static void block(ByteBuffer file, int type, Consumer<ByteBuffer> body) {
        ByteBuffer inner = ByteBuffer.allocate(1024).order(file.order());
        body.accept(inner);
        int padded = (inner.position() + 3) & ~3;
        file.putInt(type).putInt(12 + padded).put(inner.array(), 0, padded).putInt(12 + padded);
    }

    private static void link(ByteBuffer block, int type) {
        block.putShort((short) type).putShort((short) 0).putInt(0);
    }

    private static void packet(ByteBuffer block, int link, long ticks, int captured, int original) {
        block.putInt(link)
                .putInt((int) (ticks >>> 32))
                .putInt((int) ticks)
                .putInt(captured)
                .putInt(original);
        block.put(new byte[captured]);
    }
}
