package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Segmenter;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.mpa.Fpdu;
import dev.jwarp.vectors.Whole;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Queue;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;

/**
 * A model of TCP that holds some of the written bytes and segments them as Linux does, to count the segments that begin
 * with an FPDU.
 */
@Label("FPDUs in the segments of a TCP")
class SegmentAlignmentTest {
    private static final StartParameters OFFER = new StartParameters(4, 4, new byte[0]);

    /** Of each try of a property. */
    private static final int STREAMS = Whole.or(1, 10);

    private static final String REPLY = "4d504120494420526570204672616d6540010000";

    /** Sends messages, each divided as the layer below requests. */
    private static final class Messages extends RecordingUpper {
        final Queue<Integer> lengths = new ArrayDeque<>();
        private final Segmenter segmenter = new Segmenter();
        private final ByteBuffer payload = ByteBuffer.allocateDirect(1 << 16);

        @Override
        public boolean wantsToSend() {
            return segmenter.hasNext() || !lengths.isEmpty();
        }

        @Override
        public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
            if (!segmenter.hasNext()) {
                segmenter.begin(lengths.remove(), TaggedHeader.LENGTH);
            }
            int length = segmenter.next(out.mulpdu(segmenter.rest()));
            out.begin(TaggedHeader.LENGTH, length);
            out.payload(payload, 0, length, true);
            out.end();
            return true;
        }
    }

    /** The unsent bytes of TCP, and its sent segments: full ones, and a short one at the end. */
    private static final class Tcp {
        final TestDriver driver;
        final int emss;
        private final BitSet fpdus = new BitSet();
        private byte[] begun = {};
        private int nextFpdu;
        private int written;
        private int sent;
        int segments;
        int aligned;

        Tcp(TestDriver driver, int emss, boolean tells) {
            this.driver = driver;
            this.emss = emss;
            driver.unsent = () -> tells ? written + driver.sent.size() - sent : -1;
        }

        /** Accepts {@code room} octets. */
        void take(int room) {
            driver.window = room;
            driver.pump();
            byte[] octets = driver.take();
            begun = ByteBuffer.allocate(begun.length + octets.length)
                    .put(begun)
                    .put(octets)
                    .array();
            written += octets.length;
            int at = 0;
            for (; at + 2 <= begun.length; ) {
                int length = Fpdu.length(((begun[at] & 0xFF) << 8) | (begun[at + 1] & 0xFF));
                if (at + length > begun.length) {
                    break;
                }
                fpdus.set(nextFpdu);
                nextFpdu += length;
                at += length;
            }
            fpdus.set(nextFpdu);
            begun = Arrays.copyOfRange(begun, at, begun.length);
        }

        /** Sends so many segments if it has them, the last one short; but of what the driver waits with it keeps half: then it takes more. */
        void send(int most) {
            int until = driver.window == 0 ? (sent + written) / 2 : written;
            for (int i = 0; i < most && sent < until; i++) {
                segments++;
                aligned += fpdus.get(sent) ? 1 : 0;
                sent += Math.min(emss, written - sent);
            }
        }
    }

    private static Tcp tcp(Messages upper, int emss, boolean tells) {
        RecordingHandler handler = new RecordingHandler();
        TestDriver driver = TestDriver.initiator(
                TestDriver.factory("jwarp.mpa.emss", Integer.toString(emss), "jwarp.mpa.revision", "1"),
                OFFER,
                upper,
                handler);
        driver.feedHex(REPLY);
        driver.take();
        return new Tcp(driver, emss, tells);
    }

    @Tag("MPA-5.1-1")
    @Property(tries = 20, edgeCases = EdgeCasesMode.NONE)
    @Label("in a stream of long messages, 95 % of the segments begin with an FPDU, for any unsent bytes of TCP")
    void stream(@ForAll long seed, @ForAll @IntRange(min = 350, max = 2_200) int words) {
        for (int i = 0; i < STREAMS; i++) {
            stream(new Random(seed + i), words);
        }
    }

    private static void stream(Random random, int words) {
        int emss = 4 * words;
        Messages upper = new Messages();
        Tcp tcp = tcp(upper, emss, true);
        for (int round = 0; round < 50; round++) {
            int messages = random.nextInt(4);
            for (int i = 0; i < messages; i++) {
                upper.lengths.add(4 * emss + random.nextInt(8 * emss));
            }
            tcp.take(random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(10 * emss, 60 * emss));
            tcp.send(random.nextInt(100));
        }
        tcp.take(Integer.MAX_VALUE);
        tcp.send(Integer.MAX_VALUE);
        assertThat(tcp.segments).isGreaterThan(200);
        assertThat(tcp.aligned / (double) tcp.segments).isGreaterThan(0.95);
    }

    @Tag("MPA-5.1-1")
    @Property(tries = 5, edgeCases = EdgeCasesMode.NONE)
    @Label("most do without information from TCP: a complete write is assumed to be sent, a partial one to be held")
    void untold(@ForAll long seed) {
        for (int i = 0; i < STREAMS; i++) {
            untold(new Random(seed + i));
        }
    }

    private static void untold(Random random) {
        Messages upper = new Messages();
        Tcp tcp = tcp(upper, 1448, false);
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 20; i++) {
                upper.lengths.add(8_000 + random.nextInt(8_000));
            }
            tcp.take(random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(10_000, 100_000));
            tcp.send(Integer.MAX_VALUE);
        }
        tcp.take(Integer.MAX_VALUE);
        tcp.send(Integer.MAX_VALUE);
        assertThat(tcp.aligned / (double) tcp.segments).isGreaterThan(0.8);
    }

    @Tag("MPA-5.1-1")
    @Property(tries = 20)
    @Label("a short message makes no query to TCP")
    void shortMessages(@ForAll @IntRange(max = 20) int count) {
        Messages upper = new Messages();
        Tcp tcp = tcp(upper, 1448, true);
        int[] asked = {0};
        tcp.driver.unsent = () -> ++asked[0];
        for (int i = 0; i < count; i++) {
            upper.lengths.add(10);
            tcp.take(Integer.MAX_VALUE);
        }
        assertThat(asked[0]).isZero();
    }
}
