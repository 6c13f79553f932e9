package dev.jwarp.tools.ping;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PingTextTest {
    @Test
    @DisplayName("the first ping of 64 bytes is that of the original")
    void firstPingOf64BytesIsThatOfOriginal() {
        assertThat(text(0, 64)).isEqualTo("rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr");
    }

    @Test
    @DisplayName("each ping starts one character further")
    void eachPingStartsOneCharacterFurther() {
        assertThat(text(1, 27)).isEqualTo("rdma-ping-1: BCDEFGHIJKLMN");
        assertThat(text(57, 27)).isEqualTo("rdma-ping-57: zABCDEFGHIJK");
        assertThat(text(58, 27)).isEqualTo("rdma-ping-58: ABCDEFGHIJKL");
    }

    @Test
    @DisplayName("the shortest has room for the largest number")
    void shortestHasRoomForLargestNumber() {
        assertThat(text(Integer.MAX_VALUE, PingText.MIN_SIZE))
                .startsWith("rdma-ping-2147483647: ")
                .hasSize(26);
    }

    @Property
    @Label("what is written is valid and ends with its only NUL")
    void whatIsWrittenIsValidAndEndsWithItsOnlyNul(
            @ForAll @IntRange(max = Integer.MAX_VALUE) int ping, @ForAll @IntRange(min = 27, max = 65_535) int size) {
        ByteBuffer octets = ByteBuffer.allocate(size);
        PingText.write(ping, octets);

        assertThat(PingText.valid(octets)).isTrue();
        assertThat(PingText.length(octets)).isEqualTo(size - 1);
        assertThat(octets.position()).isZero();
    }

    @Property
    @Label("one wrong byte is noticed")
    void oneWrongByteIsNoticed(
            @ForAll @IntRange(max = 1000) int ping,
            @ForAll @IntRange(min = 27, max = 300) int size,
            @ForAll @IntRange(min = 14, max = 299) int at,
            @ForAll @IntRange(min = 1, max = 255) int change) {
        ByteBuffer octets = ByteBuffer.allocate(size);
        PingText.write(ping, octets);
        int place = Math.max(17, at % size) % size;
        octets.put(place, (byte) (octets.get(place) ^ change));

        assertThat(PingText.valid(octets)).isFalse();
    }

    @Test
    @DisplayName("what is no ping is not valid")
    void whatIsNoPingIsNotValid() {
        assertThat(PingText.valid(ByteBuffer.wrap(new byte[64]))).isFalse();
        assertThat(PingText.valid(ByteBuffer.wrap("rdma-ping-99999999999: xxxxxxxxx".getBytes(US_ASCII))))
                .isFalse();
        assertThat(PingText.valid(ByteBuffer.wrap("rdma-ping-9999999999: xxxxxxxxxxx".getBytes(US_ASCII))))
                .isFalse();
        assertThat(PingText.valid(ByteBuffer.allocate(0))).isFalse();
    }

    @Test
    @DisplayName("a terminal is safe from what a peer writes")
    void terminalIsSafeFromWhatPeerWrites() {
        assertThat(PingText.read(ByteBuffer.wrap(new byte[] {'a', 0x1b, '[', '2', 'J', (byte) 0xff, 0, 'b'})))
                .isEqualTo("a.[2J.");
    }

    private static String text(int ping, int size) {
        ByteBuffer octets = ByteBuffer.allocate(size);
        PingText.write(ping, octets);
        assertThat(octets.get(size - 1)).isZero();
        return PingText.read(octets);
    }
}
