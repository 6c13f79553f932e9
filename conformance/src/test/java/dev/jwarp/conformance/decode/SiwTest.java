package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.CaptureFiles;
import dev.jwarp.conformance.wire.TerminateFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Captures of Linux's siw: everything is decoded, every CRC in use is right, and only siw's known faults are found. */
class SiwTest {
    private static List<Item> decode(String name) throws IOException {
        Path file = CaptureFiles.KEPT.resolve("siw-" + name + ".pcap");
        return Packets.decode(CaptureFiles.read(Files.readAllBytes(file)));
    }

    static Stream<String> goodOnes() {
        return CaptureFiles.kept("siw-").stream()
                .map(file -> file.getFileName().toString().replaceAll("^siw-|\\.pcap$", ""))
                .filter(name -> !name.equals("terminates"));
    }

    @ParameterizedTest
    @MethodSource("goodOnes")
    @DisplayName("only the pad of short Sends is wrong")
    void nothingIsWrongButPadOfShortSends(String name) throws Exception {
        List<Item> items = decode(name);

        assertThat(Packets.violations(items)).isSubsetOf("MPA-4.1-3");
        assertThat(Packets.fpdus(items))
                .isNotEmpty()
                .allSatisfy(fpdu -> assertThat(fpdu.crc()).isIn(Crc.OK, Crc.OFF));
        assertThat(Packets.notes(items)).allMatch(note -> note.endsWith("MPA, by its Request"));
    }

    @ParameterizedTest
    @CsvSource({
        "rping, OFF, 27, 0",
        "rping-crc6, OK, 14, 0",
        "rping-rtr, OK, 8, 0",
        "read-lat, OFF, 32, 2",
        "read-bw, OK, 52, 2",
        "send-lat, OFF, 40, 2",
        "write-bw, OK, 37, 2"
    })
    @DisplayName("conversations are complete")
    void allOfConversationIsThere(String name, Crc crc, int fpdus, int pads) throws Exception {
        List<Item> items = decode(name);

        assertThat(Packets.fpdus(items))
                .hasSize(fpdus)
                .extracting(Item.Framed::crc)
                .containsOnly(crc);
        assertThat(Packets.violations(items)).hasSize(pads);
    }

    @Test
    @DisplayName("Terminates in siw's order of bits have siw's meaning")
    void terminatesInSiwsOrderOfBits() throws Exception {
        List<Item> items = decode("terminates");

        assertThat(Packets.terminates(items))
                .allMatch(TerminateFields::swapped)
                .extracting(TerminateFields::cause)
                .containsExactly(0x2002, 0x1100, 0x0206, 0x0100, 0x1201);
        assertThat(Packets.fpdus(items))
                .filteredOn(fpdu -> fpdu.terminated() != null)
                .allSatisfy(
                        t -> assertThat(t.findings()).extracting(Finding::id).containsExactly("RDMAP-4.8-1"));
    }
}
