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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The effort to find where FPDUs begin, in bytes that are read for each byte of the stream, for any capture. */
class EffortTest {
    private static final int LONG = 200_000;

    /** Streams in which nearly every byte may be the start of an FPDU. */
    enum Hostile {
        LATE_HEADERS_OF_LONG_FPDUS(24, false) {
            @Override
            byte[] stream() {
                return headers(24);
            }
        },
        LATE_HEADERS_EVERY_FOUR(1448, false) {
            @Override
            byte[] stream() {
                byte[] octets = new byte[LONG];
                for (int at = 0; at + 4 <= LONG; at += 4) {
                    System.arraycopy(new byte[] {(byte) 0xF0, 0, (byte) 0xC1, 0x40}, 0, octets, at, 4);
                }
                return octets;
            }
        },
        LATE_SHORT_AND_LONG(40, false) {
            @Override
            byte[] stream() {
                Octets all = new Octets();
                byte[] head = Arrays.copyOf(headers(24), 20);
                while (all.size() < LONG) {
                    all.add(head).add(frame(Segment.write(1, 2), false));
                }
                return all.bytes();
            }
        },
        EVERY_OTHER_CRC_WRONG(1448, true) {
            @Override
            byte[] stream() {
                Octets all = new Octets();
                while (all.size() < LONG) {
                    byte[] wrong = frame(Segment.write(1, 2), true);
                    wrong[wrong.length - 1] ^= 1;
                    all.add(frame(Segment.write(1, 2), true)).add(wrong);
                }
                return all.bytes();
            }
        },
        LONG_FPDUS_WITH_WRONG_CRCS(8, true) {
            @Override
            byte[] stream() {
                byte[] wrong = frame(Segment.write(1, 2, new byte[40_000]), true);
                wrong[wrong.length - 1] ^= 1;
                return Packets.join(wrong, wrong, wrong, wrong, wrong);
            }
        },
        PRIVATE_DATA_WITHOUT_END(1, true) {
            @Override
            byte[] stream() {
                return new byte[20_000];
            }
        };

        private final int segment;
        private final boolean started;

        Hostile(int segment, boolean started) {
            this.segment = segment;
            this.started = started;
        }

        abstract byte[] stream();

        private static byte[] headers(int apart) {
            byte[] octets = new byte[LONG];
            new Random(1).nextBytes(octets);
            for (int at = 0; at + apart <= LONG; at += apart) {
                byte[] head = new Octets()
                        .u16(0xFFFF)
                        .add(Segment.write(9, at).bytes())
                        .bytes();
                System.arraycopy(head, 0, octets, at, head.length);
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
            byte[] request = StartFrame.request().bytes();
            request[18] = (byte) (declared >> 8);
            request[19] = (byte) declared;
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
        byte[] stream = kind.stream();

        assertThat(cost(kind, stream)).isLessThan(2 * (Effort.EACH + (double) Effort.FIRST / stream.length));
    }

    @Test
    @DisplayName("a right stream is read once")
    void rightStreamIsReadOnce() {
        Octets all = new Octets();
        for (int i = 0; i < 100; i++) {
            all.add(Hostile.frame(Segment.write(1, 2, new byte[1500]), true));
        }

        assertThat(cost(Hostile.EVERY_OTHER_CRC_WRONG, all.bytes())).isLessThan(1.01);
    }

    @Test
    @DisplayName("one wrong CRC in a hundred FPDUs takes less than a tenth of the limit")
    void oneWrongCrcInHundred() {
        Octets all = new Octets();
        for (int i = 0; i < 300; i++) {
            byte[] fpdu = Hostile.frame(Segment.write(1, 2, new byte[1500]), true);
            fpdu[fpdu.length - 1] ^= (byte) (i % 100 == 50 ? 1 : 0);
            all.add(fpdu);
        }

        assertThat(cost(Hostile.EVERY_OTHER_CRC_WRONG, all.bytes())).isLessThan(Effort.EACH / 10.0);
    }
}
