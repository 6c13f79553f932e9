package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Two ends make random calls in random order: each reads the bytes that the other has written. */
class RsocketStreamPropertyTest {
    private static final int BYTES = 4_000;

    @Property
    @Label("both ways, in any order of arrival and completion, each byte comes once and in order, then the end")
    void bytesArrive(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 40) int ring,
            @ForAll @IntRange(max = 2000) int mostPlace,
            @ForAll @IntRange(min = 2, max = 3000) int sendMemory)
            throws IOException {
        Random random = new Random(seed);
        RsocketPair pair = RsocketPair.connected(2 * ring * ring, mostPlace, sendMemory);
        Way there = new Way(pair.near, pair.far);
        Way back = new Way(pair.far, pair.near);

        int steps = 0;
        while (!there.ended || !back.ended) {
            there.step(random);
            back.step(random);
            assertThat(++steps).as("steps, of seed " + seed).isLessThan(1_000_000);
        }

        pair.settle();
        assertThat(pair.near.engine.finished()).isTrue();
        assertThat(pair.far.engine.finished()).isTrue();
    }

    /** The bytes of one direction. */
    private static final class Way {
        private final RsocketPair.End from;
        private final RsocketPair.End to;
        private int written;
        private int read;
        private boolean ended;
        /** The buffer of gathered bytes; they are changed once they are no longer borrowed. */
        private ByteBuffer lent = ByteBuffer.allocate(0);

        Way(RsocketPair.End from, RsocketPair.End to) {
            this.from = from;
            this.to = to;
        }

        void step(Random random) throws IOException {
            if (!from.engine.borrowed()) {
                for (int i = 0; i < lent.capacity(); i++) {
                    lent.put(i, (byte) -1);
                }
                lent = ByteBuffer.allocate(0);
            }
            switch (random.nextInt(6)) {
                case 0 -> write(random);
                case 5 -> from.engine.flush();
                case 1 -> read(random);
                case 2 -> from.deliver();
                case 3 -> to.poll();
                default -> from.complete();
            }
        }

        private void write(Random random) throws IOException {
            if (written == BYTES) {
                from.engine.shutdownOutput();
                return;
            }
            ByteBuffer data = ByteBuffer.allocate(Math.min(BYTES - written, 1 + random.nextInt(3000)));
            for (int i = 0; i < data.limit(); i++) {
                data.put(i, pattern(written + i));
            }
            if (random.nextBoolean()) {
                from.engine.moreFollows();
            }
            boolean writable = from.engine.writable();
            if (from.engine.borrowed()) {
                assertThat(writable).as("writable while bytes are borrowed").isFalse();
                return;
            }
            int gathered = 0;
            if (random.nextBoolean()) {
                lent = data;
                from.gathered = data;
                gathered = from.engine.gather(data);
                assertThat(from.engine.borrowed()).isEqualTo(gathered > 0);
            }
            int taken = gathered + (gathered == 0 || data.hasRemaining() ? from.engine.write(data) : 0);
            assertThat(taken > 0).isEqualTo(writable || gathered > 0);
            assertThat(data.position()).isEqualTo(taken);
            written += taken;
        }

        private void read(Random random) throws IOException {
            ByteBuffer data = ByteBuffer.allocate(1 + random.nextInt(3000));
            boolean readable = to.engine.readable();
            int came = to.engine.read(data);
            assertThat(came != 0).isEqualTo(readable);
            if (came < 0) {
                assertThat(read).as("bytes before the end").isEqualTo(BYTES);
                ended = true;
            }
            for (int i = 0; i < came; i++) {
                assertThat(data.get(i)).as("byte %s", read + i).isEqualTo(pattern(read + i));
            }
            read += Math.max(came, 0);
        }

        private static byte pattern(int at) {
            return (byte) (at * 31 + (at >> 8));
        }
    }
}
