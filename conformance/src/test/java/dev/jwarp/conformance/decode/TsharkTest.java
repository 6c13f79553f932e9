package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.CaptureFiles;
import dev.jwarp.conformance.capture.Frame;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** tshark and jwarp decode read the same octets: each startup frame and FPDU in the same frame, each field the same. */
@DisplayName("tshark agrees, field by field,")
class TsharkTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void needsTshark() {
        Tshark.assume();
    }

    static Stream<Path> kept() throws IOException {
        try (Stream<Path> files = Files.list(CaptureFiles.KEPT)) {
            return files.filter(file -> file.getFileName().toString().startsWith("siw-")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("kept")
    @DisplayName("on the capture of siw")
    void onKeptCaptures(Path capture) throws Exception {
        compare(capture, CaptureFiles.read(Files.readAllBytes(capture)));
    }

    static Stream<Made> made() {
        return Made.all();
    }

    @ParameterizedTest
    @MethodSource("made")
    @DisplayName("on a made-up conversation:")
    void onMadeCaptures(Made made) throws Exception {
        List<Frame> frames = made.frames();
        Path file = Files.createTempFile(folder, "made", ".pcap");
        Files.write(file, CaptureFiles.pcap(ByteOrder.LITTLE_ENDIAN, true, frames));
        compare(file, frames);
    }

    @Test
    @DisplayName("and where it does not, it is known why")
    void exceptionsAreStillNeeded() throws Exception {
        for (Made made : Made.unreadable().toList()) {
            List<Frame> frames = made.frames();
            Path file = Files.createTempFile(folder, "unreadable", ".pcap");
            Files.write(file, CaptureFiles.pcap(ByteOrder.LITTLE_ENDIAN, true, frames));
            assertThat(lines(Tshark.read(file, folder)))
                    .as("tshark has learnt to read what it could not: %s", made)
                    .isNotEqualTo(ours(frames));
        }
    }

    private static void compare(Path file, List<Frame> frames) throws IOException, InterruptedException {
        List<String> ours = ours(frames);
        assertThat(ours).isNotEmpty();
        assertThat(ours).isEqualTo(lines(Tshark.read(file, folder)));
    }

    private static List<String> lines(List<Tshark.Unit> units) {
        List<String> lines = new ArrayList<>();
        for (Tshark.Unit unit : units) {
            Map<String, String> fields = new TreeMap<>();
            unit.fields().forEach((name, value) -> {
                if (!TsharkFields.BESIDES.contains(name)) {
                    fields.put(name, TsharkFields.normal(name, value));
                }
            });
            lines.add("frame %d stream %d crc %s %s".formatted(unit.frame(), unit.stream(), unit.crc(), fields));
        }
        lines.sort(String.CASE_INSENSITIVE_ORDER);
        return lines;
    }

    private static List<String> ours(List<Frame> frames) {
        List<String> lines = new ArrayList<>();
        for (Item item : Packets.decode(frames)) {
            Map<String, String> fields = new TreeMap<>();
            TsharkFields.of(item).forEach((name, value) -> fields.put(name, TsharkFields.normal(name, value)));
            if (!fields.isEmpty()) {
                lines.add("frame %d stream %d crc %s %s"
                        .formatted(item.place().frame(), item.place().stream(), TsharkFields.crc(item), fields));
            }
        }
        lines.sort(String.CASE_INSENSITIVE_ORDER);
        return lines;
    }
}
