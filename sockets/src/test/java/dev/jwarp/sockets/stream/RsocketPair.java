package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Two ends of an rsocket. The test decides when a posted request arrives at the other end, and when it completes
 * afterwards.
 */
final class RsocketPair {
    static final int CREDITS = 8;

    final End near;
    final End far;

    RsocketPair(int ring, int sendMemory) {
        this(ring, ring / 2, sendMemory);
    }

    private RsocketPair(int ring, int mostPlace, int sendMemory) {
        near = new End(ring, mostPlace, sendMemory);
        far = new End(ring, mostPlace, sendMemory);
        near.peer = far;
        far.peer = near;
    }

    /** Connected with the records of both ends. */
    static RsocketPair connected(int ring, int sendMemory) throws StreamException {
        return connected(ring, ring / 2, sendMemory);
    }

    /** With the maximum size of each place. */
    static RsocketPair connected(int ring, int mostPlace, int sendMemory) throws StreamException {
        RsocketPair pair = new RsocketPair(ring, mostPlace, sendMemory);
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
    static final class End implements RsocketWire {
        private static final long PLACES = 0x7f00_0000_1000L;
        private static final long FAR = 0x10_0000;
        private static final int PLACE_KEY = 0x5200_0000;
        private static final long TABLE = 0x7f00_0020_0000L;
        private static final int TABLE_KEY = 0x5100_0002;
        static final int SLOTS = 10;
        static final int ENTRIES = 2;
        static final long SHARED = 0x7f00_0030_0000L;
        static final int SHARED_KEY = 0x5100_0003;

        /** A posted request: its bytes are in the send memory until it completes, or copied. */
        private record Posted(ByteBuffer bytes, long address, int key, long id) {
            boolean isSend() {
                return key == 0;
            }
        }

        final RsocketEngine engine;
        /** The places that the peer may write to, by key; a place that was replaced by a larger one is removed. */
        final Map<Integer, RsocketWire.Place> places = new HashMap<>();

        private final int mostPlace;
        private int made;
        /** Number of requests for larger places. */
        int asked;

        boolean noMore;

        /** The send buffer of the program. */
        ByteBuffer gathered = ByteBuffer.allocate(0);

        private final ByteBuffer table =
                ByteBuffer.allocate(RsocketEngine.TABLE_LENGTH + ENTRIES * RsocketEngine.MAP_ENTRY);
        private final ByteBuffer sent;
        private final Queue<Posted> posted = new ArrayDeque<>();
        private final Queue<ByteBuffer> arrived = new ArrayDeque<>();
        /** Ids of delivered requests, and the number of work requests that each completes. */
        private final Queue<long[]> done = new ArrayDeque<>();

        private int withoutId;
        final ByteBuffer shared = ByteBuffer.allocate(256);
        private End peer = this;
        private int requests;

        private End(int ringSize, int mostPlace, int sendMemory) {
            this.mostPlace = mostPlace;
            sent = ByteBuffer.allocate(sendMemory);
            RsocketEngine.Memory memory =
                    new RsocketEngine.Memory(place(ringSize / 2), place(ringSize / 2), table, TABLE, TABLE_KEY);
            engine = new RsocketEngine(memory, sent, CREDITS, SLOTS, this);
        }

        private RsocketWire.Place place(int length) {
            int key = PLACE_KEY + made;
            RsocketWire.Place place = new RsocketWire.Place(ByteBuffer.allocate(length), PLACES + made++ * FAR, key);
            places.put(key, place);
            return place;
        }

        @Override
        public RsocketWire.Place larger(RsocketWire.Place place) {
            asked++;
            if (noMore || place.length() >= mostPlace) {
                return place;
            }
            places.remove(place.key());
            return place(Math.min(2 * place.length(), mostPlace));
        }

        @Override
        public void write(int offset, int length, long address, int key) {
            post(new Posted(sent.slice(offset, length), address, key, -1));
        }

        @Override
        public void gather(int from, int length, long address, int key) {
            post(new Posted(gathered.slice(from, length), address, key, -1));
        }

        @Override
        public void writeAlone(int offset, int length, long address, int key, long id) {
            post(new Posted(sent.slice(offset, length), address, key, id));
        }

        @Override
        public void writeCopy(ByteBuffer bytes, long address, int key) {
            post(new Posted(copy(bytes), address, key, -1));
        }

        @Override
        public void send(ByteBuffer word, long id) {
            post(new Posted(copy(word), 0, 0, id));
        }

        private void post(Posted request) {
            assertThat(++requests).as("work requests that are posted").isLessThanOrEqualTo(SLOTS);
            posted.add(request);
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
            if (first.isSend()) {
                peer.arrived.add(first.bytes);
                assertThat(peer.arrived.size())
                        .as("used receive buffers")
                        .isLessThanOrEqualTo(CREDITS + RsocketEngine.SPARE_RECEIVES);
            } else {
                peer.place(first);
            }
            withoutId++;
            if (first.id >= 0) {
                done.add(new long[] {first.id, withoutId});
                withoutId = 0;
            }
            return true;
        }

        int waiting() {
            return posted.size();
        }

        /** Number of receives that Sends of the peer have used. */
        int notPolled() {
            return arrived.size();
        }

        private void place(Posted write) {
            RsocketWire.Place place =
                    switch (write.key) {
                        case TABLE_KEY -> new RsocketWire.Place(table, TABLE, TABLE_KEY);
                        case SHARED_KEY -> new RsocketWire.Place(shared, SHARED, SHARED_KEY);
                        default -> places.get(write.key);
                    };
            assertThat(place).as("memory with the key 0x%x", write.key).isNotNull();
            int at = Math.toIntExact(write.address - place.address());
            assertThat(at).isBetween(0, place.length() - write.bytes.remaining());
            place.memory().put(at, write.bytes, 0, write.bytes.remaining());
        }

        /** Processes the oldest arrival. */
        boolean poll() {
            ByteBuffer word = arrived.poll();
            if (word == null) {
                return false;
            }
            engine.onReceived(word, 0, word.remaining());
            return true;
        }

        /** Completes the oldest delivered request. */
        boolean complete() {
            long[] first = done.poll();
            if (first == null) {
                return false;
            }
            requests -= (int) first[1];
            engine.onSent(first[0]);
            return true;
        }

        private boolean moves() {
            boolean moved = deliver();
            moved |= peer.poll();
            moved |= complete();
            return moved;
        }

        /** Sends a word that the engine would not send. */
        void forge(int... octets) {
            byte[] word = new byte[octets.length];
            for (int i = 0; i < octets.length; i++) {
                word[i] = (byte) octets[i];
            }
            peer.engine.onReceived(ByteBuffer.wrap(word), 0, word.length);
        }
    }
}
