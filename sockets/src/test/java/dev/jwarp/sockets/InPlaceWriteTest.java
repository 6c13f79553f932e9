package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Counter;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A blocking write from a direct buffer that is used repeatedly")
class InPlaceWriteTest {
    static Stream<Arguments> minima() {
        return Stream.of(StreamProtocol.values())
                .flatMap(protocol ->
                        Stream.of(0, 10_000, Integer.MAX_VALUE).map(copyBytes -> Arguments.of(protocol, copyBytes)));
    }

    @ParameterizedTest
    @MethodSource("minima")
    @DisplayName("has sent the bytes before it returns (protocol, copied below):")
    void sentBefore(StreamProtocol protocol, int copyBytes) throws Exception {
        try (Ends ends = new Ends(
                        Map.of(JwarpSocketOptions.PROTOCOL, protocol, JwarpSocketOptions.COPY_BYTES, copyBytes));
                SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            Future<ByteBuffer> there = ends.run(() -> Ends.readAll(far));
            ByteBuffer all = Ends.pattern();
            List<ByteBuffer> ten = new ArrayList<>(); // more than are kept
            for (int i = 0; i < 10; i++) {
                ten.add(ByteBuffer.allocateDirect(40_000));
            }
            for (int i = 0; all.hasRemaining(); i++) {
                ByteBuffer again = ten.get(i % 100 < 50 ? 0 : i % 10);
                again.clear().position(i % 7);
                while (again.hasRemaining() && all.hasRemaining()) {
                    again.put(all.get());
                }
                again.flip().position(i % 7);
                near.write(again);
            }
            near.shutdownOutput();
            assertThat(Patience.get(there)).isEqualTo(Ends.pattern());
            assertThat(count(ends, "buffers_registered") > 0)
                    .as("bytes are sent without a copy")
                    .isEqualTo(copyBytes < 40_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("sends slices and duplicates of a known buffer without a copy, and counts them:")
    void views(StreamProtocol protocol) throws Exception {
        try (Ends ends = new Ends(protocol);
                SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            Future<ByteBuffer> there = ends.run(() -> Ends.readAll(far));
            ByteBuffer all = Ends.pattern();
            near.write(all.duplicate().limit(100_000));
            near.write(all.duplicate().position(100_000).limit(200_000));
            for (int at = 200_000; at < Ends.MUCH; at += 100_000) {
                ByteBuffer slice = all.slice(at - 50, 100_050).position(50);
                assertThat(near.write(slice)).isEqualTo(100_000);
                assertThat(slice.hasRemaining()).isFalse();
            }
            near.shutdownOutput();
            assertThat(Patience.get(there)).isEqualTo(Ends.pattern());
            assertThat(count(ends, "buffers_registered")).isOne();
            // All but the first, which is copied, and the second, which registers; one for which the peer has no room
            // yet goes in parts.
            assertThat(count(ends, "buffers_known")).isGreaterThanOrEqualTo(Ends.MUCH / 100_000 - 2);
            assertThat(count(ends, "sends_posted"))
                    .as("a counter of the context")
                    .isPositive();
        }
    }

    private static long count(Ends ends, String counter) {
        return ends.connecting.counters().stream()
                .filter(one -> one.name().equals(counter))
                .mapToLong(Counter::value)
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("returns the program's buffer at once if the channel is closed while the write waits:")
    void closed(StreamProtocol protocol) throws Exception {
        try (Ends ends = new Ends(protocol)) {
            SocketChannel near = ends.connect();
            try (SocketChannel far = ends.listener.accept()) {
                ByteBuffer again = ByteBuffer.allocateDirect(1 << 20);
                near.write(again.limit(1 << 14));
                near.write(again.clear().limit(1 << 14));
                Future<Integer> writer = ends.run(() -> near.write(again.clear()));
                await().until(() -> again.position() > 1 << 14);
                near.close();
                assertThat(Patience.get(writer)).as("sent bytes").isLessThan(1 << 20);
                assertThat(far.isOpen()).isTrue();
            }
        }
    }
}
