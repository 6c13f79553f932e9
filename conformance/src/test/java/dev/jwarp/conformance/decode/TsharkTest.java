package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.CaptureFiles;
import dev.jwarp.conformance.capture.Frame;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** tshark and jwarp decode read the same bytes: each startup frame and FPDU in the same frame, each field the same. */
@DisplayName("tshark agrees, field by field,")
class TsharkTest {
    static final List<Path> KEPT = CaptureFiles.kept("siw-");

    @TempDir
    static Path folder;

    /** tshark's output for the artificial conversations, by their names. */
    private static final Map<String, List<Tshark.Unit>> READ = new HashMap<>();

    /** tshark takes longer to start than to read: so one capture has all conversations, each on a port of its own. */
    @BeforeAll
    static void read() throws Exception {
        Tshark.assume();
        List<Made> all = Stream.concat(Made.all(), Made.unreadable()).toList();
        List<Frame> frames = new ArrayList<>();
        int[] begin = new int[all.size() + 1];
        for (int i = 0; i < all.size(); i++) {
            for (Frame frame : all.get(i).frames()) {
                frames.add(Packets.from(10_000 + i, frame));
            }
            begin[i + 1] = frames.size();
        }
        Path file = folder.resolve("made.pcap");
        Files.write(file, CaptureFiles.pcap(ByteOrder.LITTLE_ENDIAN, true, frames));
        List<Tshark.Unit> units = Tshark.read(file, folder);
        for (int i = 0; i < all.size(); i++) {
            int stream = i;
            READ.put(
                    all.get(i).name(),
                    units.stream()
                            .filter(unit -> unit.frame() > begin[stream] && unit.frame() <= begin[stream + 1])
                            .map(unit -> new Tshark.Unit(
                                    unit.frame() - begin[stream], unit.stream() - stream, unit.fields(), unit.crc()))
                            .toList());
        }
    }

    @ParameterizedTest
    @FieldSource("KEPT")
    @DisplayName("on the capture of siw")
    void onKeptCaptures(Path capture) throws Exception {
        compare(CaptureFiles.read(Files.readAllBytes(capture)), Tshark.read(capture, folder));
    }

    @ParameterizedTest
    @MethodSource("dev.jwarp.conformance.decode.Made#all")
    @DisplayName("on an artificial conversation:")
    void onMadeCaptures(Made made) {
        compare(made.frames(), READ.get(made.name()));
    }

    @Test
    @DisplayName("and its differences have known reasons")
    void exceptionsAreStillNeeded() {
        for (Made made : Made.unreadable().toList()) {
            assertThat(lines(READ.get(made.name())))
                    .as("tshark has learnt to read what it could not: %s", made)
                    .isNotEqualTo(ours(made.frames()));
        }
    }

    private static void compare(List<Frame> frames, List<Tshark.Unit> units) {
        List<String> ours = ours(frames);
        assertThat(ours).isNotEmpty();
        assertThat(ours).isEqualTo(lines(units));
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
