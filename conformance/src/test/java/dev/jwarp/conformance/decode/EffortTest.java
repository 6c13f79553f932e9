package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.capture.PacketReader;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The effort to find where FPDUs begin, in bytes that are read for each byte of the stream, for any capture. */
class EffortTest {
    private static final int LONG = 200_000;

    /** Streams in which nearly every byte may be the start of an FPDU. */
    enum Hostile {
        LATE_HEADERS_OF_LONG_FPDUS(24, false, () -> headers()),
        LATE_HEADERS_EVERY_FOUR(1448, false, () -> Octets.hex("F000C140".repeat(LONG / 4))),
        LATE_SHORT_AND_LONG(
                40,
                false,
                () -> repeated(Packets.join(Arrays.copyOf(headers(), 20), frame(Segment.write(1, 2), false)))),
        EVERY_OTHER_CRC_WRONG(1448, true, () -> repeated(Packets.join(frame(Segment.write(1, 2), true), wrong(0)))),
        LONG_FPDUS_WITH_WRONG_CRCS(8, true, () -> repeated(wrong(40_000))),
        PRIVATE_DATA_WITHOUT_END(1, true, () -> new byte[20_000]);

        private final int segment;
        private final boolean started;

        @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
        private final Supplier<byte[]> stream;

        Hostile(int segment, boolean started, Supplier<byte[]> stream) {
            this.segment = segment;
            this.started = started;
            this.stream = stream;
        }

        /** These bytes again and again, up to the length of a stream. */
        private static byte[] repeated(byte[] part) {
            Octets all = new Octets();
            while (all.size() < LONG) {
                all.add(part);
            }
            return all.bytes();
        }

        private static byte[] wrong(int payload) {
            byte[] wrong = frame(Segment.write(1, 2, new byte[payload]), true);
            wrong[wrong.length - 1] ^= 1;
            return wrong;
        }

        private static byte[] headers() {
            byte[] octets = new byte[LONG];
            new Random(1).nextBytes(octets);
            for (int at = 0; at + 24 <= LONG; at += 24) {
                octets[at] = (byte) 0xFF;
                octets[at + 1] = (byte) 0xFF;
                System.arraycopy(Segment.write(9, at).bytes(), 0, octets, at + 2, Segment.TAGGED);
            }
            return octets;
        }

        static byte[] frame(Segment segment, boolean crc) {
            return new Framer(false, crc).frame(segment.bytes());
        }
    }

    /** The effort for a side of a connection with a named port, in bytes for each received byte. */
    private static double cost(Hostile kind, byte[] stream) {
        MpaTalk talk = new MpaTalk(
                0,
                List.of(segment(true, 0).source(), segment(true, 0).target()),
                true,
                new Budget(1L << 40),
                item -> {});
        int declared = kind == Hostile.PRIVATE_DATA_WITHOUT_END ? 0xFFFF : 0;
        if (kind.started) {
            byte[] request = StartFrame.request().declaring(declared).bytes();
            talk.side(0).octets(segment(true, 1, request), 0, request.length);
            talk.side(1).octets(segment(false, 1, StartFrame.reply().bytes()), 0, StartFrame.HEADER);
        }
        for (int at = 0; at < stream.length; at += kind.segment) {
            byte[] octets = Arrays.copyOfRange(stream, at, Math.min(stream.length, at + kind.segment));
            talk.side(0).octets(segment(true, at, octets), 0, octets.length);
        }
        talk.side(0).end(true);
        return (double) talk.side(0).effort().spent() / stream.length;
    }

    private static Tcp segment(boolean initiator, int sequence, byte... octets) {
        return (Tcp) new PacketReader()
                .read(Packets.frame(sequence + 1L, Packets.tcp(initiator, sequence, 0, Packets.PSH, octets)));
    }

    @ParameterizedTest
    @EnumSource(Hostile.class)
    @DisplayName("the effort for each byte of any stream is limited")
    void noStreamCostsMore(Hostile kind) {
        byte[] stream = kind.stream.get();

        assertThat(cost(kind, stream)).isLessThan(2 * (Effort.EACH + (double) Effort.FIRST / stream.length));
    }

    /** The effort for 300 FPDUs; in each hundred of them this one has a wrong CRC. */
    private static double cost(int wrong) {
        Octets all = new Octets();
        for (int i = 0; i < 300; i++) {
            byte[] fpdu = Hostile.frame(Segment.write(1, 2, new byte[1500]), true);
            fpdu[fpdu.length - 1] ^= (byte) (i % 100 == wrong ? 1 : 0);
            all.add(fpdu);
        }
        return cost(Hostile.EVERY_OTHER_CRC_WRONG, all.bytes());
    }

    @Test
    @DisplayName("a right stream is read once; one wrong CRC in a hundred FPDUs takes less than a tenth of the limit")
    void rightStreamIsReadOnce() {
        assertThat(cost(-1)).isLessThan(1.01);
        assertThat(cost(50)).isLessThan(Effort.EACH / 10.0);
    }
}
