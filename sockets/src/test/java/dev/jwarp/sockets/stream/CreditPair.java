package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Two ends of a credit stream. The test decides when a posted request arrives at the other end, and when it completes
 * afterwards.
 */
final class CreditPair {
    final End near;
    final End far;

    /** Bytes of the staging buffer of an end. */
    static final int STAGE = 100;

    CreditPair(int credits, int buffer, int sendMemory) {
        this(credits, buffer, sendMemory, new CreditEngine.Options(false, false, -1));
    }

    CreditPair(int credits, int buffer, int sendMemory, CreditEngine.Options options) {
        near = new End(credits, buffer, sendMemory, options);
        far = new End(credits, buffer, sendMemory, options);
        near.peer = far;
        far.peer = near;
    }

    /** Connected with the records of both ends. */
    static CreditPair connected(int credits, int buffer, int sendMemory) throws StreamException {
        return connected(new CreditPair(credits, buffer, sendMemory));
    }

    /** The same with zero-copy data. */
    static CreditPair direct(int credits, int buffer, int sendMemory) throws StreamException {
        return connected(new CreditPair(credits, buffer, sendMemory, new CreditEngine.Options(true, false, -1)));
    }

    static CreditPair connected(CreditPair pair) throws StreamException {
        pair.near.engine.connected(ByteBuffer.wrap(pair.far.engine.record()));
        pair.far.engine.connected(ByteBuffer.wrap(pair.near.engine.record()));
        return pair;
    }

    /** Delivers and completes all outstanding requests. */
    void settle() {
        boolean moved = true;
        while (moved) {
            moved = near.moves();
            moved |= far.moves();
        }
    }

    /** One end, its memory, and what it has posted. */
    static final class End implements CreditWire, DirectWire {
        static final int SLOTS = 11 + CreditEngine.LEAST_SLOTS - 4;

        /** A Send, or another action on the peer. */
        private record Posted(ByteBuffer bytes, @Nullable Runnable other, long id) {}

        private record Arrived(int slot, int length) {}

        final CreditEngine engine;
        /** Headers and data, in the order in which they were posted. */
        final Queue<byte[]> said = new ArrayDeque<>();

        /** The send buffer of the program. */
        ByteBuffer gathered = ByteBuffer.allocate(0);

        private final int buffer;
        private final ByteBuffer received;
        private final ByteBuffer sent;
        private final Queue<Posted> posted = new ArrayDeque<>();
        private final Queue<Integer> receives = new ArrayDeque<>();
        private final BitSet free = new BitSet();
        private final Queue<Arrived> arrived = new ArrayDeque<>();
        private final Queue<Long> done = new ArrayDeque<>();
        private End peer = this;

        // ---- data that are not copied
        /** The last key: each region gets a new one. */
        private int keys = 1;

        private long word;
        private long swapped;
        private final ByteBuffer stage = ByteBuffer.allocate(STAGE);
        /**
         * The memory that the program has lent; null: none. A peer that uses it with another key, or beyond its end,
         * fails the test.
         */
        private @Nullable ByteBuffer input;

        private int inputKey;
        private @Nullable ByteBuffer output;
        /** Spare memory that the engine has not freed. */
        final Deque<ByteBuffer> spares = new ArrayDeque<>();

        private int outputKey;
        /** Number of RDMA Writes, of RDMA Reads, and of lost compare-and-swaps. */
        int puts;

        int fetches;
        int lost;
        private int requests;

        private End(int credits, int buffer, int sendMemory, CreditEngine.Options options) {
            this.buffer = buffer;
            int buffers = CreditEngine.receives(credits, options.direct());
            received = ByteBuffer.allocate(buffers * buffer);
            sent = ByteBuffer.allocate(sendMemory);
            engine = new CreditEngine(
                    new CreditEngine.Memory(received, credits, sent, SLOTS),
                    this,
                    options.direct() ? this : null,
                    options);
            for (int slot = 0; slot < buffers; slot++) {
                free(slot);
            }
        }

        @Override
        public void send(int offset, int length, long id) {
            post(sent.slice(offset, length), id);
        }

        @Override
        public void gather(int offset, int from, int length, long id) {
            ByteBuffer message = ByteBuffer.allocate(CreditEngine.HEADER + length);
            message.put(0, sent, offset, CreditEngine.HEADER).put(CreditEngine.HEADER, gathered, from, length);
            post(message, id);
        }

        @Override
        public void sendCopy(ByteBuffer header, long id) {
            assertThat(header.remaining()).isBetween(CreditEngine.HEADER, CreditEngine.LONGEST_CONTROL);
            post(copy(header), id);
        }

        @Override
        public void free(int slot) {
            assertThat(free.get(slot)).as("slot %s is posted", slot).isFalse();
            free.set(slot);
            receives.add(slot);
        }

        private void post(ByteBuffer bytes, long id) {
            assertThat(++requests).as("work requests that are posted").isLessThanOrEqualTo(SLOTS);
            posted.add(new Posted(bytes, null, id));
            byte[] octets = new byte[bytes.remaining()];
            bytes.get(bytes.position(), octets);
            said.add(octets);
        }

        private void post(Runnable other, long id) {
            assertThat(++requests).as("work requests that are posted").isLessThanOrEqualTo(SLOTS);
            posted.add(new Posted(ByteBuffer.allocate(0), other, id));
        }

        // ---- data that are not copied

        /** Lends bytes for sending, if possible; {@link #outputBack} returns them. */
        boolean lendOutput(ByteBuffer data) throws IOException {
            if (!engine.direct().mayLendOutput()) {
                return false;
            }
            output = data;
            outputKey = keys++;
            engine.direct().lendOutput(0, outputKey, data.remaining());
            return true;
        }

        boolean lentOutput() {
            return output != null;
        }

        /** {@return the number of moved bytes; afterwards the peer cannot use the memory. Negative: not yet} */
        int outputBack() {
            int moved = engine.direct().takeOutputBack();
            output = moved < 0 ? output : null;
            return moved;
        }

        /** Reads, or lends memory for receiving, if possible; {@link #inputBack} returns it. */
        int readOrLend(ByteBuffer data) throws IOException {
            int came = engine.readFirst(new BufferCopy().of(data), data.remaining());
            if (engine.direct().mayLendInput(came) && data.hasRemaining()) {
                input = data;
                inputKey = keys++;
                engine.direct().lendInput(0, inputKey, data.remaining());
            } else {
                engine.direct().fetch();
            }
            return came;
        }

        boolean lent() {
            return input != null;
        }

        int inputBack() {
            int came = engine.direct().takeInputBack();
            input = came < 0 ? input : null;
            return came;
        }

        /** {@return the memory that the peer may use with the key} */
        private static ByteBuffer region(@Nullable ByteBuffer lent, boolean right, long address, int length) {
            assertThat(right && lent != null).as("the memory is lent now").isTrue();
            return lent.slice(lent.position() + (int) address, length);
        }

        @Override
        public ByteBuffer stage() {
            return stage;
        }

        @Override
        public long wordAddress() {
            return 4096;
        }

        @Override
        public int wordKey() {
            return 77;
        }

        void word(long now) {
            word = now;
        }

        @Override
        public long word() {
            return word;
        }

        @Override
        public boolean swapWord(long expected, long replacement) {
            if (word != expected) {
                return false;
            }
            word = replacement;
            return true;
        }

        @Override
        public void swap(long address, int key, long expected, long replacement, long id) {
            assertThat(address).isEqualTo(peer.wordAddress());
            assertThat(key).isEqualTo(peer.wordKey());
            post(
                    () -> {
                        swapped = peer.word;
                        lost += peer.swapWord(expected, replacement) ? 0 : 1;
                    },
                    id);
        }

        @Override
        public long swapped() {
            return swapped;
        }

        @Override
        public void put(long address, int key, int length, long id) {
            puts++;
            post(
                    () -> region(peer.input, key == peer.inputKey, address, length)
                            .put(region(output, true, 0, length)),
                    id);
        }

        @Override
        public ByteBuffer spare(int length) {
            spares.add(ByteBuffer.allocate(length));
            return spares.getLast();
        }

        @Override
        public void freeSpare() {
            spares.remove();
        }

        @Override
        public void fetch(long address, int key, int length, DirectWire.Target target, long id) {
            fetches++;
            ByteBuffer spare = spares.peekLast();
            post(
                    () -> target(target, spare, length)
                            .put(region(peer.output, key == peer.outputKey, address, length)),
                    id);
        }

        private ByteBuffer target(DirectWire.Target target, @Nullable ByteBuffer spare, int length) {
            return switch (target) {
                case LENT -> region(input, true, 0, length);
                case STAGE -> stage.slice(0, length);
                case SPARE -> region(spare, true, 0, length);
            };
        }

        private static ByteBuffer copy(ByteBuffer bytes) {
            return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
        }

        /** Delivers the oldest posted request. */
        boolean deliver() {
            Posted first = posted.poll();
            if (first == null) {
                return false;
            }
            if (first.other == null) {
                peer.put(first.bytes);
            } else {
                first.other.run();
            }
            done.add(first.id);
            return true;
        }

        private void put(ByteBuffer message) {
            Integer slot = receives.poll();
            assertThat(slot).as("a receive buffer").isNotNull();
            free.clear(slot);
            assertThat(message.remaining()).isLessThanOrEqualTo(buffer);
            received.put(slot * buffer, message, 0, message.remaining());
            arrived.add(new Arrived(slot, message.remaining()));
        }

        int waiting() {
            return posted.size();
        }

        /** Processes the oldest arrival. */
        boolean poll() {
            Arrived first = arrived.poll();
            if (first == null) {
                return false;
            }
            engine.onReceived(first.slot, first.length);
            return true;
        }

        /** Completes the oldest delivered request. */
        boolean complete() {
            Long first = done.poll();
            if (first == null) {
                return false;
            }
            requests--;
            engine.onSent(first);
            return true;
        }

        private boolean moves() {
            boolean moved = deliver();
            moved |= peer.poll();
            moved |= complete();
            return moved;
        }

        /** Sends a message that the engine would not send. */
        void forge(byte[] message) {
            peer.put(ByteBuffer.wrap(message));
            peer.poll();
        }
    }
}
