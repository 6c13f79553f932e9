package dev.jwarp.tools.loss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.figure.Svg;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The plots of jwarp loss")
class LossPlotsTest {
    private static final String JSON = "{\"schema\":\"jwarp.loss/1\",\"result\":{\"where\":\"two tins and a string\","
            + "\"command\":\"jwarp loss --rates 0,10\",\"rows\":[%s]}}";
    private static final String ROW = "{\"service\":\"%s\",\"loss_percent\":%s,\"size_bytes\":1024,\"messages\":10,"
            + "\"whole\":%d,\"lost\":%d,\"goodput_mib_per_s\":%s,\"latency_us\":%s,\"note\":\"\",\"status\":\"%s\"}";
    private static final String LATENCY = "{\"p50\":10,\"p90\":20,\"p99\":30,\"p999\":40,\"max\":50}";

    private static Path document(Path folder, String... rows) throws Exception {
        return Files.writeString(folder.resolve("rows.json"), JSON.formatted(String.join(",", rows)));
    }

    @BeforeAll
    static void canDraw() {
        Svg.assumeThatItCanBeDrawn();
    }

    private static String draw(Path folder, Path document) {
        Run run = Run.of("loss", "--from", document.toString(), "--plot", folder.toString());
        assertThat(run.status()).as(run.toString()).isZero();
        return run.out();
    }

    @Test
    @DisplayName("are drawn from the rows of an earlier run and describe it")
    void drawn(@TempDir Path folder) throws Exception {
        Path document = document(
                folder,
                ROW.formatted("UD send", "0.0", 10, 0, "12.5", LATENCY, "ok"),
                ROW.formatted("UD send", "10.0", 0, 10, "0.0", "null", "ok"),
                ROW.formatted("RC send", "null", 10, 0, "20.0", LATENCY, "cut"));

        assertThat(draw(folder, document)).startsWith("two tins and a string").contains("RC send");

        for (String name : List.of("goodput", "arrival", "messages", "latency")) {
            BufferedImage image = ImageIO.read(folder.resolve(name + ".png").toFile());
            assertThat(image.getWidth()).isGreaterThan(1000);
            assertThat(Svg.texts(Svg.parse(folder.resolve(name + ".svg"))))
                    .contains("two tins and a string", "jwarp loss --rates 0,10")
                    .anySatisfy(text -> assertThat(text).contains("1 of 3 rows were cut"));
        }
    }

    @Test
    @DisplayName("have no theory without an unreliable service")
    void reliable(@TempDir Path folder) throws Exception {
        draw(folder, document(folder, ROW.formatted("RD send", "5.0", 10, 0, "12.5", LATENCY, "ok")));

        assertThat(folder.resolve("goodput.svg")).exists();
        assertThat(folder.resolve("arrival.svg")).doesNotExist();
    }

    @Test
    @DisplayName("are drawn for each round trip; connections without a delay are in all of them")
    void networks(@TempDir Path folder) throws Exception {
        String row = ROW.replaceFirst("}$", ",\"rtt_ms\":%s}");
        draw(
                folder,
                document(
                        folder,
                        row.formatted("UD send", "1.0", 10, 0, "12.5", LATENCY, "ok", "1.0"),
                        row.formatted("UD send", "1.0", 10, 0, "12.5", LATENCY, "ok", "50.0"),
                        row.formatted("RC send", "null", 10, 0, "20.0", LATENCY, "ok", "null")));

        for (String name : List.of("goodput-round-trip-1-ms", "goodput-round-trip-50-ms")) {
            assertThat(Svg.texts(Svg.parse(folder.resolve(name + ".svg")))).contains("UD send", "RC send");
        }
        assertThat(folder.resolve("goodput.svg")).doesNotExist();
    }

    @Test
    @DisplayName("show medians of several runs with whiskers, and theory as a curve")
    void spread(@TempDir Path folder) throws Exception {
        String row =
                ROW.replaceFirst("}$", ",\"run\":%d,\"load\":%s,\"whole_percent\":%s,\"datagrams_per_message\":3}");
        Path document = document(
                folder,
                row.formatted("UD send", "1.0", 10, 0, "12.5", LATENCY, "ok", 1, "0.25", "96.0"),
                row.formatted("UD send", "1.0", 10, 0, "14.5", LATENCY, "ok", 2, "1.75", "98.0"),
                row.formatted("UD send", "1.0", 10, 0, "13.5", LATENCY, "ok", 3, "1.00", "97.5"));

        assertThat(draw(folder, document))
                .containsPattern("least +most")
                .containsPattern("UD send +1024 +1 +3 +30 +30 +0 +0 +0 +97.50 .* 13.5 +12.5 +14.5 ")
                .contains("when rows began: 0.3 to 1.8, median 1.0");
        assertThat(Svg.texts(Svg.parse(folder.resolve("arrival.svg"))))
                .contains("theory, in the colour of its service")
                .anySatisfy(text -> assertThat(text).contains("medians of 3 runs"));
        String drawn = Files.readString(folder.resolve("arrival.svg"));
        String text = Files.readString(document);
        for (String other : List.of(
                text.replace("96.0", "50.0"),
                text.replace("\"datagrams_per_message\":3", "\"datagrams_per_message\":30"))) {
            draw(folder, Files.writeString(document, other));
            assertThat(Files.readString(folder.resolve("arrival.svg")))
                    .as("a longer whisker, or more datagrams: the point stays")
                    .isNotEqualTo(drawn);
        }
    }

    @Test
    @DisplayName("show no line where nothing arrived")
    void nothing(@TempDir Path folder) throws Exception {
        draw(folder, document(folder, ROW.formatted("UD read", "50.0", 0, 10, "null", "null", "ok")));

        assertThat(Files.readString(folder.resolve("latency.svg"))).contains("nothing to show");
    }

    @Test
    @DisplayName("want a document of jwarp loss")
    void other(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("other.json"), "{\"schema\":\"jwarp.rping/1\"}");

        Run run = Run.of("loss", "--from", file.toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("not a document of jwarp loss --json-file");
    }
}
