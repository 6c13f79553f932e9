package dev.jwarp.sockets.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.ShareTurn;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Memory of streams")
class StreamMemoryTest {
    private static final int PAGE = 4096;
    private static final int BLOCK = 8 * PAGE;
    private static final InetSocketAddress ONE = new InetSocketAddress("192.0.2.1", 1);
    private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.2", 1);

    private long now = Long.MAX_VALUE - 5; // the clock may overflow
    private boolean none;
    private final List<Integer> asked = new ArrayList<>();
    private final List<String> gaveWay = new ArrayList<>();
    /** A memory of eight blocks. */
    private final StreamMemory memory = new StreamMemory(8 * (BLOCK + PAGE), () -> now, this::make);

    private ByteBuffer make(int length) {
        asked.add(length);
        if (none) {
            throw new OutOfMemoryError("of the test");
        }
        return ByteBuffer.allocateDirect(length);
    }

    private StreamMemory.Loan stream(String name, InetSocketAddress peer, ShareTurn turn) {
        StreamMemory.Loan stream = memory.join(peer, () -> gaveWay.add(name));
        stream.take(BLOCK);
        stream.turn(turn);
        return stream;
    }

    private static void assertRefused(Runnable what) {
        assertThatThrownBy(what::run)
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("Raise jwarp.sockets.memory");
    }

    @Test
    @DisplayName(
            "is refused to one address beyond three quarters, whatever its ports, without asking the JVM; others get the rest")
    void oneAddress() {
        for (int i = 0; i < 6; i++) {
            stream("one", new InetSocketAddress(ONE.getAddress(), i + 1), ShareTurn.NEVER);
        }
        assertRefused(() -> stream("one", ONE, ShareTurn.NEVER));
        assertThat(asked).hasSize(6);
        stream("other", OTHER, ShareTurn.NEVER);
        stream("other", OTHER, ShareTurn.NEVER);
        assertRefused(() -> stream("other", OTHER, ShareTurn.NEVER));
        assertThat(asked).hasSize(8);
        assertThat(memory.used()).isEqualTo(memory.made()).isEqualTo(8 * (BLOCK + PAGE));
        assertThat(gaveWay).isEmpty();
    }

    @Test
    @DisplayName(
            "is returned by the oldest half-open stream for its own address, and by a waiting stream only for another address")
    void gaveWay() {
        stream("taken", ONE, ShareTurn.NEVER);
        stream("waits", ONE, ShareTurn.BY_SIZE);
        StreamMemory.Loan first = stream("comes first", ONE, ShareTurn.FIRST);
        StreamMemory.Loan second = stream("comes second", ONE, ShareTurn.FIRST);
        stream("taken", ONE, ShareTurn.NEVER);
        stream("taken", ONE, ShareTurn.NEVER);
        first.turn(ShareTurn.FIRST); // no change
        stream("taken", ONE, ShareTurn.NEVER);
        assertThat(gaveWay).containsExactly("comes first");
        first.close();
        stream("taken", ONE, ShareTurn.NEVER);
        assertThat(gaveWay).containsExactly("comes first", "comes second");
        second.close();
        assertRefused(() -> stream("taken", ONE, ShareTurn.NEVER));
        stream("other", OTHER, ShareTurn.NEVER);
        stream("other", OTHER, ShareTurn.NEVER);
        stream("other", OTHER, ShareTurn.NEVER);
        assertThat(gaveWay).containsExactly("comes first", "comes second", "waits");
    }

    @Test
    @DisplayName("of displaced streams that is still in use is allocated anew, within a limit")
    void leaving() {
        List<StreamMemory.Loan> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(stream("comes", ONE, ShareTurn.FIRST));
        }
        for (int i = 0; i < 3; i++) {
            stream("comes", ONE, ShareTurn.FIRST);
        }
        assertThat(gaveWay).hasSize(3);
        assertThat(memory.made()).isEqualTo(9 * (BLOCK + PAGE));
        assertRefused(() -> stream("comes", ONE, ShareTurn.FIRST));
        all.forEach(StreamMemory.Loan::close);
        stream("comes", ONE, ShareTurn.FIRST);
        assertThat(asked).hasSize(9);
    }

    @Test
    @DisplayName("is reused after zeroing, and unused memory of other lengths is freed")
    void again() {
        List<StreamMemory.Loan> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            StreamMemory.Loan stream = stream("one", ONE, ShareTurn.NEVER);
            stream.takeFree(PAGE).put(PAGE - 1, (byte) 1);
            all.add(stream);
            all.forEach(StreamMemory.Loan::close);
        }
        assertThat(asked).containsExactly(BLOCK + PAGE, 2 * PAGE);
        assertThat(stream("one", ONE, ShareTurn.NEVER).takeFree(PAGE).get(PAGE - 1))
                .isZero();
        all.get(0).close();
        assertThat(memory.join(OTHER, () -> {}).take(6 * BLOCK).capacity()).isEqualTo(6 * BLOCK);
        assertThat(memory.made()).isLessThanOrEqualTo(8 * (BLOCK + PAGE));
    }

    @Test
    @DisplayName("for growth displaces no other stream, and can be counted without a block")
    void free() {
        stream("comes", ONE, ShareTurn.FIRST);
        StreamMemory.Loan stream = stream("one", ONE, ShareTurn.NEVER);
        assertThat(stream.count(4 * (BLOCK + PAGE))).isTrue();
        assertThat(memory.made()).as("counted bytes are included").isEqualTo(6 * (BLOCK + PAGE));
        assertThat(stream.count(1)).isFalse();
        assertRefused(() -> stream.takeFree(1));
        stream.give(4 * (BLOCK + PAGE));
        stream.takeFree(BLOCK);
        assertThat(gaveWay).isEmpty();
        assertThat(stream.count(PAGE)).isTrue();
        stream.close();
        assertThat(stream.count(1)).as("the stream has ended").isFalse();
        stream.give(PAGE);
        assertThat(memory.made()).as("only reusable memory").isEqualTo(3 * (BLOCK + PAGE));
    }

    @Test
    @DisplayName("is available also if a displaced stream fails, and the next one is displaced, too")
    void failing() {
        for (int i = 0; i < 4; i++) {
            StreamMemory.Loan fails = memory.join(ONE, () -> {
                gaveWay.add("fails");
                throw new IllegalStateException("of the test");
            });
            fails.take(BLOCK);
            fails.turn(ShareTurn.FIRST);
        }
        assertThat(memory.join(ONE, () -> {}).take(4 * BLOCK).capacity()).isEqualTo(4 * BLOCK);
        assertThat(gaveWay).hasSizeGreaterThan(1);
    }

    @Test
    @DisplayName("is not requested for 60 s after the JVM had none, but unused memory is available")
    void pause() {
        StreamMemory.Loan before = stream("before", ONE, ShareTurn.NEVER);
        none = true;
        assertRefused(() -> stream("none", ONE, ShareTurn.NEVER));
        none = false;
        before.close();
        stream("again", ONE, ShareTurn.NEVER);
        now += StreamMemory.PAUSE_NANOS - 1;
        assertRefused(() -> stream("none", ONE, ShareTurn.NEVER));
        assertThat(asked).hasSize(2);
        now++;
        stream("there", ONE, ShareTurn.NEVER);
        assertThat(asked).hasSize(3);
        assertThat(memory.used()).isEqualTo(2 * (BLOCK + PAGE));
    }

    @ParameterizedTest
    @CsvSource({
        "-XX:MaxDirectMemorySize=64m, 67108864",
        "-XX:MaxDirectMemorySize=100K, 102400",
        "-XX:MaxDirectMemorySize=2g, 2147483648",
        "-XX:MaxDirectMemorySize=12345, 12345",
        "-XX:MaxDirectMemorySize=0, 77",
        "-Xmx1m, 77"
    })
    @DisplayName("is half of the JVM's direct memory limit:")
    void limit(String option, long bytes) {
        assertThat(StreamMemory.DirectMemoryLimit.of(List.of("-ea", option), 77))
                .isEqualTo(bytes);
    }
}
