package dev.jwarp.sockets.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("An end of a credit stream")
class CreditEngineTest {
    private static final int CREDITS = 8;
    private static final int BUFFER = 108;
    private static final int MOST = BUFFER - CreditEngine.HEADER;

    private CreditPair pair;
    private CreditEngine near;
    private CreditEngine far;

    @BeforeEach
    void connect() throws StreamException {
        pair = CreditPair.connected(CREDITS, BUFFER, 4096);
        near = pair.near.engine;
        far = pair.far.engine;
        pair.settle();
        pair.near.said.clear();
        pair.far.said.clear();
    }

    private static ByteBuffer text(String words) {
        return ByteBuffer.wrap(words.getBytes(US_ASCII));
    }

    private static String read(CreditEngine end) throws IOException {
        ByteBuffer data = ByteBuffer.allocate(4096);
        int count = end.read(data);
        return count < 0 ? "end" : new String(data.array(), 0, data.position(), US_ASCII);
    }

    private static List<String> said(CreditPair.End end) {
        return end.said.stream().map(HexFormat.of()::formatHex).toList();
    }

    @Test
    @DisplayName("sends a message at once, because the accepting end may not send first")
    void greeting() throws StreamException {
        CreditPair fresh = new CreditPair(CREDITS, BUFFER, 4096);
        fresh.near.engine.connected(ByteBuffer.wrap(fresh.far.engine.record()));
        assertThat(said(fresh.near)).containsExactly("0200000000000000");
    }

    @Test
    @DisplayName("puts a header before its data, and returns credits in it")
    void layout() throws IOException {
        near.write(text("hello"));
        pair.settle();
        assertThat(read(far)).isEqualTo("hello");
        far.write(text("hi"));

        assertThat(said(pair.near)).containsExactly("0100000100000005" + "68656c6c6f");
        assertThat(said(pair.far)).containsExactly("0100000200000002" + "6869");
    }

    @Test
    @DisplayName("uses all but one of its credits, and fills one more message")
    void credits() throws IOException {
        assertThat(near.write(ByteBuffer.allocate(20 * MOST))).isEqualTo((CREDITS - 2) * MOST + MOST);
        assertThat(pair.near.waiting()).as("the first GRANT has used one").isEqualTo(CREDITS - 2);
        assertThat(near.writable()).isFalse();

        pair.settle();
        assertThat(far.unread()).isEqualTo((CREDITS - 2) * MOST);
    }

    @Test
    @DisplayName("returns credits in a message of its own when half of them are free")
    void half() throws IOException {
        near.write(ByteBuffer.allocate(20 * MOST));
        pair.settle();
        far.read(ByteBuffer.allocate(CREDITS / 2 * MOST - 1));
        assertThat(pair.far.waiting()).isZero();

        far.read(ByteBuffer.allocate(1));

        assertThat(said(pair.far)).containsExactly("0200000500000000");
        pair.settle();
        assertThat(near.writable()).isTrue();
    }

    @Test
    @DisplayName("gets credits of its peer when both have used theirs and read only then")
    void bothFirst() throws IOException {
        for (int i = 0; i < 100; i++) {
            while (near.writable() || far.writable()) {
                near.write(ByteBuffer.allocate(20 * MOST));
                far.write(ByteBuffer.allocate(20 * MOST));
                pair.settle();
            }
            while (near.read(ByteBuffer.allocate(MOST)) > 0 || far.read(ByteBuffer.allocate(MOST)) > 0) {}
            pair.settle();
            assertThat(near.writable() && far.writable()).isTrue();
        }
    }

    @Test
    @DisplayName("combines writes that wait for credits into one message")
    void gathers() throws IOException {
        near.write(ByteBuffer.allocate((CREDITS - 2) * MOST));
        near.write(text("one "));
        near.write(text("two"));
        pair.settle();
        far.read(ByteBuffer.allocate((CREDITS - 2) * MOST));
        pair.settle();

        assertThat(read(far)).isEqualTo("one two");
        assertThat(pair.near.said).hasSize(CREDITS - 1);
    }

    @Test
    @DisplayName("sends full messages without a copy, and holds back other writes meanwhile")
    void inPlace() throws IOException {
        ByteBuffer data = ByteBuffer.allocate(3 * MOST - 1).put(MOST, (byte) 7);
        pair.near.gathered = data.duplicate();
        assertThat(near.gather(data)).isEqualTo(2 * MOST);
        assertThat(near.borrowed()).isTrue();
        assertThat(near.writable()).isFalse();
        assertThat(near.write(data)).isEqualTo(MOST - 1);

        pair.settle();
        assertThat(near.borrowed()).isFalse();
        assertThat(near.writable()).isTrue();
        ByteBuffer came = ByteBuffer.allocate(3 * MOST);
        assertThat(far.read(came)).isEqualTo(3 * MOST - 1);
        assertThat(came.get(MOST)).isEqualTo((byte) 7);
    }

    @Test
    @DisplayName("has no borrowed bytes after the end of the connection")
    void borrowedNoMore() throws IOException {
        ByteBuffer data = ByteBuffer.allocate(MOST);
        pair.near.gathered = data.duplicate();
        near.gather(data);
        near.onEnded(false);
        assertThat(near.borrowed()).isFalse();
        assertThat(near.writable()).isTrue();
    }

    @Nested
    @DisplayName("combines small writes, if it is set to,")
    class Combining {
        @BeforeEach
        void combine() {
            near.combine(true);
        }

        @Test
        @DisplayName("until its time-out")
        void time() throws IOException {
            near.write(text("a"));
            near.write(text("b"));
            assertThat(near.waits()).isTrue();
            assertThat(pair.near.waiting()).isZero();

            near.flush();
            assertThat(near.waits()).isFalse();
            pair.settle();
            assertThat(read(far)).isEqualTo("ab");
            assertThat(pair.near.said).hasSize(1);
        }

        @Test
        @DisplayName("until the message is full")
        void full() throws IOException {
            near.write(ByteBuffer.allocate(MOST - 1));
            assertThat(pair.near.waiting()).isZero();
            near.write(text("ab"));
            assertThat(pair.near.waiting()).isOne();
            assertThat(near.waits()).isTrue();
        }

        @Test
        @DisplayName("until a large write comes")
        void large() throws IOException {
            CreditPair wide = CreditPair.connected(CREDITS, 4096, 1 << 16);
            wide.near.engine.combine(true);
            wide.near.engine.write(text("a"));
            assertThat(wide.near.engine.waits()).isTrue();
            wide.near.engine.write(ByteBuffer.allocate(1024));
            assertThat(wide.near.engine.waits()).isFalse();
        }

        @Test
        @DisplayName("until the program reads")
        void reads() throws IOException {
            near.write(text("a"));
            near.read(ByteBuffer.allocate(1));
            assertThat(pair.near.waiting()).isOne();
        }

        @Test
        @DisplayName("until the program closes, or ends its output")
        void closes() throws IOException {
            near.write(text("a"));
            near.shutdownOutput();
            pair.settle();
            assertThat(read(far)).isEqualTo("a");
            assertThat(read(far)).isEqualTo("end");
        }

        @Test
        @DisplayName("until this is turned off")
        void off() throws IOException {
            near.write(text("a"));
            near.combine(false);
            assertThat(pair.near.waiting()).isOne();
        }
    }

    @Nested
    @DisplayName("closes:")
    class Ends {
        @Test
        @DisplayName("its output: the peer reads the received data, then the end, acknowledges it, and can still write")
        void half() throws IOException {
            near.write(text("last"));
            near.shutdownOutput();
            pair.settle();

            assertThat(said(pair.near)).endsWith("0300000100000000");
            assertThat(said(pair.far)).containsExactly("0400000100000000");
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
            assertThat(near.finished() && far.finished()).isTrue();
        }

        @Test
        @DisplayName("both directions: the peer reads the received data, and can no longer write")
        void whole() throws IOException {
            near.write(text("last"));
            near.close();
            assertThat(said(pair.near)).endsWith("0301000100000000");
            assertThat(near.finished()).isFalse();
            pair.settle();

            assertThat(near.finished() && near.peerClosed()).isTrue();
            assertThat(far.finished() && far.peerClosed()).isTrue();
            assertThat(read(far)).isEqualTo("last");
            assertThat(read(far)).isEqualTo("end");
            assertThatThrownBy(() -> far.write(text("more")))
                    .hasMessage("Broken pipe: the peer has closed the connection");
        }

        @Test
        @DisplayName("its output, and then both directions: data that arrive meanwhile are discarded")
        void halfThenWhole() throws IOException {
            near.shutdownOutput();
            pair.settle();
            far.write(text("unheard"));
            near.close();
            pair.settle();

            assertThat(near.finished() && far.finished()).isTrue();
            assertThat(read(far)).isEqualTo("end");
            assertThatThrownBy(() -> far.write(text("more")))
                    .hasMessage("Broken pipe: the peer has closed the connection");
        }

        @Test
        @DisplayName("after data that wait for credits")
        void behindData() throws IOException {
            near.write(ByteBuffer.allocate(20 * MOST));
            near.close();
            pair.settle();
            assertThat(far.unread()).isEqualTo((CREDITS - 2) * MOST);

            far.read(ByteBuffer.allocate(CREDITS * MOST));
            pair.settle();

            assertThat(far.read(ByteBuffer.allocate(CREDITS * MOST))).isEqualTo(MOST);
            assertThat(read(far)).isEqualTo("end");
            assertThat(near.finished()).isTrue();
        }

        @Test
        @DisplayName("at both ends at the same time, each after data that wait for the other's credits")
        void bothBehindData() throws IOException {
            while (near.writable() || far.writable()) {
                near.write(ByteBuffer.allocate(20 * MOST));
                far.write(ByteBuffer.allocate(20 * MOST));
                pair.settle();
            }
            near.close();
            far.close();
            assertThat(said(pair.near)).as("a FIN").noneMatch(message -> message.startsWith("03"));
            pair.settle();
            assertThat(near.finished() && far.finished()).isTrue();
            assertThat(near.failed() || far.failed()).isFalse();
        }

        @Test
        @DisplayName("with all credits used, because a FIN needs none")
        void withoutCredits() throws IOException {
            near.write(ByteBuffer.allocate((CREDITS - 2) * MOST));
            near.close();
            pair.settle();
            assertThat(near.finished() && far.finished()).isTrue();
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
        @DisplayName("its output, and the connection ends: all expected data have arrived")
        void endedHalf() throws IOException {
            near.write(text("last"));
            near.shutdownOutput();
            pair.settle();
            far.onEnded(false);

            assertThat(read(far)).isEqualTo("last");
            assertThat(read(far)).isEqualTo("end");
            assertThatThrownBy(() -> far.write(text("more"))).isInstanceOf(StreamException.class);
        }

        @Test
        @DisplayName("its input: later data are discarded, and the peer can continue")
        void input() throws IOException {
            far.shutdownInput();
            for (int i = 0; i < 10; i++) {
                assertThat(near.write(ByteBuffer.allocate(CREDITS * MOST))).isPositive();
                pair.settle();
            }
            assertThat(read(far)).isEqualTo("end");
            assertThat(far.write(text("heard"))).isEqualTo(5);
        }

        @Test
        @DisplayName("before there is a connection: nothing is sent")
        void neverConnected() {
            CreditPair fresh = new CreditPair(CREDITS, BUFFER, 4096);
            fresh.near.engine.close();
            assertThat(fresh.near.engine.finished()).isTrue();
            assertThat(fresh.near.waiting()).isZero();
        }
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(delimiter = '|', textBlock = """
        01000000000000     | MESSAGE_LENGTH  | the peer sent a message of invalid length: 7 bytes, and a header has 8
        0100000000000002aa | MESSAGE_LENGTH  | the peer sent a message of invalid length: 9 bytes, and its header says 8 and 2
        01000000ffffffffaa | MESSAGE_LENGTH  | the peer sent a message of invalid length: 9 bytes, and its header says 8 and 4294967295
        0100000000000000   | MESSAGE_LENGTH  | the peer sent a message of invalid length: 0 bytes of data in kind 1
        0200000000000001aa | MESSAGE_LENGTH  | the peer sent a message of invalid length: 1 bytes of data in kind 2
        0000000000000000   | MESSAGE_UNKNOWN | the peer sent an unknown message: kind 0, flags 0x0
        0500000000000000   | MESSAGE_UNKNOWN | the peer sent an unknown message: kind 5, flags 0x0
        0302000000000000   | MESSAGE_UNKNOWN | the peer sent an unknown message: kind 3, flags 0x2
        0101000000000001aa | MESSAGE_UNKNOWN | the peer sent an unknown message: kind 1, flags 0x1
        0200000200000000   | GRANT_EXCEEDED  | the peer returned more credits than it was sent messages: 2, and 1 are outstanding
        0200ffff00000000   | GRANT_EXCEEDED  | the peer returned more credits than it was sent messages: 65535, and 1 are outstanding
        0400000000000000   | END_REPEATED    | the peer repeated a FIN, or acknowledged one that was not sent: a FIN-ACK
        """)
    @DisplayName("fails with a reason after an invalid message:")
    void lies(String octets, PeerFault fault, String sentence) {
        pair.near.forge(HexFormat.of().parseHex(octets));

        assertFails(fault, sentence);
    }

    private void assertFails(PeerFault fault, String sentence) {
        assertThat(far.finished()).isTrue();
        assertThat(far.readable() && far.writable()).isTrue();
        assertThatThrownBy(() -> read(far))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.fault()).isEqualTo(fault))
                .hasMessage("Connection reset: " + sentence);
        assertThatThrownBy(() -> far.write(text("more"))).hasMessage("Connection reset: " + sentence);
    }

    private void forge(String octets) {
        pair.near.forge(HexFormat.of().parseHex(octets));
    }

    @Test
    @DisplayName("fails if its peer sends more messages than it has credits for")
    void tooMany() throws IOException {
        for (int i = 0; i < CREDITS; i++) {
            forge("010000000000000161");
        }
        assertThat(read(far)).hasSize(CREDITS - 1);
        assertFails(
                PeerFault.CREDITS_EXCEEDED,
                "the peer sent more messages than it has credits for: one more than its " + CREDITS);
    }

    @Test
    @DisplayName("fails if its peer sends data after its FIN, or the FIN again")
    void afterEnd() {
        forge("0300000000000000");
        forge("010000000000000161");
        assertThat(far.failed()).isTrue();
        assertThatThrownBy(() -> far.write(text("more")))
                .hasMessage("Connection reset: the peer sent data after the end of the stream: 1 bytes");
    }

    @Test
    @DisplayName("returns no data that overtake an unread offer of its peer")
    void outOfTurn() throws IOException {
        pair = CreditPair.direct(8, 108, 1024);
        pair.near.engine.write(text("before"));
        assertThat(pair.near.lendOutput(ByteBuffer.allocate(50))).isTrue();
        deliverAndPoll(pair.near, pair.far);
        forge("010000000000000161");

        ByteBuffer into = ByteBuffer.allocate(100);
        assertThat(pair.far.engine.read(into)).isEqualTo(6);
        assertThatThrownBy(() -> pair.far.engine.read(into))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.fault()).isEqualTo(PeerFault.TURN_WRONG));
    }

    @Test
    @DisplayName("moves no data to lent memory after a fault of its peer")
    void lendsNothingAfterFault() throws IOException {
        pair = CreditPair.direct(8, 108, 1024);
        assertThat(pair.near.lendOutput(ByteBuffer.allocate(2 * CreditPair.STAGE)))
                .isTrue();
        while (pair.far.engine.unread() == 0) {
            deliverAndPoll(pair.near, pair.far);
            deliverAndPoll(pair.far, pair.near);
        }
        forge("ff00000000000000");

        int before = pair.far.fetches;
        assertThat(pair.far.readOrLend(ByteBuffer.allocate(1_000))).isEqualTo(CreditPair.STAGE);
        assertThat(pair.far.lent()).isFalse();
        assertThat(pair.far.fetches).isEqualTo(before);
    }

    /** Delivers all messages of one end, and completes them. */
    private static void deliverAndPoll(CreditPair.End from, CreditPair.End to) {
        while (from.deliver() && from.complete()) {
            to.poll();
        }
    }

    @Test
    @DisplayName("fails if its peer repeats its FIN")
    void endAgain() {
        forge("0300000000000000");
        forge("0300000000000000");
        assertThatThrownBy(() -> far.write(text("more")))
                .hasMessage("Connection reset: the peer repeated a FIN, or acknowledged one that was not sent: a FIN");
    }

    @Test
    @DisplayName("accepts data that arrive before the peer's record")
    void early() throws IOException {
        CreditPair fresh = new CreditPair(CREDITS, BUFFER, 4096);
        fresh.near.engine.connected(ByteBuffer.wrap(fresh.far.engine.record()));
        fresh.near.engine.write(text("early"));
        fresh.near.engine.close();
        while (fresh.near.deliver()) {
            fresh.far.poll();
        }
        assertThat(read(fresh.far.engine)).isEqualTo("early");
        assertThat(fresh.far.waiting()).isZero();

        fresh.far.engine.connected(ByteBuffer.wrap(fresh.near.engine.record()));
        fresh.settle();

        assertThat(read(fresh.far.engine)).isEqualTo("end");
        assertThat(fresh.near.engine.finished()).isTrue();
    }

    @Test
    @DisplayName("sends its FIN once there is a connection, if it was closed before")
    void endsEarly() throws IOException {
        CreditPair fresh = new CreditPair(CREDITS, BUFFER, 4096);
        fresh.near.engine.shutdownOutput();
        assertThat(fresh.near.waiting()).isZero();

        fresh.near.engine.connected(ByteBuffer.wrap(fresh.far.engine.record()));
        fresh.far.engine.connected(ByteBuffer.wrap(fresh.near.engine.record()));
        fresh.settle();

        assertThat(read(fresh.far.engine)).isEqualTo("end");
    }

    @Test
    @DisplayName("uses all credits of its peer, which returns them by halves")
    void manyCredits() throws IOException {
        List<Integer> lengths = new ArrayList<>();
        CreditWire wire = new CreditWire() {
            @Override
            public void send(int offset, int length, long id) {
                lengths.add(length);
            }

            @Override
            public void gather(int offset, int from, int length, long id) {}

            @Override
            public void sendCopy(ByteBuffer header, long id) {}

            @Override
            public void free(int slot) {}
        };
        CreditEngine alone = new CreditEngine(
                new CreditEngine.Memory(
                        ByteBuffer.allocate(1000), 4, ByteBuffer.allocate(1000), CreditEngine.LEAST_SLOTS),
                wire,
                null,
                new CreditEngine.Options(false, false, -1));
        alone.connected(ByteBuffer.wrap(new StreamRecord(1, 0, 0, 0xFFFF, 0, 64).bytes()));
        for (int i = 0; i <= 0xFFFF; i++) {
            alone.write(ByteBuffer.allocate(56));
            alone.onSent(i);
        }
        assertThat(lengths).hasSize(0xFFFF - 2); // without the first GRANT and the reserved credit
    }

    @Test
    @DisplayName("sends messages no longer than its peer accepts")
    void sizes() throws IOException {
        CreditPair narrow = new CreditPair(CREDITS, 64, 4096);
        CreditPair wide = new CreditPair(CREDITS, 1000, 4096);
        wide.near.engine.connected(ByteBuffer.wrap(narrow.near.engine.record()));
        wide.near.said.clear();
        wide.near.engine.write(ByteBuffer.allocate(100));
        assertThat(wide.near.said).extracting(one -> one.length).containsExactly(64, 52);
    }

    @Nested
    @DisplayName("whose writes are messages, with zero-copy data if they are large,")
    class Messages {
        private CreditPair messages;

        @BeforeEach
        void connect() throws StreamException {
            messages = CreditPair.connected(
                    new CreditPair(CREDITS, BUFFER, 4096, new CreditEngine.Options(true, true, 10_000)));
            messages.settle();
        }

        @Test
        @DisplayName("continues a partly accepted message; further bytes of the write begin the next message")
        void partsOfMessages() throws IOException {
            messages.near.said.clear();
            near = messages.near.engine;
            near.begin(30);
            near.write(ByteBuffer.allocate(20));
            ByteBuffer more = ByteBuffer.allocate(25);
            near.begin(more.remaining());
            near.write(more);
            near.write(more);
            near.begin(0);
            near.write(ByteBuffer.allocate(5));

            assertThat(said(messages.near))
                    .extracting(one -> one.substring(0, 4) + one.substring(8, 16))
                    .containsExactly("010000000014", "01020000000a", "01020000000f", "010200000005");
        }

        @Test
        @DisplayName("lends no memory to an offer after the end of a message")
        void lendsNothing() throws IOException {
            messages.near.engine.write(text("small"));
            assertThat(messages.near.lendOutput(ByteBuffer.allocate(1000))).isTrue();
            messages.settle();

            assertThat(messages.far.readOrLend(ByteBuffer.allocate(2000))).isEqualTo(5);
            assertThat(messages.far.lent()).isFalse();
            assertThat(messages.far.engine.insideMessage()).isFalse();
        }

        @Test
        @DisplayName(
                "buffers data of its peer while it waits for its peer, each message separately, and frees the memory after the read")
        void keeps() throws IOException {
            for (int i = 0; i < 3; i++) {
                assertThat(messages.near.lendOutput(ByteBuffer.allocate(1000 + i)))
                        .isTrue();
                assertThat(messages.far.lendOutput(ByteBuffer.allocate(1000 + i)))
                        .isTrue();
                messages.settle();
                assertThat(messages.near.outputBack()).isEqualTo(1000 + i);
                assertThat(messages.far.outputBack()).isEqualTo(1000 + i);
            }
            assertThat(messages.near.spares).hasSize(3);
            for (int i = 0; i < 3; i++) {
                assertThat(messages.near.engine.read(ByteBuffer.allocate(5000))).isEqualTo(1000 + i);
            }
            assertThat(messages.near.spares).isEmpty();
        }

        private String read(CreditPair.End end) throws IOException {
            String bytes = CreditEngineTest.read(end.engine);
            return end.engine.insideMessage() ? bytes + "..." : bytes;
        }

        private void bothOffer(int bytes) throws IOException {
            assertThat(messages.near.lendOutput(ByteBuffer.allocate(bytes))).isTrue();
            assertThat(messages.far.lendOutput(ByteBuffer.allocate(bytes))).isTrue();
            messages.settle();
        }

        @Test
        @DisplayName("buffers data of its peer after unread messages, and returns them in order")
        void keepsBehind() throws IOException {
            messages.near.engine.write(text("before"));
            messages.far.engine.write(text("before"));
            messages.settle();
            bothOffer(1000);
            assertThat(messages.near.outputBack()).isEqualTo(1000);
            assertThat(messages.far.outputBack()).isEqualTo(1000);
            messages.near.engine.write(text("after"));
            messages.settle();

            assertThat(read(messages.far)).isEqualTo("before");
            assertThat(read(messages.far)).hasSize(1000);
            assertThat(read(messages.far)).isEqualTo("after");
            assertThat(read(messages.near)).isEqualTo("before");
            assertThat(read(messages.near)).hasSize(1000);
        }

        @Test
        @DisplayName("reports that both ends write, also with unread messages")
        void tellsBehind() throws IOException {
            messages.near.engine.write(text("before"));
            messages.far.engine.write(text("before"));
            messages.settle();
            bothOffer(20_000);
            assertThat(messages.near.engine.direct().bothWriteAt()).isPositive();
        }

        @Test
        @DisplayName("counts buffered data until a piece is completely read")
        void keepsWhole() throws IOException {
            messages.near.engine.write(text("before"));
            messages.far.engine.write(text("before"));
            messages.settle();
            bothOffer(6000);
            assertThat(messages.near.outputBack()).isEqualTo(6000);
            assertThat(messages.far.outputBack()).isEqualTo(6000);
            assertThat(read(messages.near)).isEqualTo("before");
            assertThat(messages.near.engine.read(ByteBuffer.allocate(5999))).isEqualTo(5999);
            bothOffer(6000);
            assertThat(messages.near.spares).hasSize(1);
        }

        @Test
        @DisplayName("buffers few pieces of a peer that offers single bytes")
        void keepsFew() throws IOException {
            messages.near.engine.write(text("before"));
            assertThat(messages.far.lendOutput(ByteBuffer.allocate(20_000))).isTrue();
            messages.near.engine.write(text("before"));
            messages.settle();
            for (int i = 0; i < 20 && !messages.near.lentOutput(); i++) {
                assertThat(messages.near.lendOutput(ByteBuffer.allocate(1))).isTrue();
                messages.settle();
                messages.near.outputBack();
            }
            assertThat(messages.far.spares).hasSizeBetween(1, 10);
        }

        @Test
        @DisplayName("detects whether its own program reads, and whether its peer's does")
        void seesReading() throws IOException {
            bothOffer(2 * DirectData.MOST_OFFERED);
            long at = messages.near.engine.direct().bothWriteAt();
            messages.near.engine.read(ByteBuffer.allocate(1));
            assertThat(messages.near.engine.direct().bothWriteAt()).isPositive().isNotEqualTo(at);

            int count = 0;
            while (count < DirectData.MOST_OFFERED) {
                count += messages.far.engine.read(ByteBuffer.allocate(CreditPair.STAGE));
                messages.settle();
            }
            assertThat(messages.near.outputBack()).isEqualTo(DirectData.MOST_OFFERED);
            assertThat(messages.far.engine.insideMessage()).isTrue();
        }

        @Test
        @DisplayName("keeps the order of a small message and buffered data after it")
        void keepsInOrder() throws IOException {
            for (int i = 1; i <= 3; i++) {
                ByteBuffer large = ByteBuffer.allocate(1000 + i).put(0, (byte) i);
                assertThat(messages.far.lendOutput(large)).isTrue();
                assertThat(messages.near.lendOutput(ByteBuffer.allocate(1000))).isTrue();
                messages.settle();
                assertThat(messages.far.outputBack()).isEqualTo(1000 + i);
                messages.near.outputBack();
                messages.far.engine.write(text("small"));
                messages.settle();
            }
            for (int i = 1; i <= 3; i++) {
                ByteBuffer into = ByteBuffer.allocate(5000);
                assertThat(messages.near.engine.read(into)).isEqualTo(1000 + i);
                assertThat(into.get(0)).isEqualTo((byte) i);
                assertThat(messages.near.engine.read(into)).isEqualTo(5);
            }
            assertThat(messages.near.spares).isEmpty();
        }

        @Test
        @DisplayName("returns buffered data, also of a peer that then violates the protocol")
        void keepsOfLiar() throws IOException {
            bothOffer(1000);
            assertThat(messages.far.outputBack()).isEqualTo(1000);
            assertThat(messages.far.lendOutput(ByteBuffer.allocate(500))).isTrue();
            messages.settle();
            messages.far.forge(HexFormat.of().parseHex("010200010000000161"));

            ByteBuffer into = ByteBuffer.allocate(5000);
            assertThat(messages.near.engine.read(into)).isEqualTo(1000);
            assertThatThrownBy(() -> messages.near.engine.read(into))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.fault()).isEqualTo(PeerFault.TURN_WRONG));
        }

        @Test
        @DisplayName("frees buffered data when its program shuts down the input")
        void keepsNoMore() throws IOException {
            assertThat(messages.near.lendOutput(ByteBuffer.allocate(1000))).isTrue();
            assertThat(messages.far.lendOutput(ByteBuffer.allocate(1000))).isTrue();
            messages.settle();
            assertThat(messages.near.spares).hasSize(1);
            messages.near.engine.shutdownInput();
            assertThat(messages.near.spares).isEmpty();
        }

        @Test
        @DisplayName("reports the position of the stream if the data exceed the limit")
        void tells() throws IOException {
            for (int i = 0; i < 2; i++) {
                assertThat(messages.near.engine.direct().bothWriteAt()).isNegative();
                assertThat(messages.near.lendOutput(ByteBuffer.allocate(6_000))).isTrue();
                assertThat(messages.far.lendOutput(ByteBuffer.allocate(6_000))).isTrue();
                messages.settle();
                messages.near.outputBack();
                messages.far.outputBack();
            }
            assertThat(messages.near.engine.direct().bothWriteAt()).isPositive();
            assertThat(messages.far.engine.direct().bothWriteAt()).isPositive();
        }
    }
}
