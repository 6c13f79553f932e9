package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Two ends of a credit stream make random calls in random order: each reads the bytes that the other has written. */
class CreditStreamPropertyTest {
    private static final int BYTES = 4_000;

    @Property
    @Label(
            "both ways, in any order of arrival and completion, each byte comes once and in order, then the end; and no read crosses the end of a message")
    void bytesArrive(
            @ForAll long seed,
            @ForAll @IntRange(min = CreditEngine.LEAST_CREDITS, max = 40) int credits,
            @ForAll @IntRange(min = CreditEngine.LEAST_BUFFER, max = 1000) int buffer,
            @ForAll @IntRange(min = 256, max = 3000) int sendMemory,
            @ForAll boolean combine,
            @ForAll boolean direct,
            @ForAll boolean messages,
            @ForAll boolean keeps)
            throws IOException {
        Random random = new Random(seed);
        CreditPair pair = CreditPair.connected(new CreditPair(
                credits, buffer, sendMemory, new CreditEngine.Options(direct, messages, keeps ? BYTES : -1)));
        pair.near.engine.combine(combine);
        Way there = new Way(pair.near, pair.far, messages);
        Way back = new Way(pair.far, pair.near, messages);
        boolean close = random.nextBoolean();

        int steps = 0;
        while (!there.ended || !back.ended) {
            there.step(random);
            back.step(random);
            assertThat(++steps).as("steps, of seed " + seed).isLessThan(1_000_000);
        }
        if (close) {
            pair.near.engine.close();
        }

        pair.settle();
        assertThat(pair.near.engine.finished()).isTrue();
        assertThat(pair.far.engine.finished()).isTrue();
        assertThat(pair.near.engine.failed() || pair.far.engine.failed()).isFalse();
        assertThat(pair.near.spares).isEmpty();
        assertThat(pair.far.spares).isEmpty();
    }

    @Property
    @Label(
            "an end that closes at any moment, or both, comes to its end, and the other one loses nothing of what was written")
    void closes(
            @ForAll long seed,
            @ForAll @IntRange(min = CreditEngine.LEAST_CREDITS, max = 8) int credits,
            @ForAll @IntRange(max = 300) int when,
            @ForAll boolean both,
            @ForAll boolean half,
            @ForAll boolean direct)
            throws IOException {
        Random random = new Random(seed);
        CreditPair pair =
                CreditPair.connected(new CreditPair(credits, 128, 1024, new CreditEngine.Options(direct, false, -1)));
        Way there = new Way(pair.near, pair.far, false);
        Way back = new Way(pair.far, pair.near, false);
        for (int i = 0; i < when; i++) {
            there.step(random);
            back.step(random);
        }
        if (half) {
            pair.far.engine.shutdownOutput();
        }
        pair.near.engine.close();
        if (both) {
            pair.far.engine.close();
        }
        int steps = 0;
        while (!pair.near.engine.finished() || !pair.far.engine.finished()) {
            for (Way way : new Way[] {there, back}) {
                way.move(random);
            }
            if (!both && !there.ended) {
                there.read(random, BYTES);
            }
            assertThat(++steps).as("steps, of seed " + seed).isLessThan(1_000_000);
        }
        while (!both && !there.ended) {
            there.read(random, BYTES);
        }
        assertThat(pair.near.engine.peerClosed() && pair.far.engine.peerClosed())
                .isTrue();
    }

    /** The bytes of one direction. */
    private static final class Way {
        private final CreditPair.End from;
        private final CreditPair.End to;
        private int written;
        private int read;
        private boolean ended;
        /** With messages: the ends of the unread messages. */
        private final boolean messages;

        private final Deque<Integer> ends = new ArrayDeque<>();
        /** The memory that is lent for receiving. */
        private ByteBuffer input = ByteBuffer.allocate(0);

        Way(CreditPair.End from, CreditPair.End to, boolean messages) {
            this.from = from;
            this.to = to;
            this.messages = messages;
        }

        void step(Random random) throws IOException {
            switch (random.nextInt(6)) {
                case 0 -> write(random);
                case 1 -> read(random, BYTES);
                case 2 -> {
                    if (from.engine.waits()) {
                        from.engine.flush();
                    }
                }
                default -> move(random);
            }
        }

        void move(Random random) {
            switch (random.nextInt(4)) {
                case 0 -> from.deliver();
                case 1 -> to.poll();
                case 2 -> from.complete();
                default -> takeBack(random);
            }
        }

        /** Takes lent memory back as soon as possible, and receive memory sometimes before any bytes have arrived. */
        private void takeBack(Random random) {
            if (from.lentOutput()) {
                written += Math.max(from.outputBack(), 0);
            }
            if (to.lent() && (to.engine.readable() || random.nextInt(20) == 0)) {
                came(input, Math.max(to.inputBack(), 0));
            }
        }

        private void write(Random random) throws IOException {
            if (written == BYTES) {
                from.engine.shutdownOutput();
                return;
            }
            if (from.engine.borrowed() || from.lentOutput()) {
                assertThat(from.lentOutput() || !from.engine.writable()).isTrue();
                return;
            }
            ByteBuffer data = ByteBuffer.allocate(length(random));
            for (int i = 0; i < data.limit(); i++) {
                data.put(i, pattern(written + i));
            }
            if (from.engine.direct() != null && random.nextBoolean() && from.lendOutput(data)) {
                from.engine.begin(0);
                return;
            }
            boolean writable = from.engine.writable();
            int taken = 0;
            if (writable && random.nextInt(4) == 0) {
                from.gathered = data.duplicate();
                taken = from.engine.gather(data); // bytes that waited before may have used the last message
                taken += from.engine.write(data);
            } else {
                taken = from.engine.write(data);
                assertThat(taken > 0).isEqualTo(writable);
            }
            assertThat(data.position()).isEqualTo(taken);
            from.engine.begin(0);
            written += taken;
        }

        /**
         * {@return the number of bytes of a write} A message may consist of several writes, once it has begun or its
         * length is set.
         */
        private int length(Random random) {
            int some = Math.min(BYTES - written, 1 + random.nextInt(random.nextBoolean() ? 30 : 3000));
            if (!messages) {
                return some;
            }
            boolean whole = ends.isEmpty() || ends.getLast() <= written;
            if (whole) {
                ends.add(written + some);
            }
            int left = ends.getLast() - written;
            if (random.nextBoolean()) {
                from.engine.begin(left);
                return 1 + random.nextInt(left);
            }
            return left;
        }

        private void read(Random random, int all) throws IOException {
            takeBack(random);
            if (to.lent()) {
                return;
            }
            ByteBuffer data = ByteBuffer.allocate(1 + random.nextInt(3000));
            boolean readable = to.engine.readable();
            int came = to.engine.direct() != null && random.nextBoolean() ? to.readOrLend(data) : to.engine.read(data);
            assertThat(came != 0).isEqualTo(readable);
            if (came < 0) {
                assertThat(read).as("bytes before the end").isEqualTo(Math.min(all, written));
                ended = true;
            }
            came(data.duplicate().position(0), Math.max(came, 0));
            if (to.lent()) {
                input = data.slice();
            }
        }

        /** Checks received bytes. */
        private void came(ByteBuffer data, int count) {
            for (int i = 0; i < count; i++) {
                assertThat(data.get(i)).as("byte %s", read + i).isEqualTo(pattern(read + i));
            }
            read += count;
            if (messages && count > 0) {
                assertThat(read).as("end of the message").isLessThanOrEqualTo(ends.getFirst());
                assertThat(to.engine.insideMessage()).isEqualTo(read < ends.getFirst());
                if (!to.engine.insideMessage()) {
                    ends.removeFirst();
                }
            }
        }

        private static byte pattern(int at) {
            return (byte) (at * 31 + (at >> 8));
        }
    }
}
