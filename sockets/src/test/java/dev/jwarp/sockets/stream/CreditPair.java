package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Queue;

/** Two ends of a stream with credits. What one posts arrives at the other when a test says so, and is done later still. */
final class CreditPair {
    final End near;
    final End far;

    CreditPair(int credits, int buffer, int sendMemory) {
        near = new End(credits, buffer, sendMemory);
        far = new End(credits, buffer, sendMemory);
        near.peer = far;
        far.peer = near;
    }

    /** With what each has told the other. */
    static CreditPair connected(int credits, int buffer, int sendMemory) throws StreamException {
        CreditPair pair = new CreditPair(credits, buffer, sendMemory);
        pair.near.engine.connected(ByteBuffer.wrap(pair.far.engine.record()));
        pair.far.engine.connected(ByteBuffer.wrap(pair.near.engine.record()));
        return pair;
    }

    /** All that is under way arrives, and is done. */
    void settle() {
        boolean moved = true;
        while (moved) {
            moved = near.moves();
            moved |= far.moves();
        }
    }

    /** One end, its memory, and what it has posted. */
    static final class End implements CreditWire {
        static final int SLOTS = 16;

        private record Posted(ByteBuffer bytes, long id) {}

        private record Arrived(int slot, int length) {}

        final CreditEngine engine;
        /** Headers and data, in the order in which they were posted. */
        final Queue<byte[]> said = new ArrayDeque<>();

        /** What the program sends from. */
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
        private int requests;

        private End(int credits, int buffer, int sendMemory) {
            this.buffer = buffer;
            received = ByteBuffer.allocate((credits + CreditEngine.SPARE_RECEIVES) * buffer);
            sent = ByteBuffer.allocate(sendMemory);
            engine = new CreditEngine(received, credits, sent, SLOTS, this);
            for (int slot = 0; slot < credits + CreditEngine.SPARE_RECEIVES; slot++) {
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
            assertThat(header.remaining()).isEqualTo(CreditEngine.HEADER);
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
            posted.add(new Posted(bytes, id));
            byte[] octets = new byte[bytes.remaining()];
            bytes.get(bytes.position(), octets);
            said.add(octets);
        }

        private static ByteBuffer copy(ByteBuffer bytes) {
            return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
        }

        /** What was posted first arrives. */
        boolean deliver() {
            Posted first = posted.poll();
            if (first == null) {
                return false;
            }
            peer.put(first.bytes);
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

        /** What arrived first is looked at. */
        boolean poll() {
            Arrived first = arrived.poll();
            if (first == null) {
                return false;
            }
            engine.onReceived(first.slot, first.length);
            return true;
        }

        /** What was sent first is done. */
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

        /** A message that its engine would not send. */
        void forge(byte[] message) {
            peer.put(ByteBuffer.wrap(message));
            peer.poll();
        }
    }
}
