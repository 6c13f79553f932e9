package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.jwarp.tools.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a run of {@code jwarp conform} leaves, and how it ends. */
class ConformReportsTest {
    private static final Path SCHEMA = Path.of("../docs/conformance/conform.schema.json");

    @TempDir
    Path folder;

    /** A run that passes, one that is refused at once, and one on a port where nobody is. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--self MPA-4.4",
                "--self rfc9999",
                "--self --fuzz 50 --seed 1",
                "--peer 127.0.0.1:1 MPA-4.4-1 --timeout 0.1"
            })
    @DisplayName("the JSON document is what its schema says")
    void jsonDocumentIsWhatItsSchemaSays(String arguments) throws Exception {
        Run run = Run.of(("conform --json " + arguments).split(" "));

        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertThat(schema.validate(document)).as(run.out()).isEmpty();
        assertThat(document.at("/exit_status").asInt()).isEqualTo(run.status());
    }

    @Test
    @DisplayName("so is that of a script that is repeated")
    void soIsThatOfScript() throws Exception {
        Path script = Files.writeString(
                folder.resolve("s.txt"), "device responder\n1 connect\n1 hear rest *\n1 should something\n");

        Run run = Run.of("conform", "--json", "--self", "--timeout", "0.2", "--replay", script.toString());

        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertThat(schema.validate(document)).as(run.out()).isEmpty();
        assertThat(document.at("/result/ending").asText()).isEqualTo("other");
    }

    @Test
    @DisplayName("the schema does not take everything")
    void schemaDoesNotTakeEverything() throws Exception {
        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));

        assertThat(schema.validate(new ObjectMapper().readTree("{\"schema\":\"jwarp.conform/1\"}")))
                .isNotEmpty();
    }

    @Test
    @DisplayName("the first lines say when, with what version, where and by what command line")
    void firstLinesSayWhereItComesFrom() {
        Run run = Run.of("conform", "--self", "--private-data", "it's me", "MPA-4.4-6");

        assertThat(run.out().lines().findFirst().orElse(""))
                .matches("jwarp conform \\S+, \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ, on .+");
        assertThat(run.out().lines().skip(1).findFirst().orElse(""))
                .isEqualTo("jwarp conform --self --private-data 'it'\\''s me' MPA-4.4-6");
    }

    @Test
    @DisplayName("the files that were asked for are there")
    void filesThatWereAskedForAreThere() {
        Path xml = folder.resolve("r.xml");
        Path html = folder.resolve("r.html");

        Run run = Run.of("conform", "--self", "MPA-4.4-6", "--junit", xml.toString(), "--html", html.toString());

        assertThat(run.status()).isZero();
        assertThat(xml).content().contains("<testsuite name=\"rfc5044\"");
        assertThat(html).content().contains("MPA-4.4-6:");
    }

    @Test
    @DisplayName("a file that cannot be written is said before the run")
    void fileThatCannotBeWrittenIsSaidBeforeRun() {
        Run run = Run.of(
                "conform", "--self", "--junit", folder.resolve("no/r.xml").toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("there is no folder").doesNotContain("cases");
    }

    @Test
    @DisplayName("a device that is not there is a fault of the set up")
    void deviceThatIsNotThereIsFaultOfSetUp() {
        Run run = Run.of("conform", "--peer", "127.0.0.1:1");

        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err()).contains("cannot connect to 127.0.0.1:1");
    }

    @Test
    @DisplayName("an excluded case that passes is said")
    void excludedCaseThatPassesIsSaid() throws Exception {
        Path known = Files.writeString(folder.resolve("known"), "MPA-4.4-6 the vendor says so\n");

        Run run = Run.of("conform", "--self", "MPA-4.4-6", "--exclude", known.toString());

        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("known deviations passed");
    }

    @Test
    @DisplayName("every filter and every known deviation must name a case")
    void everyFilterAndEveryKnownDeviationMustNameCase() throws Exception {
        Path known = Files.writeString(folder.resolve("known"), "MPA-99 a slip of the pen\n");

        Run filter = Run.of("conform", "--self", "MPA-4.4-6", "MPA-99");
        Run exclusion = Run.of("conform", "--self", "MPA-4.4-6", "--exclude", known.toString());
        Run nowhere = Run.of("conform", "--self", "--exclude", "/nowhere");

        assertThat(filter.status()).isEqualTo(2);
        assertThat(filter.err()).contains("no case matches MPA-99");
        assertThat(exclusion.status()).isEqualTo(2);
        assertThat(exclusion.err()).contains("names no case with MPA-99");
        assertThat(nowhere.status()).isEqualTo(2);
        assertThat(nowhere.err()).contains("there is no file /nowhere");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rfc5044/4", "rfc5044/4.4", "rfc5044/4.4/6", "MPA-4", "MPA-4.4-6", "mpa-4.4-6:wrong-crc"})
    @DisplayName("a filter is a document a section a requirement or the start of a case")
    void filterIsDocumentSectionRequirement(String filter) {
        Run run = Run.of("conform", "--list", filter);

        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("MPA-4.4-6:wrong-crc@responder").doesNotContain("MPA-7.1-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--timeout 0", "--timeout -1", "--timeout 1000000000", "--settle -1", "--quiet-time NaN", "-i -1"
            })
    @DisplayName("times that are none are refused")
    void timesThatAreNoneAreRefused(String flag) {
        Run run = Run.of(("conform --self MPA-4.4-6 " + flag).split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("is out of range");
    }

    @Test
    @DisplayName("a folder for captures that cannot be made is said before the run")
    void folderForCapturesThatCannotBeMade() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");

        Run run = Run.of(
                "conform",
                "--self",
                "MPA-4.4-6",
                "--pcap",
                file.resolve("captures").toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--pcap cannot be made");
    }
}
