package dev.jwarp.sockets.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("An end of an rsocket")
class RsocketEngineTest {
    private static final int RING = 1024;

    private RsocketPair pair;
    private RsocketEngine near;
    private RsocketEngine far;

    @BeforeEach
    void connect() throws StreamException {
        pair = RsocketPair.connected(RING, 4096);
        near = pair.near.engine;
        far = pair.far.engine;
        pair.settle();
    }

    private static ByteBuffer text(String words) {
        return ByteBuffer.wrap(words.getBytes(US_ASCII));
    }

    private static String read(RsocketEngine end) throws IOException {
        ByteBuffer data = ByteBuffer.allocate(4 * RING);
        int count = end.read(data);
        return count < 0 ? "end" : new String(data.array(), 0, data.position(), US_ASCII);
    }

    @Test
    @DisplayName("accepts as many bytes as both places of the peer have room for, and more when one is read")
    void halves() throws IOException {
        ByteBuffer data = ByteBuffer.allocate(2 * RING);
        assertThat(near.write(data)).isEqualTo(RING);
        pair.settle();
        assertThat(near.writable()).isFalse();

        far.read(ByteBuffer.allocate(RING / 2 - 1));
        pair.settle();
        assertThat(near.writable()).isFalse();

        far.read(ByteBuffer.allocate(1));
        pair.settle();
        assertThat(near.write(data)).isEqualTo(RING / 2);
    }

    @Test
    @DisplayName("combines writes with announced followers in one message, until a write without one or a flush")
    void moreFollows() throws IOException {
        near.moreFollows();
        near.write(text("a loop "));
        near.moreFollows();
        near.write(text("copies "));
        pair.settle();
        assertThat(near.waits()).isTrue();
        assertThat(far.unread()).isZero();

        near.write(text("bytes"));
        assertThat(near.waits()).isFalse();
        assertThat(pair.near.waiting()).as("an RDMA Write and its word").isEqualTo(2);
        pair.settle();
        assertThat(read(far)).isEqualTo("a loop copies bytes");

        near.moreFollows();
        near.write(text("and"));
        near.flush();
        pair.settle();
        assertThat(read(far)).isEqualTo("and");
    }

    @Test
    @DisplayName("sends a write at once after an announced write that is sent without a copy")
    void moreAfterGather() throws IOException {
        near.moreFollows();
        ByteBuffer data = text("gathered");
        pair.near.gathered = data.duplicate();
        assertThat(near.gather(data)).isEqualTo(8);
        pair.settle();
        near.write(text(" and more"));
        assertThat(near.waits()).isFalse();
        pair.settle();
        assertThat(read(far)).isEqualTo("gathered and more");
    }

    @Test
    @DisplayName("sends waiting bytes when combining is turned off, and when its program reads")
    void nothingWaits() throws IOException {
        near.moreFollows();
        near.write(text("no more waits"));
        near.combine(true);
        assertThat(near.waits()).isTrue();
        near.combine(false);
        pair.settle();
        assertThat(read(far)).isEqualTo("no more waits");

        near.moreFollows();
        near.write(text("a question"));
        assertThat(read(near)).isEmpty();
        pair.settle();
        assertThat(read(far)).isEqualTo("a question");
    }

    @Test
    @DisplayName("sends waiting bytes when a place is full, and before its end")
    void moreThatEnds() throws IOException {
        near.moreFollows();
        near.write(ByteBuffer.allocate(RING / 2 + 1));
        pair.settle();
        assertThat(far.unread()).isEqualTo(RING / 2);

        near.shutdownOutput();
        pair.settle();
        assertThat(far.unread()).isEqualTo(RING / 2 + 1);
    }

    @Test
    @DisplayName("sends waiting bytes before it is closed")
    void moreThatIsClosed() throws IOException {
        near.moreFollows();
        near.write(text("all"));
        assertThat(near.allGone()).isFalse();
        near.close();
        pair.settle();
        assertThat(read(far)).isEqualTo("all");
    }

    @Test
    @DisplayName(
            "grants larger places, up to the maximum, when the peer had filled all memory and the program had read everything")
    void growth() throws IOException {
        RsocketPair growing = RsocketPair.connected(RING, 2 * RING, 16 * RING);
        growing.settle();
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            taken.add(growing.near.engine.write(ByteBuffer.allocate(8 * RING)));
            growing.settle();
            assertThat(growing.near.engine.writable()).as("writable").isFalse();
            growing.far.engine.read(ByteBuffer.allocate(8 * RING));
            growing.settle();
        }
        assertThat(taken).containsExactly(RING, 2 * RING, 4 * RING, 4 * RING, 4 * RING, 4 * RING);
    }

    @Test
    @DisplayName("requests larger places again after a failure, when memory is short again, and then grows")
    void laterMore() throws IOException {
        RsocketPair growing = RsocketPair.connected(RING, 2 * RING, 16 * RING);
        growing.settle();
        growing.far.noMore = true;
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            growing.far.noMore = i < 3;
            taken.add(growing.near.engine.write(ByteBuffer.allocate(8 * RING)));
            growing.settle();
            growing.far.engine.read(ByteBuffer.allocate(8 * RING));
            growing.settle();
        }
        assertThat(growing.far.asked).isGreaterThan(3);
        assertThat(taken).startsWith(RING, RING, RING).endsWith(4 * RING, 4 * RING);
    }

    @Test
    @DisplayName("grants no larger places while its program reads slowly")
    void slowReader() throws IOException {
        RsocketPair growing = RsocketPair.connected(RING, 2 * RING, 16 * RING);
        growing.settle();
        for (int i = 0; i < 20; i++) {
            growing.near.engine.write(ByteBuffer.allocate(8 * RING));
            growing.settle();
            growing.far.engine.read(ByteBuffer.allocate(RING / 2));
            growing.settle();
        }
        assertThat(growing.far.engine.unread()).isLessThanOrEqualTo(RING);
        assertThat(growing.far.places.values())
                .extracting(RsocketWire.Place::length)
                .containsOnly(RING / 2);
    }

    @Test
    @DisplayName("uses all credits except the reserved ones, and continues when half of them are read")
    void credits() throws IOException {
        for (int i = 0; i < RsocketPair.CREDITS / 2; i++) {
            assertThat(near.write(text("m"))).isOne();
            pair.settle();
        }
        assertThat(near.write(text("m"))).isZero();

        far.read(ByteBuffer.allocate(RsocketPair.CREDITS / 2));
        pair.settle();

        assertThat(near.write(text("m"))).isOne();
    }

    @Test
    @DisplayName("reserves credits for control words, because librdmacm posts no more receives than it grants credits")
    void receivesForWords() throws IOException {
        for (int i = 0; i < RsocketPair.CREDITS / 2; i++) {
            far.write(text("m"));
            pair.settle();
        }
        read(near);
        assertThat(pair.near.waiting()).as("a word with credits").isOne();

        while (near.write(text("m")) == 1) {
            while (pair.near.deliver() && pair.near.complete()) {}
        }
        while (pair.near.deliver()) {}

        assertThat(pair.far.notPolled()).isBetween(2, RsocketPair.CREDITS);
    }

    @Test
    @DisplayName("posts no more requests than its queue pair accepts")
    void slots() throws IOException {
        int taken = 0;
        for (int i = 0; i < RsocketPair.CREDITS; i++) {
            taken += near.write(text("m"));
            while (pair.near.deliver()) {
                pair.far.poll();
            }
        }
        assertThat(taken).isEqualTo((RsocketPair.End.SLOTS - 4) / 2);

        assertThat(pair.near.complete()).isTrue();
        assertThat(near.write(text("m"))).isOne();
    }

    @Test
    @DisplayName("sends the word for its end when earlier control words have completed")
    void controls() throws IOException {
        RsocketPair fresh = allControlsUnderWay();

        fresh.far.engine.shutdownOutput();
        assertThat(fresh.far.waiting()).isZero();
        fresh.far.complete();
        assertThat(fresh.far.waiting()).isOne();
    }

    @Test
    @DisplayName("sends the word for its end, too, if that of its peer arrived before")
    void crossed() throws IOException {
        RsocketPair fresh = allControlsUnderWay();
        fresh.far.engine.shutdownOutput();
        fresh.near.engine.shutdownOutput();
        while (fresh.near.deliver()) {
            fresh.far.poll();
        }
        assertThat(read(fresh.far.engine)).isEqualTo("end");
        assertThat(fresh.far.engine.finished()).isFalse();

        fresh.settle();

        assertThat(read(fresh.near.engine)).isEqualTo("end");
        assertThat(fresh.near.engine.finished()).isTrue();
        assertThat(fresh.far.engine.finished()).isTrue();
    }

    /** A pair whose far end has the maximum of outstanding control words. */
    private static RsocketPair allControlsUnderWay() throws IOException {
        RsocketPair fresh = RsocketPair.connected(RING, 4096);
        fresh.near.engine.write(ByteBuffer.allocate(RING / 2));
        while (fresh.near.deliver()) {
            fresh.far.poll();
        }
        fresh.far.engine.read(ByteBuffer.allocate(RING / 2));
        while (fresh.far.deliver()) {
            fresh.near.poll();
        }
        return fresh;
    }

    @Nested
    @DisplayName("lets its peer write to memory by offsets")
    class Maps {
        @BeforeEach
        void tell() throws IOException {
            assertThat(near.tell(1, 1000, RsocketPair.End.SHARED, RsocketPair.End.SHARED_KEY, 256))
                    .isTrue();
            pair.settle();
        }

        @Test
        @DisplayName("at offsets of the peer's choice, without a word")
        void write() throws IOException {
            assertThat(far.writeAt(1010, text("there"))).isEqualTo(5);
            pair.settle();

            assertThat(US_ASCII.decode(pair.near.shared.slice(10, 5)).toString())
                    .isEqualTo("there");
            assertThat(near.readable()).isFalse();
        }

        @Test
        @DisplayName("after bytes that were written to the stream before, also if these wait for further bytes")
        void behindTheStream() throws IOException {
            far.moreFollows();
            far.write(text("before"));
            far.writeAt(1010, text("behind"));
            while (pair.near.shared.get(10) == 0) {
                assertThat(pair.far.deliver()).isTrue();
            }
            pair.near.poll();
            assertThat(read(near)).isEqualTo("before");
        }

        @Test
        @DisplayName("only within the announced memory")
        void bounds() throws IOException {
            assertThatThrownBy(() -> far.writeAt(999, text("x")))
                    .hasMessage("the peer has shared no memory at offset 999");
            assertThatThrownBy(() -> far.writeAt(1256, text("x")))
                    .hasMessage("the peer has shared no memory at offset 1256");
            assertThat(far.writeAt(1250, text("beyond the end"))).isEqualTo(6);
            assertThatThrownBy(() -> near.tell(2, 0, 0, 0, 1))
                    .hasMessage("the peer has 2 entries, and none with number 2");
        }

        @Test
        @DisplayName("as often as there is room, and the credit for the announcement is returned")
        void often() throws IOException {
            for (int i = 0; i < 1000; i++) {
                assertThat(near.tell(0, i, RsocketPair.End.SHARED, RsocketPair.End.SHARED_KEY, 256))
                        .isTrue();
                pair.settle();
                assertThat(far.writeAt(i, ByteBuffer.allocate(256))).isEqualTo(256);
                pair.settle();
            }
            assertThat(far.write(text("data"))).isEqualTo(4);
            pair.settle();
            assertThat(read(near)).isEqualTo("data");
        }

        @Test
        @DisplayName("by the last announcement, whatever the peer writes into the table meanwhile")
        void snapshot() throws IOException {
            near.tell(1, 5000, RsocketPair.End.SHARED, RsocketPair.End.SHARED_KEY, 256);
            pair.near.deliver(); // the entry is written, but not announced by a word
            assertThat(far.writeAt(1000, text("old"))).isEqualTo(3);
            pair.settle();
            assertThat(far.writeAt(5000, text("new"))).isEqualTo(3);
        }
    }

    @Nested
    @DisplayName("closes:")
    class Ends {
        @Test
        @DisplayName("its output: the peer reads the received data, then the end, and can still write")
        void half() throws IOException {
            near.write(text("last"));
            near.shutdownOutput();
            pair.settle();

            assertThat(read(far)).isEqualTo("last");
            assertThat(read(far)).isEqualTo("end");
            far.write(text("answer"));
            pair.settle();
            assertThat(read(near)).isEqualTo("answer");
            assertThat(near.finished()).isFalse();
            assertThatThrownBy(() -> near.write(text("more"))).isInstanceOf(AsynchronousCloseException.class);

            far.shutdownOutput();
            pair.settle();
            assertThat(read(near)).isEqualTo("end");
            assertThat(near.finished()).isTrue();
            assertThat(far.finished()).isTrue();
        }

        @Test
        @DisplayName("both directions: the peer reads the received data, and can no longer write")
        void whole() throws IOException {
            near.write(text("last"));
            near.close();
            pair.settle();

            assertThat(near.finished()).isTrue();
            assertThat(near.peerClosed()).isFalse();
            assertThat(far.finished()).isTrue();
            assertThat(far.peerClosed()).isTrue();
            assertThat(read(far)).isEqualTo("last");
            assertThat(read(far)).isEqualTo("end");
            assertThatThrownBy(() -> far.write(text("more")))
                    .hasMessage("Broken pipe: the peer has closed the connection");
        }

        @Test
        @DisplayName("at both ends at the same time")
        void both() throws IOException {
            near.close();
            far.close();
            pair.settle();

            assertThat(near.finished() && near.peerClosed()).isTrue();
            assertThat(far.finished() && far.peerClosed()).isTrue();
        }

        @Test
        @DisplayName(
                "not at all, and the connection ends in order: the stream ends after the received data, as on TCP, and nothing can be sent")
        void none() throws IOException {
            near.write(text("last"));
            pair.settle();
            far.onBroken();
            assertThat(read(far)).isEqualTo("last");
            assertThat(far.readable()).as("the reason of the end is known").isFalse();
            assertThat(far.read(ByteBuffer.allocate(1))).isZero();
            assertThatThrownBy(() -> far.write(text("more")))
                    .hasMessage("Broken pipe: the peer has closed the connection");

            far.onEnded(true);
            assertThat(far.readable()).isTrue();
            assertThat(read(far)).isEqualTo("end");
            assertThatThrownBy(() -> far.write(text("more"))).isInstanceOf(StreamException.class);
        }

        @Test
        @DisplayName("not at all, and the connection fails: the received data are read, then an exception follows")
        void broken() throws IOException {
            near.write(text("last"));
            pair.settle();
            far.onEnded(false);

            assertThat(read(far)).isEqualTo("last");
            assertThatThrownBy(() -> read(far))
                    .isInstanceOf(StreamException.class)
                    .hasMessage(
                            "Connection reset: the peer ended the connection without closing the stream: 4 bytes are left to be read");
        }

        @Test
        @DisplayName("its input: later data are discarded")
        void input() throws IOException {
            far.shutdownInput();
            near.write(text("unheard"));
            pair.settle();

            assertThat(read(far)).isEqualTo("end");
            assertThat(far.write(text("heard"))).isEqualTo(5);
        }
    }

    @ParameterizedTest(name = "{5}")
    @CsvSource({
        "0x01, 0x04, 0, 0, ROOM_EXCEEDED, 'the peer announced more bytes than it had room for: 1025 bytes, and there was room for 1024'",
        "0xff, 0xff, 0xff, 0x1f, ROOM_EXCEEDED, 'the peer announced more bytes than it had room for: 536870911 bytes, and there was room for 1024'",
        "1, 0, 0, 0x20, WORD_UNKNOWN, 'the peer sent an unknown rsocket word: 0x20000001'",
        "1, 0, 0, 0x40, WORD_UNKNOWN, 'the peer sent an unknown rsocket word: 0x40000001'",
        "2, 0, 0, 0xc0, WORD_UNKNOWN, 'the peer sent an unknown rsocket word: 0xc0000002'",
        "3, 0, 0, 0xe0, WORD_UNKNOWN, 'the peer sent an unknown rsocket word: 0xe0000003'",
    })
    @DisplayName("fails with a reason after an invalid word:")
    void lies(int a, int b, int c, int d, PeerFault fault, String sentence) {
        pair.near.forge(a, b, c, d);

        assertFails(fault, sentence);
    }

    private void assertFails(PeerFault fault, String sentence) {
        assertThat(far.finished()).isTrue();
        assertThat(far.readable()).isTrue();
        assertThat(far.writable()).isTrue();
        assertThatThrownBy(() -> read(far))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.fault()).isEqualTo(fault))
                .hasMessage("Connection reset: " + sentence);
        assertThatThrownBy(() -> far.write(text("more"))).hasMessage("Connection reset: " + sentence);
    }

    @Test
    @DisplayName("fails if its peer sends a message with another length than a word")
    void lengths() {
        pair.near.forge(0, 0, 0);

        assertFails(
                PeerFault.WORD_LENGTH,
                "the peer sent a message that is not an rsocket word: 3 bytes, and a word has 4");
    }

    @Test
    @DisplayName("fails if its peer sends more messages than it has credits for")
    void tooMany() throws IOException {
        for (int i = 0; i <= RsocketPair.CREDITS; i++) {
            pair.near.forge(1, 0, 0, 0);
        }

        assertThat(read(far)).hasSize(RsocketPair.CREDITS);
        assertFails(
                PeerFault.CREDITS_EXCEEDED,
                "the peer sent more messages than it has credits for: one more than the 8 that were not read yet");
    }

    @Test
    @DisplayName("fails if its peer sends data after its end")
    void afterEnd() {
        pair.near.forge(2, 0, 0, 0xe0);
        pair.near.forge(1, 0, 0, 0);

        assertFails(PeerFault.DATA_AFTER_END, "the peer sent data after the end of the stream: 1 bytes");
    }

    @Test
    @DisplayName("keeps words that arrive before the peer's record")
    void early() throws IOException {
        RsocketPair fresh = new RsocketPair(RING, 4096);
        fresh.near.engine.connected(ByteBuffer.wrap(fresh.far.engine.record()));
        fresh.near.engine.write(text("early"));
        fresh.near.engine.close();
        while (fresh.near.deliver()) {
            fresh.far.poll();
        }
        assertThat(fresh.far.engine.readable()).isFalse();

        fresh.far.engine.connected(ByteBuffer.wrap(fresh.near.engine.record()));

        assertThat(read(fresh.far.engine)).isEqualTo("early");
        assertThat(read(fresh.far.engine)).isEqualTo("end");
    }

    @Test
    @DisplayName("keeps at most as many of them as it has receive buffers")
    void tooManyEarly() {
        RsocketPair fresh = new RsocketPair(RING, 4096);
        for (int i = 0; i < RsocketPair.CREDITS + RsocketEngine.SPARE_RECEIVES; i++) {
            fresh.near.forge(1, 0, 0, 0xe0);
        }
        assertThat(fresh.far.engine.finished()).isFalse();

        fresh.near.forge(1, 0, 0, 0xe0);

        assertThatThrownBy(() -> read(fresh.far.engine))
                .hasMessage(
                        "Connection reset: the peer sent more messages than it has credits for: one more than the 16 words that wait for its record");
    }

    @Test
    @DisplayName("sends the word for its end once there is a connection, if it was closed before")
    void endsEarly() throws IOException {
        RsocketPair fresh = new RsocketPair(RING, 4096);
        fresh.near.engine.shutdownOutput();
        assertThat(fresh.near.waiting()).isZero();

        fresh.near.engine.connected(ByteBuffer.wrap(fresh.far.engine.record()));
        fresh.far.engine.connected(ByteBuffer.wrap(fresh.near.engine.record()));
        fresh.settle();

        assertThat(read(fresh.far.engine)).isEqualTo("end");
    }

    @Test
    @DisplayName("sends nothing before there is a connection")
    void neverConnected() {
        RsocketPair fresh = new RsocketPair(RING, 4096);
        fresh.near.engine.close();

        assertThat(fresh.near.engine.finished()).isTrue();
        assertThat(fresh.near.waiting()).isZero();
    }

    @Test
    @DisplayName("ignores a keep-alive")
    void keepAlive() {
        pair.near.forge(1, 0, 0, 0xe0);

        assertThat(far.readable()).isFalse();
        assertThat(far.finished()).isFalse();
    }
}
