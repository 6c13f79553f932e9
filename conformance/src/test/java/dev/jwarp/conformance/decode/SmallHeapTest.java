package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.vectors.Whole;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Captures that need as much memory as possible fit into 256 MiB; notes report the dropped bytes. */
class SmallHeapTest {
    private static final String GIVEN_UP = "are dropped";

    @TempDir
    private Path folder;

    /** The bytes of each of many connections that wait for bytes that never come. */
    enum Waiting {
        CUT_FRAMES("a frame of 64 KiB of which a snapshot length left the headers", true) {
            @Override
            void talk(Talk talk) {
                talk.sides(side -> talk.send(side, 60, Arrays.copyOf(LONG, 60_000)));
            }
        },
        HALF_FPDUS("most of a long FPDU", true) {
            @Override
            void talk(Talk talk) {
                talk.sides(side -> talk.send(side, Arrays.copyOf(LONG, 59_000)));
            }
        },
        EARLY_SEGMENTS("segments behind a hole, each a small part of its frame", false) {
            @Override
            void talk(Talk talk) {
                for (int i = 0; i < 20; i++) {
                    talk.hole(true, 1);
                    talk.padded(true, new byte[] {1}, 60_000);
                }
            }
        },
        LONG_MESSAGES("messages on every queue that go on", false) {
            @Override
            void talk(Talk talk) {
                talk.sides(side -> BEGINNINGS.forEach(fpdu -> talk.send(side, fpdu)));
            }
        },
        READS("RDMA Reads that are not answered", true) {
            @Override
            void talk(Talk talk) {
                talk.sides(side -> talk.send(side, REQUESTS));
            }
        },
        WRONG_CRCS("FPDUs of which it is not known by which rule they are framed", true) {
            @Override
            void talk(Talk talk) {
                talk.sides(side -> talk.send(side, WRONG));
                talk.sides(side -> talk.send(side, Arrays.copyOf(WRONG, 25_000)));
            }
        },
        TINY_SEGMENTS("an FPDU in segments of one byte", true) {
            @Override
            void talk(Talk talk) {
                for (int i = 0; i < 300; i++) {
                    talk.send(true, LONG[i]);
                }
            }
        };

        private static final byte[] LONG = frame(Segment.write(9, 0, new byte[65_000]));
        private static final byte[] WRONG = frame(Segment.write(9, 0, new byte[27_000]));
        private static final byte[] REQUESTS = requests();
        private static final List<byte[]> BEGINNINGS = beginnings();

        static {
            WRONG[WRONG.length - 1] ^= 1;
        }

        private final String words;
        private final boolean gives;

        Waiting(String words, boolean gives) {
            this.words = words;
            this.gives = gives;
        }

        abstract void talk(Talk talk);

        @Override
        public String toString() {
            return words;
        }

        private static byte[] requests() {
            Octets all = new Octets();
            for (int msn = 1; msn <= 300; msn++) {
                all.add(frame(Segment.readRequest(msn, 1, 2, 3, 4, 5)));
            }
            return all.bytes();
        }

        private static List<byte[]> beginnings() {
            byte[] payload = new byte[16_000];
            List<byte[]> fpdus = new ArrayList<>();
            for (int queue = 0; queue < 4; queue++) {
                fpdus.add(frame(Segment.send(1, payload).queue(queue).last(false)));
            }
            fpdus.add(frame(Segment.write(9, 0, payload).last(false)));
            return fpdus;
        }

        private static byte[] frame(Segment segment) {
            return new Framer(false, true).frame(segment.bytes());
        }
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

    /** One connection of many. */
    static final class Talk {
        private final Consumer<Frame> out;
        private final int port;
        private final int[] sequence = {1, 1};
        private long frames;

        Talk(int port, Consumer<Frame> out) {
            this.port = port;
            this.out = out;
        }

        void sides(Consumer<Boolean> what) {
            what.accept(true);
            what.accept(false);
        }

        void hole(boolean initiator, int length) {
            sequence[initiator ? 0 : 1] += length;
        }

        void send(boolean initiator, byte... octets) {
            send(initiator, Integer.MAX_VALUE, octets);
        }

        /** Sends bytes in a frame that a snapshot length cuts to this size. */
        void send(boolean initiator, int left, byte[] octets) {
            byte[] packet = packet(initiator, octets);
            int length = (int) Math.min(packet.length, packet.length - octets.length + (long) left);
            out.accept(new Frame(++frames, 1, Packets.RAW, Arrays.copyOf(packet, length), packet.length));
        }

        /** Sends bytes in a frame that is longer than its packet. */
        void padded(boolean initiator, byte[] octets, int length) {
            out.accept(new Frame(++frames, 1, Packets.RAW, Arrays.copyOf(packet(initiator, octets), length), length));
        }

        private byte[] packet(boolean initiator, byte[] octets) {
            int side = initiator ? 0 : 1;
            byte[] packet = Packets.tcp(initiator, sequence[side], 0, Packets.PSH, octets);
            int at = initiator ? 20 : 22;
            packet[at] = (byte) (port >> 8);
            packet[at + 1] = (byte) port;
            sequence[side] += octets.length;
            return packet;
        }
    }

    static final class Program {
        private static final int CONNECTIONS = 2500;

        private Program() {}

        public static void main(String[] arguments) {
            int[] told = new int[1];
            Messages sums = new Messages(item ->
                    told[0] += item instanceof Item.Note note && note.text().contains(GIVEN_UP) ? 1 : 0);
            Decoder decoder = new Decoder(Set.of(), sums, sums::ended);
            Talked start = Talked.plain();
            for (int i = 0; i < CONNECTIONS; i++) {
                Talk talk = new Talk(10_000 + i, decoder::frame);
                talk.send(true, start.initiator.get(0));
                talk.send(false, start.responder.get(0));
                Waiting.valueOf(arguments[0]).talk(talk);
            }
            decoder.end();
            sums.end();
            System.out.println("decoded" + (told[0] > 0 ? ", and some given up" : ""));
        }
    }
}
