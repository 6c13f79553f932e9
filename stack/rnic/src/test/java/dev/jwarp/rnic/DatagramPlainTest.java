package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Plain datagrams through the verbs")
class DatagramPlainTest {
    private static final Map<String, String> ONE_BY_ONE = Map.of("jwarp.udp.segmentation", "send");

    private static DatagramSide byDefault(DatagramWorld world, int host) {
        return DatagramSide.on(world, host, UnaryOperator.identity(), attributes -> attributes.byDefault(true));
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    @EachDatagramWorld
    @DisplayName("go to the handler of the default queue pair with their source, beside its messages")
    void beside(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, ONE_BY_ONE)) {
            DatagramSide near = byDefault(world, 0);
            DatagramSide far = byDefault(world, 1);
            Queue<String> came = new ConcurrentLinkedQueue<>();
            Queue<InetSocketAddress> sources = new ConcurrentLinkedQueue<>();
            far.queuePair.onPlain((datagram, source) -> {
                came.add(StandardCharsets.US_ASCII.decode(datagram).toString());
                sources.add(source);
            });
            far.receive(1, 0, 10);

            ByteBuffer plain = text("plain");
            assertThat(near.queuePair.sendPlain(plain, far.queuePair.localAddress()))
                    .isTrue();
            assertThat(plain.hasRemaining()).isFalse();
            near.send(1, near.to(far), 0, 3);
            near.success();

            assertThat(far.success().byteLength()).isEqualTo(3);
            world.until("the plain one", () -> !sources.isEmpty());
            assertThat(came).containsExactly("plain");
            assertThat(sources).containsExactly(near.queuePair.localAddress());
            assertThat(far.counter("rx_plain")).isOne();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            send | false | INVALID_ARGUMENT | is not the default queue pair of its port
            on   | true  | NOT_SUPPORTED    | set jwarp.udp.segmentation=send
            """)
    @DisplayName("need the default queue pair, and no segmentation")
    void refused(String segmentation, boolean byDefault, RdmaErrorCode code, String sentence) {
        Map<String, String> settings = Map.of("jwarp.udp.segmentation", segmentation);
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.INLINE, settings)) {
            DatagramSide side = DatagramSide.on(
                    world, 0, UnaryOperator.identity(), (DatagramAttributes.Builder b) -> b.byDefault(byDefault));
            assertThatThrownBy(() -> side.queuePair.onPlain((datagram, source) -> {}))
                    .hasMessageContaining(sentence)
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(code));
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "65508"})
    @DisplayName("have a length that UDP permits")
    void lengths(int length) {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED, ONE_BY_ONE)) {
            DatagramSide side = byDefault(world, 0);
            ByteBuffer datagram = ByteBuffer.allocate(length);
            assertThatThrownBy(() -> side.queuePair.sendPlain(datagram, world.address(1, 9)))
                    .hasMessageContaining("1 to 65507 bytes");
        }
    }
}
