package dev.jwarp.tools.loss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.ToolFailure;
import dev.jwarp.tools.figure.Drawing;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

@DisplayName("The plots of jwarp loss")
@Timeout(60)
class PlotsTest {
    private static final String JSON = "{\"schema\":\"jwarp.loss/1\",\"result\":{\"where\":\"two tins and a string\","
            + "\"command\":\"jwarp loss --rates 0,10\",\"rows\":[%s]}}";
    private static final String ROW = "{\"service\":\"%s\",\"loss_percent\":%s,\"size_bytes\":1024,\"messages\":10,"
            + "\"whole\":%d,\"lost\":%d,\"goodput_mib_per_s\":%s,\"latency_us\":%s,\"note\":\"\",\"status\":\"%s\"}";
    private static final String LATENCY = "{\"p50\":10,\"p90\":20,\"p99\":30,\"p999\":40,\"max\":50}";

    private static Path document(Path folder, String... rows) throws Exception {
        return Files.writeString(folder.resolve("rows.json"), JSON.formatted(String.join(",", rows)));
    }

    /** Says so where people look: surefire keeps the reason to itself. */
    @BeforeAll
    static void canDraw() {
        try {
            Drawing.check("");
        } catch (ToolFailure e) {
            System.err.println("NOT RUN: " + e.getMessage());
            Assumptions.abort(e.getMessage());
        }
    }

    private static String draw(Path folder, Path document) {
        Run run = Run.of("loss", "--from", document.toString(), "--plot", folder.toString());
        assertThat(run.status()).as(run.toString()).isZero();
        return run.out();
    }

    @Test
    @DisplayName("are drawn from the rows of an earlier run, and say what was run where")
    void drawn(@TempDir Path folder) throws Exception {
        Path document = document(
                folder,
                ROW.formatted("UD send", "0.0", 10, 0, "12.5", LATENCY, "ok"),
                ROW.formatted("UD send", "10.0", 0, 10, "0.0", "null", "ok"),
                ROW.formatted("RC send", "null", 10, 0, "20.0", LATENCY, "cut"));

        assertThat(draw(folder, document)).startsWith("two tins and a string").contains("RC send");

        for (String name : List.of("goodput", "messages", "latency")) {
            BufferedImage image = ImageIO.read(folder.resolve(name + ".png").toFile());
            assertThat(image.getWidth()).isGreaterThan(1000);
            Element svg = parse(folder.resolve(name + ".svg"));
            assertThat(svg.getTagName()).isEqualTo("svg");
            assertThat(texts(svg))
                    .contains("two tins and a string", "jwarp loss --rates 0,10")
                    .anySatisfy(text -> assertThat(text).contains("1 of 3 rows were cut"));
        }
    }

    private static Element parse(Path svg) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        return factory.newDocumentBuilder().parse(svg.toFile()).getDocumentElement();
    }

    private static List<String> texts(Element svg) {
        NodeList nodes = svg.getElementsByTagName("text");
        return IntStream.range(0, nodes.getLength())
                .mapToObj(i -> nodes.item(i).getTextContent())
                .toList();
    }

    @Test
    @DisplayName("show no line where nothing came at all")
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
        assertThat(run.err()).contains("no document of jwarp loss --json-file");
    }
}
