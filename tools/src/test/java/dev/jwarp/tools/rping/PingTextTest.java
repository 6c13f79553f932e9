package dev.jwarp.tools.rping;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PingTextTest {
    @Test
    void the_first_ping_of_64_octets_is_that_of_the_original() {
        assertThat(text(0, 64)).isEqualTo("rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr");
    }

    @Test
    void each_ping_starts_one_character_further() {
        assertThat(text(1, 27)).isEqualTo("rdma-ping-1: BCDEFGHIJKLMN");
        assertThat(text(57, 27)).isEqualTo("rdma-ping-57: zABCDEFGHIJK");
        assertThat(text(58, 27)).isEqualTo("rdma-ping-58: ABCDEFGHIJKL");
    }

    @Test
    void the_shortest_has_room_for_the_largest_number() {
        assertThat(text(Integer.MAX_VALUE, PingText.MIN_SIZE))
                .startsWith("rdma-ping-2147483647: ")
                .hasSize(26);
    }

    @Property
    void what_is_written_is_valid_and_ends_with_its_only_nul(
            @ForAll @IntRange(max = Integer.MAX_VALUE) int ping, @ForAll @IntRange(min = 27, max = 65_535) int size) {
        ByteBuffer octets = ByteBuffer.allocate(size);
        PingText.write(ping, octets);

        assertThat(PingText.valid(octets)).isTrue();
        assertThat(PingText.length(octets)).isEqualTo(size - 1);
        assertThat(octets.position()).isZero();
    }

    @Property
    void one_wrong_octet_is_noticed(
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
    void what_is_no_ping_is_not_valid() {
        assertThat(PingText.valid(ByteBuffer.wrap(new byte[64]))).isFalse();
        assertThat(PingText.valid(ByteBuffer.wrap("rdma-ping-99999999999: xxxxxxxxx".getBytes(US_ASCII))))
                .isFalse();
        assertThat(PingText.valid(ByteBuffer.wrap("rdma-ping-9999999999: xxxxxxxxxxx".getBytes(US_ASCII))))
                .isFalse();
        assertThat(PingText.valid(ByteBuffer.allocate(0))).isFalse();
    }

    @Test
    void a_terminal_is_safe_from_what_a_peer_writes() {
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
