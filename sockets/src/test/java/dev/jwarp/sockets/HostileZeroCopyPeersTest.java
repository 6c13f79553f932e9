package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * As HostileCreditPeersTest, with zero-copy data: a peer with invalid messages about memory ends only its own channel,
 * and changes no byte that is not lent to it now.
 */
@DisplayName("Sockets with zero-copy data whose peer")
class HostileZeroCopyPeersTest {
    private static final int LEAST = 1000;
    private static final int LENGTH = 100_000;
    /** Memory of the peer: its word, and its receive and send memory. */
    private static final int WORD = 1024;

    private static final int RESULT = 2048;
    private static final int SOURCE = 3072;
    private static final int NO_KEY = 0x1234_5678;

    private Ends ends;
    private SocketChannel good;
    private SocketChannel goodsPeer;

    @BeforeEach
    void begin() throws IOException {
        ends = new Ends(StreamProtocol.CREDITS, LEAST);
        good = ends.connect();
        goodsPeer = ends.listener.accept();
    }

    @AfterEach
    void othersGoOn() throws Exception {
        try (Ends last = ends) {
            Future<Integer> writer = last.run(() -> good.write(ByteBuffer.allocateDirect(LENGTH)));
            ByteBuffer into = ByteBuffer.allocateDirect(LENGTH);
            while (into.hasRemaining()) {
                assertThat(goodsPeer.read(into)).isPositive();
            }
            assertThat(Patience.get(writer)).isEqualTo(LENGTH);
        }
    }

    /** A peer with zero-copy data: it has a word, and knows the address of the channel's word. */
    private static final class Liar extends VerbsPeer {
        private long address;
        private int key;

        Liar() {
            super(64);
        }

        SocketChannel connected(Ends ends) throws IOException {
            return connected(ends, memory.address() + WORD, memory.rkey());
        }

        SocketChannel connected(Ends ends, long wordAddress, int wordKey) throws IOException {
            ByteBuffer record = ByteBuffer.allocate(40)
                    .putLong(0x4A57_5354_0101_0028L)
                    .putLong(2)
                    .putInt(32 << 16)
                    .putInt(64)
                    .putInt(0)
                    .putInt(wordKey)
                    .putLong(wordAddress);
            CmEvent event = connect(ends.address(), record.array());
            assertThat(event.type()).as(event.sentence()).isEqualTo(CmEventType.ESTABLISHED);
            ByteBuffer told = ByteBuffer.wrap(event.parameters().privateData());
            assertThat(told.getInt(12)).as("offered options").isEqualTo(2);
            key = told.getInt(28);
            address = told.getLong(32);
            send(new byte[] {2, 0, 0, 0, 0, 0, 0, 0
            }); // the accepting end may send nothing before it receives a message
            done();
            return ends.listener.accept();
        }

        void tell(int kind, long word, long position, long at, int withKey, int length) {
            send(ByteBuffer.allocate(40)
                    .putLong(((long) kind << 56) | 32)
                    .putLong(word)
                    .putLong(position)
                    .putLong(at)
                    .putInt(withKey)
                    .putInt(length)
                    .array());
        }

        void swap(long expected, long replacement) {
            pair.postSend(new SendWorkRequest()
                    .compareAndSwap(address, key, expected, replacement)
                    .add(memory, RESULT, 8));
            assertThat(done().opcode()).isEqualTo(WorkCompletionOpcode.COMP_SWAP);
            assertThat(memory.getAtomic(RESULT)).isEqualTo(expected);
        }

        /** Waits for the ASK of the channel, which arrives at the beginning of the peer's memory. */
        ByteBuffer asked() {
            WorkCompletion[] one = WorkCompletion.array(1);
            do {
                assertThat(received.await(one, PATIENCE)).isOne();
            } while (memory.buffer().get(0) != 5);
            return memory.buffer();
        }

        /** Writes to the memory of the ASK, or beyond it. */
        WorkCompletion write(ByteBuffer ask, int offset, int length) {
            pair.postSend(new SendWorkRequest()
                    .rdmaWrite(ask.getLong(24) + offset, ask.getInt(32))
                    .add(memory, SOURCE, length));
            return done();
        }
    }

    private static void fails(Future<Integer> call) {
        assertThatThrownBy(() -> Patience.get(call)).isInstanceOf(IOException.class);
    }

    private Future<Integer> reads(SocketChannel channel, ByteBuffer into) {
        return ends.run(() -> channel.read(into));
    }

    private Future<Integer> writes(SocketChannel channel) {
        return ends.run(() -> channel.write(ByteBuffer.allocateDirect(LENGTH)));
    }

    @Test
    @DisplayName("announces an address without a word")
    void noWord() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends, 4096, NO_KEY)) {
            fails(writes(channel));
        }
    }

    @Test
    @DisplayName("has a word with an invalid value")
    void wrongWord() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.memory.setAtomic(WORD, 3);
            assertThatThrownBy(() -> Patience.get(writes(channel)))
                    .hasMessageContaining("the peer moved bytes or announced memory out of turn: its word is 3");
        }
    }

    @Test
    @DisplayName("sends an ASK for memory that it does not have")
    void noMemory() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.memory.setAtomic(WORD, 5);
            liar.tell(5, 5, 0, 4096, NO_KEY, LENGTH);
            try {
                assertThat(Patience.get(writes(channel))).isEqualTo(LENGTH); // the RDMA Write is sent, like any other
            } catch (IOException e) {
                assertThat(e).isNotNull(); // the liar's device has refused it already
            }
            fails(reads(channel, ByteBuffer.allocate(10)));
        }
    }

    @Test
    @DisplayName("sends an OFFER that contradicts its word")
    void offersOutOfTurn() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.tell(6, 6, 0, liar.memory.address(), liar.memory.rkey(), 100);
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocateDirect(10)))
                    .hasMessageContaining("the peer moved bytes or announced memory out of turn: it offers 100 bytes");
        }
    }

    @Test
    @DisplayName("offers memory that it does not have, or more than it has")
    void offersNothing() throws Exception {
        for (int key : new int[] {NO_KEY, 0}) {
            try (Liar liar = new Liar();
                    SocketChannel channel = liar.connected(ends)) {
                liar.swap(0, 6);
                liar.tell(6, 6, 0, liar.memory.address(), key == 0 ? liar.memory.rkey() : key, 1 << 20);
                fails(reads(channel, ByteBuffer.allocateDirect(LENGTH)));
            }
        }
    }

    @Test
    @DisplayName("sends WRITTEN without having claimed the word")
    void writtenUnclaimed() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            Future<Integer> reader = reads(channel, ByteBuffer.allocateDirect(LENGTH));
            liar.asked();
            liar.send(ByteBuffer.allocate(20)
                    .putLong((7L << 56) | 12)
                    .putLong(11)
                    .putInt(4)
                    .array());
            assertThatThrownBy(() -> Patience.get(reader))
                    .hasMessageContaining("out of turn: it has written 4 bytes with the word b");
        }
    }

    @Test
    @DisplayName("writes beyond the memory of the ASK")
    void writesBeyond() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            ByteBuffer whole = ByteBuffer.allocateDirect(LENGTH);
            Future<Integer> reader = reads(channel, whole.limit(LENGTH - 10));
            ByteBuffer ask = liar.asked();
            liar.memory.buffer().put(SOURCE, (byte) 9);
            liar.write(ask, LENGTH - 10, 1);
            fails(reader);
            assertThat(whole.clear().get(LENGTH - 10)).isZero();
        }
    }

    @Test
    @DisplayName("writes after the program got its memory back")
    void writesLate() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            ByteBuffer into = ByteBuffer.allocateDirect(LENGTH);
            Future<Integer> reader = reads(channel, into);
            ByteBuffer ask = liar.asked();
            liar.send(new byte[] {1, 0, 0, 0, 0, 0, 0, 1, 97});
            assertThat(Patience.get(reader)).isOne();
            into.put(0, (byte) 1);
            liar.memory.buffer().put(SOURCE, (byte) 9);
            liar.write(ask, 0, 1);
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10))).isInstanceOf(IOException.class);
            assertThat(into.get(0)).isOne();
        }
    }

    @Test
    @DisplayName("claims the word and never writes: closing the channel still returns the memory")
    void neverWrites() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            Future<Integer> reader = reads(channel, ByteBuffer.allocateDirect(LENGTH));
            liar.asked();
            liar.swap(5, 11);
            channel.close();
            assertThatThrownBy(() -> Patience.get(reader)).isInstanceOf(AsynchronousCloseException.class);
        }
    }

    @Test
    @DisplayName("closes the connection in order while memory is lent: no bytes arrive")
    void goesAway() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            Future<Integer> reader = reads(channel, ByteBuffer.allocateDirect(LENGTH));
            liar.asked();
            liar.swap(5, 11);
            liar.id.disconnect();
            assertThat(Patience.get(reader)).isNegative();
        }
    }
}
