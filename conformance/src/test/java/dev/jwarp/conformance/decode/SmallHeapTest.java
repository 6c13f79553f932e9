package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.vectors.Whole;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Captures that need as much memory as possible fit into 256 MiB; notes report the dropped bytes. */
class SmallHeapTest {
    private static final String GIVEN_UP = "are dropped";
    private static final byte[] LONG = frame(Segment.write(9, 0, new byte[65_000]));
    private static final byte[] WRONG = frame(Segment.write(9, 0, new byte[27_000]));

    static {
        WRONG[WRONG.length - 1] ^= 1;
    }

    @TempDir
    private Path folder;

    /** The bytes of each of many connections that wait for bytes that never come. */
    enum Waiting {
        CUT_FRAMES("a frame of 64 KiB of which a snapshot length left the headers", true, packets -> {
            both(packets, Arrays.copyOf(LONG, 60_000));
            return packets.frames(40 + 60);
        }),
        HALF_FPDUS("most of a long FPDU", true, packets -> both(packets, Arrays.copyOf(LONG, 59_000))),
        EARLY_SEGMENTS("segments behind a hole, each a small part of its frame", false, packets -> {
            for (int i = 0; i < 20; i++) {
                packets.lose(true, 1).send(true, new byte[] {1});
            }
            return packets.frames().stream().map(SmallHeapTest::padded).toList();
        }),
        LONG_MESSAGES("messages on every queue that go on", false, packets -> both(packets, beginnings())),
        READS("RDMA Reads that are not answered", true, packets -> both(packets, requests())),
        WRONG_CRCS("FPDUs of which it is not known by which rule they are framed", true, packets -> {
            both(packets, WRONG);
            return both(packets, Arrays.copyOf(WRONG, 25_000));
        }),
        TINY_SEGMENTS(
                "an FPDU in segments of one byte",
                true,
                packets -> packets.sendCut(true, Arrays.copyOf(LONG, 300), 1).frames());

        private final String words;
        private final boolean gives;

        @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
        private final Function<Packets, List<Frame>> talk;

        Waiting(String words, boolean gives, Function<Packets, List<Frame>> talk) {
            this.words = words;
            this.gives = gives;
            this.talk = talk;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** Each side sends these, in segments of their own. */
    private static List<Frame> both(Packets packets, byte[]... parts) {
        return packets.sendEach(true, List.of(parts))
                .sendEach(false, List.of(parts))
                .frames();
    }

    /** The same packet in a frame that is longer. */
    private static Frame padded(Frame frame) {
        return new Frame(
                frame.number(), frame.nanos(), frame.linkType(), Arrays.copyOf(frame.octets(), 60_000), 60_000);
    }

    private static byte[] requests() {
        Octets all = new Octets();
        for (int msn = 1; msn <= 300; msn++) {
            all.add(frame(Segment.readRequest(msn, 1, 2, 3, 4, 5)));
        }
        return all.bytes();
    }

    private static byte[][] beginnings() {
        byte[] payload = new byte[16_000];
        Stream<Segment> sends =
                IntStream.range(0, 4).mapToObj(queue -> Segment.send(1, payload).queue(queue));
        return Stream.concat(sends, Stream.of(Segment.write(9, 0, payload)))
                .map(segment -> frame(segment.last(false)))
                .toArray(byte[][]::new);
    }

    private static byte[] frame(Segment segment) {
        return new Framer(false, true).frame(segment.bytes());
    }

    static Stream<Object[]> thousandsOfConnections() {
        return Whole.rows(
                4,
                "HALF_FPDUS",
                "READS",
                "CUT_FRAMES",
                "LONG_MESSAGES",
                "EARLY_SEGMENTS",
                "WRONG_CRCS",
                "TINY_SEGMENTS");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    @DisplayName("thousands of connections with waiting bytes fit into 256 MiB")
    void thousandsOfConnections(Waiting waiting) throws Exception {
        String printed = MortalJvm.run(
                folder,
                List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                Program.class,
                waiting.name());

        assertThat(printed.strip()).isEqualTo(waiting.gives ? "decoded, and some given up" : "decoded");
    }

    static final class Program {
        private static final int CONNECTIONS = 2500;

        private Program() {}

        public static void main(String[] arguments) {
            int[] told = new int[1];
            Messages sums = new Messages(item ->
                    told[0] += item instanceof Item.Note note && note.text().contains(GIVEN_UP) ? 1 : 0);
            Decoder decoder = new Decoder(Set.of(), null, sums, sums::ended);
            List<Frame> frames =
                    Waiting.valueOf(arguments[0]).talk.apply(Talked.plain().opened());
            for (int i = 0; i < CONNECTIONS; i++) {
                int port = 10_000 + i;
                frames.forEach(frame -> decoder.frame(Packets.from(port, frame)));
            }
            decoder.end();
            sums.end();
            System.out.println("decoded" + (told[0] > 0 ? ", and some given up" : ""));
        }
    }
}
