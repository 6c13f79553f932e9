package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * One end writes while the other one reads, neither knows which is first, and outstanding requests arrive and complete
 * at random times. {@code -Djwarp.race.seed} sets the seed of the races, and {@code -Djwarp.races} their number.
 */
@DisplayName("A writer and a reader that lend memory at the same time")
class DirectRaceTest {
    private static final int RACES = Integer.getInteger("jwarp.races", Whole.or(4_000, 100_000));
    private static final int MOST = 500;

    private final long seed = Long.getLong("jwarp.race.seed", System.nanoTime());
    private int written;
    private int fetched;
    private int lost;
    private int both;

    @Test
    @DisplayName("agree which of them moves the bytes: exactly one does each time, and no byte is wrong")
    void races() throws IOException {
        for (int i = 0; i < RACES; i++) {
            try {
                race(new SplittableRandom(seed + i));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Djwarp.race.seed=" + (seed + i) + " -Djwarp.races=1", e);
            }
        }
        System.out.println("of " + RACES + " races " + written + " were written to the reader, " + fetched
                + " read from the writer, " + both + " one after the other; the writer lost the word " + lost
                + " times");
        if (RACES >= 10_000) {
            assertThat(Math.min(Math.min(written, fetched), lost))
                    .as("each case occurs often")
                    .isGreaterThan(RACES / 100);
        }
    }

    private void race(SplittableRandom random) throws IOException {
        CreditPair pair = CreditPair.direct(4 + random.nextInt(5), 64 + random.nextInt(100), 1024);
        Reader reader = new Reader(pair.far, random);
        int rounds = 1 + random.nextInt(3);
        int expected = 0;
        for (int i = 0; i < rounds; i++) {
            ByteBuffer data = ByteBuffer.allocate(1 + random.nextInt(MOST));
            for (int at = 0; at < data.limit(); at++) {
                data.put(at, (byte) (expected + at));
            }
            expected += data.limit();
            if (random.nextInt(4) == 0) {
                write(pair, reader, data, random); // an earlier ASK may cross it
            } else {
                direct(pair, reader, data, random);
            }
        }
        int steps = 0;
        while (reader.came < expected) {
            assertThat(++steps).as("steps").isLessThan(100_000);
            reader.step();
            move(pair, random);
        }
        assertThat(pair.near.engine.failed() || pair.far.engine.failed()).isFalse();
        lost += pair.near.lost;
    }

    private static void write(CreditPair pair, Reader reader, ByteBuffer data, SplittableRandom random)
            throws IOException {
        while (data.hasRemaining()) {
            pair.near.engine.write(data);
            reader.step();
            move(pair, random);
        }
    }

    private void direct(CreditPair pair, Reader reader, ByteBuffer data, SplittableRandom random) throws IOException {
        int puts = pair.near.puts;
        int fetches = pair.far.fetches;
        int inMessages = 0;
        while (data.hasRemaining()) {
            reader.step();
            move(pair, random);
            if (random.nextInt(5) > 0 || !pair.near.lendOutput(data)) {
                continue; // the reader may be first
            }
            int moved = -1;
            int putsBefore = pair.near.puts;
            int fetchesBefore = pair.far.fetches;
            for (int steps = 0; moved < 0; steps++) {
                assertThat(steps).as("steps").isLessThan(100_000);
                reader.step();
                move(pair, random);
                moved = pair.near.outputBack();
            }
            boolean put = pair.near.puts > putsBefore;
            boolean fetch = pair.far.fetches > fetchesBefore;
            if (moved == 0) {
                assertThat(put || fetch)
                        .as("moved, although neither end reports it")
                        .isFalse();
                int before = data.position();
                pair.near.engine.write(data);
                inMessages += data.position() - before;
            } else {
                assertThat(put).as("exactly one of them moves each piece").isNotEqualTo(fetch);
                data.position(data.position() + moved);
            }
        }
        boolean put = pair.near.puts > puts;
        boolean fetch = pair.far.fetches > fetches;
        written += put && !fetch ? 1 : 0;
        fetched += fetch && !put ? 1 : 0;
        both += put && fetch ? 1 : 0;
        assertThat(put || fetch || inMessages > 0).isTrue();
    }

    private static void move(CreditPair pair, SplittableRandom random) {
        CreditPair.End end = random.nextBoolean() ? pair.near : pair.far;
        switch (random.nextInt(3)) {
            case 0 -> end.deliver();
            case 1 -> end.poll();
            default -> end.complete();
        }
    }

    /** Reads and checks all bytes. Sometimes lends memory, and takes it back before any bytes have arrived. */
    private static final class Reader {
        private final CreditPair.End end;
        private final SplittableRandom random;
        private ByteBuffer into = ByteBuffer.allocate(0);
        private int came;

        Reader(CreditPair.End end, SplittableRandom random) {
            this.end = end;
            this.random = random;
        }

        void step() throws IOException {
            if (end.lent()) {
                if (end.engine.readable() || random.nextInt(20) == 0) {
                    int back = end.inputBack();
                    if (back > 0) {
                        into.position(into.position() + back);
                    }
                    check();
                }
                return;
            }
            if (random.nextInt(3) > 0) {
                return;
            }
            check();
            into = ByteBuffer.allocate(1 + random.nextInt(MOST));
            if (random.nextInt(3) == 0) {
                end.engine.read(into);
                check();
            } else {
                end.readOrLend(into);
                if (!end.lent()) {
                    check();
                }
            }
        }

        private void check() {
            if (end.lent()) {
                return;
            }
            for (int i = 0; i < into.position(); i++) {
                assertThat(into.get(i)).as("byte %s", came).isEqualTo((byte) came);
                came++;
            }
            into = ByteBuffer.allocate(0);
        }
    }
}
