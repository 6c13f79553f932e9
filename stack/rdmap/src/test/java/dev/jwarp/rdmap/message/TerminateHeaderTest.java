package dev.jwarp.rdmap.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.TerminateMessage.Layout;
import dev.jwarp.vectors.Vectors;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Terminates are read leniently, including siw's mirrored ones")
class TerminateHeaderTest {
    private static TerminateMessage read(String hex, boolean setUp) {
        byte[] octets = Vectors.hex(hex.replace(" ", ""));
        return TerminateHeader.read(ByteBuffer.wrap(octets), 0, octets.length, setUp);
    }

    @ParameterizedTest(name = "{0}, set-up {1}: {3} {4}")
    @CsvSource({
        // flags in the RFC's place decide for the RFC
        "1100C000 0010 C140bad00000000000000000004000, false, RFC, DDP_INVALID_STAG, 1/1/00 with header",
        "0206C000 0012 414c00000000000000000000000100000000, false, RFC, RDMAP_UNEXPECTED_OPCODE, 0/2/06 with header",
        // flags in siw's place decide for siw
        "11000300 0010 c140bad00000000000000000004000, false, SIW_LITTLE_ENDIAN, DDP_INVALID_STAG, mirrored",
        "21020300 0004 414300000000000000000000000900000000, false, SIW_LITTLE_ENDIAN, DDP_NO_BUFFER, mirrored",
        "10000700 0000 414100000000000000010000000100000000, false, SIW_LITTLE_ENDIAN, RDMAP_INVALID_STAG, mirrored",
        // without flags: what only one of the two can be
        "02020000, false, SIW_LITTLE_ENDIAN, MPA_CRC, the CRC error of siw",
        "02010000, true, SIW_LITTLE_ENDIAN, MPA_CONNECTION_LOST, mirrored",
        "02040000, true, SIW_LITTLE_ENDIAN, MPA_INVALID_START_FRAME, mirrored",
        "02ff0000, true, RFC, RDMAP_OPERATION_UNSPECIFIED, only RDMAP has FF",
        "02090000, true, RFC, RDMAP_CANNOT_INVALIDATE_OPERATION, only RDMAP has 09",
        "20080000, true, SIW_LITTLE_ENDIAN, RDMAP_CATASTROPHIC_GLOBAL, MPA has no 08",
        "20090000, true, SIW_LITTLE_ENDIAN, RDMAP_CANNOT_INVALIDATE_OPERATION, MPA has no 09",
        "20ff0000, true, SIW_LITTLE_ENDIAN, RDMAP_OPERATION_UNSPECIFIED, MPA has no FF",
        "21040000, false, SIW_LITTLE_ENDIAN, DDP_INVALID_MO, layer 2 has no type 1",
        "20020000, false, RFC, MPA_CRC, as the RFC draws it",
        "20030000, true, RFC, MPA_MARKER, as the RFC draws it",
        "00000000, false, RFC, RDMAP_LOCAL_CATASTROPHIC, the same both ways",
        "01000000, false, RFC, RDMAP_INVALID_STAG, the RFC's reading",
        "10000000, false, RFC, DDP_LOCAL_CATASTROPHIC, the RFC's reading",
        "11000000, false, RFC, DDP_INVALID_STAG, the same both ways",
        // without flags: what the phase decides
        "20060000, true, RFC, MPA_INSUFFICIENT_IRD, set-up: MPA",
        "20060000, false, SIW_LITTLE_ENDIAN, RDMAP_UNEXPECTED_OPCODE, TERM-SIW-OPCODE",
        "20050000, false, SIW_LITTLE_ENDIAN, RDMAP_INVALID_VERSION, later: RDMAP",
        "20070000, true, RFC, MPA_NO_MATCHING_RTR, set-up: MPA",
        "02060000, true, SIW_LITTLE_ENDIAN, MPA_INSUFFICIENT_IRD, set-up: MPA",
        "02060000, false, RFC, RDMAP_UNEXPECTED_OPCODE, later: RDMAP",
        "02050000, false, RFC, RDMAP_INVALID_VERSION, later: RDMAP",
        "02070000, true, SIW_LITTLE_ENDIAN, MPA_NO_MATCHING_RTR, set-up: MPA",
    })
    void readings(String hex, boolean setUp, Layout layout, TerminateCode code, String why) {
        TerminateMessage message = read(hex, setUp);
        assertThat(message.layout()).as(why).isEqualTo(layout);
        assertThat(message.code()).as(why).isEqualTo(code);
    }

    @Test
    @DisplayName("the three vectors of siw are recognized")
    void siwVectors() {
        for (String id : new String[] {"TERM-SIW-CRC", "TERM-SIW-STAG", "TERM-SIW-OPCODE"}) {
            byte[] ulpdu = Vectors.hex(Vectors.byId(id)
                    .json()
                    .path("segments")
                    .path(0)
                    .path("ulpdu")
                    .asText());
            TerminateMessage message = TerminateHeader.read(ByteBuffer.wrap(ulpdu), 18, ulpdu.length - 18, false);
            assertThat(message.layout()).isEqualTo(Layout.SIW_LITTLE_ENDIAN);
            assertThat(message.toString())
                    .contains("siw")
                    .contains("bytes "
                            + Vectors.byId(id)
                                    .json()
                                    .path("segments")
                                    .path(0)
                                    .path("ulpdu")
                                    .asText()
                                    .substring(36));
        }
        TerminateMessage sTag = read("110003000010c140bad000000000000000004000", false);
        assertThat(sTag.segmentLength()).isEqualTo(16);
        assertThat(sTag.ddpHeader()).isEqualTo(ByteBuffer.wrap(Vectors.hex("c140bad000000000000000004000")));
    }

    @Tag("RDMAP-4.8-5")
    @Test
    @DisplayName("reserved bits are ignored (RFC 5040 §4.8)")
    void reserved() {
        TerminateMessage message = read("1100 DFFF 001e c140bad000000000000000004000", false);
        assertThat(message.layout()).isEqualTo(Layout.RFC);
        assertThat(message.code()).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(message.ddpHeader().capacity()).isEqualTo(14);
    }

    @Test
    @DisplayName("a length without a header is accepted; announced parts that are missing or zero-filled are read as"
            + " absent")
    void parts() {
        assertThat(read("1201 8000 0016", false).segmentLength()).isEqualTo(22);
        assertThat(read("1201 8000 0016", false).ddpHeader().capacity()).isZero();
        assertThat(read("1201 C000", false).segmentLength()).isEqualTo(TerminateMessage.NO_LENGTH);
        assertThat(read("1201 C000 0016 4143", false).ddpHeader().capacity()).isZero();
        TerminateMessage cut = read("0100 E000 002e 414100000000000000010000000100000000 0000aa00", false);
        assertThat(cut.ddpHeader().capacity()).isEqualTo(18);
        assertThat(cut.readRequest().capacity()).isZero();
        TerminateMessage zeros = read("2002 0000" + "00".repeat(48), false);
        assertThat(zeros.code()).isEqualTo(TerminateCode.MPA_CRC);
        assertThat(zeros.ddpHeader().capacity()).isZero();
        assertThat(read("200200", false)).isNull();
    }

    @Test
    @DisplayName("an unknown code is printed with its numbers")
    void unknown() {
        TerminateMessage message = read("3405 0000", false);
        assertThat(message.code()).isNull();
        assertThat(message.layer()).isEqualTo(3);
        assertThat(message.errorType()).isEqualTo(4);
        assertThat(message.errorCode()).isEqualTo(5);
        assertThat(message.toString()).isEqualTo("unknown error 0x3/0x4/0x05, bytes 34050000");
    }
}
