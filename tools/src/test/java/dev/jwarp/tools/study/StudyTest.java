package dev.jwarp.tools.study;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Main;
import dev.jwarp.tools.Run;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@DisplayName("jwarp study")
class StudyTest {
    private static final Set<String> MAY_BE_ZERO = Set.of("strangers_messages", "copied_to_assemble");
    /** What tests before this one have left may be collected meanwhile. */
    private static final Set<String> MAY_BE_NEGATIVE = Set.of("memory_mb", "client_kb");

    /** Two contenders, and one that dies. */
    private static final String STUDIES = """
            studies:
            - name: small
              title: Loss & chunks
              x: loss_percent
              figures: [whole_percent, time_ms]
              contenders:
              - {series: service, run: 'loss --quiet --services ud-send --sizes 1K --messages 100 --rates 0,50'}
              - {name: nodes, run: 'study --work nodes over=tcp deal=turn slower=1 chunk={x}', x: [65536, 1048576, 4194304]}
              claims:
              - says: Half of it is lost.
                source: a paper
                published: half
                when: [{of: UD send, figure: whole_percent, at: 50, toAt: 0, below: 0.9}]
              - says: None of it is lost.
                source: a paper
                published: all
                when: [{of: UD send, figure: whole_percent, at: 50, toAt: 0, above: 0.9}]
            - name: dies
              title: A contender that dies
              x: none
              figures: [time_ms]
              contenders:
              - {name: dead, run: study --work nothing a=b}
              claims:
              - says: It lives.
                source: a paper
                published: alive
                when: [{of: dead, figure: time_ms, value: 1, above: 0}]
            """;

    private final Run world = Run.later();

    private int study(String... arguments) throws IOException {
        StudyCatalogue catalogue =
                StudyCatalogue.read(new ByteArrayInputStream(STUDIES.getBytes(StandardCharsets.UTF_8)));
        return new CommandLine(new StudyCommand(world.console(), Main.class, catalogue)).execute(arguments);
    }

    @Test
    @DisplayName("measures contenders in turn, and says which claims it found")
    void found(@TempDir Path folder) throws Exception {
        assertThat(study("small", "--quick", "--quiet", "--out", folder.toString()))
                .as(world.err())
                .isZero();

        assertThat(world.out())
                .contains("small: Loss & chunks", "found: Half of it is lost. Published: half; here: 0.")
                .contains("not found: None of it is lost.");
        assertThat(folder).isDirectoryContaining("glob:**/small.svg").isDirectoryContaining("glob:**/small.png");
        assertThat(Files.readString(folder.resolve("index.html")))
                .contains("Loss &amp; chunks", "data:image/svg+xml;base64,", "<b class=\"not-found\">not found</b>");
        assertThat(Files.readString(folder.resolve("claims.md"))).contains("| small | None of it is lost. (a paper)");
        // Two rates of loss, and the first of three chunks, as no claim is about the others.
        assertThat(Files.readAllLines(folder.resolve("small.csv"))).hasSize(1 + 2 + 1);
    }

    @Test
    @DisplayName("reports a contender that dies as an error, not as a figure")
    void dies() throws Exception {
        assertThat(study("dies", "--quiet")).isEqualTo(1);

        assertThat(world.out()).contains("ERROR: It lives.").contains("there is no application 'nothing'");
        assertThat(world.err()).contains("claims could not be checked").contains("ended with status 2");
    }

    @Test
    @DisplayName("writes what there is when it is interrupted")
    void interrupted(@TempDir Path folder) throws Exception {
        world.console().interruption().request(dev.jwarp.tools.cli.Interruption.SIGINT);

        assertThat(study("small", "--quiet", "--out", folder.toString())).isEqualTo(130);
        assertThat(Files.readString(folder.resolve("index.html"))).contains("Loss &amp; chunks");
        assertThat(world.out()).contains("NOT RUN: Half of it is lost.").doesNotContain("found:", "ERROR");
    }

    @Test
    @DisplayName("lists the studies, as text and as JSON")
    void list() throws Exception {
        assertThat(Run.of("study", "list").out()).contains("study ", "verbs ", "one-sided ");
        JsonNode document =
                new ObjectMapper().readTree(Run.of("study", "list", "--json").out());
        assertThat(document.path("result").findValuesAsText("name")).contains("verbs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "calls over=rc",
                "calls over=ud",
                "pages over=rc objects=8 size=1000",
                "media over=rc buffer=20000",
                "media over=ud buffer=20000",
                "remote by=read program=stopped",
                "remote by=message program=sleeps",
                "crowd over=rc connections=3",
                "peers over=rc shape=in peers=2 size=65536 options=PROTOCOL:CREDITS,CREDITS:4",
                "peers over=tcp shape=out peers=2 size=65536",
                "peers over=rc shape=trips peers=2 size=4",
                "tiers over=tcp,rc,rc connections=3,2,1",
                "group members=2",
                "shares over=ud pairs=2 weight=4 load=full",
                "shares over=rc pairs=2 weight=4 load=light",
                "shares over=rc pairs=3 weight=1 load=flood",
                "memory over=rc clients=3 receives=2 size=1000",
                "memory over=ud clients=3 size=1000",
                "copies size=100",
                "striped by=read nodes=2",
                "striped by=write nodes=1",
                "queries over=rc blocks=64 full=30",
                "queries over=tcp blocks=1 full=0",
                "copy by=stream size=1000",
                "copy by=one-sided size=1000",
                "copy by=tcp size=1000",
                "copy by=read size=1000"
            })
    @DisplayName("has applications that run over each of their transports")
    void applications(String words) throws Exception {
        Run run = Run.of(("study --json --work " + words + " seconds=0.05").split(" ", -1));
        assertThat(run.status()).as(run.toString()).isZero();
        JsonNode rows = new ObjectMapper().readTree(run.out()).at("/result/rows");
        assertThat(rows).as(run.toString()).hasSize(1);
        new ObjectMapper()
                .convertValue(rows.get(0), new TypeReference<Map<String, Double>>() {})
                .forEach((figure, value) -> assertThat(value)
                        .as(figure)
                        .isFinite()
                        .isGreaterThanOrEqualTo(
                                MAY_BE_NEGATIVE.contains(figure)
                                        ? -Double.MAX_VALUE
                                        : MAY_BE_ZERO.contains(figure) ? 0 : Double.MIN_VALUE));
    }
}
