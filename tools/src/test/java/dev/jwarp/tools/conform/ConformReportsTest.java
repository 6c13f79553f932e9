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
    void the_json_document_is_what_its_schema_says(String arguments) throws Exception {
        Run run = Run.of(("conform --json " + arguments).split(" "));

        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertThat(schema.validate(document)).as(run.out()).isEmpty();
        assertThat(document.at("/exit_status").asInt()).isEqualTo(run.status());
    }

    @Test
    void the_schema_does_not_take_everything() throws Exception {
        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));

        assertThat(schema.validate(new ObjectMapper().readTree("{\"schema\":\"jwarp.conform/1\"}")))
                .isNotEmpty();
    }

    @Test
    void the_files_that_were_asked_for_are_there() {
        Path xml = folder.resolve("r.xml");
        Path html = folder.resolve("r.html");

        Run run = Run.of("conform", "--self", "MPA-4.4-6", "--junit", xml.toString(), "--html", html.toString());

        assertThat(run.status()).isZero();
        assertThat(xml).content().contains("<testsuite name=\"rfc5044\"");
        assertThat(html).content().contains("MPA-4.4-6:");
    }

    @Test
    void a_file_that_cannot_be_written_is_said_before_the_run() {
        Run run = Run.of(
                "conform", "--self", "--junit", folder.resolve("no/r.xml").toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("there is no folder").doesNotContain("cases");
    }

    @Test
    void a_device_that_is_not_there_is_a_fault_of_the_set_up() {
        Run run = Run.of("conform", "--peer", "127.0.0.1:1");

        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err()).contains("cannot connect to 127.0.0.1:1");
    }

    @Test
    void an_excluded_case_that_passes_is_said() throws Exception {
        Path known = Files.writeString(folder.resolve("known"), "MPA-4.4-6 the vendor says so\n");

        Run run = Run.of("conform", "--self", "MPA-4.4-6", "--exclude", known.toString());

        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("known deviations passed");
    }

    @Test
    void every_filter_and_every_known_deviation_must_name_a_case() throws Exception {
        Path known = Files.writeString(folder.resolve("known"), "MPA-99 a slip of the pen\n");

        Run filter = Run.of("conform", "--self", "MPA-4.4-6", "MPA-99");
        Run exclusion = Run.of("conform", "--self", "MPA-4.4-6", "--exclude", known.toString());
        Run nowhere = Run.of("conform", "--self", "--exclude", "/nowhere");

        assertThat(filter.status()).isEqualTo(2);
        assertThat(filter.err()).contains("no case is named by MPA-99");
        assertThat(exclusion.status()).isEqualTo(2);
        assertThat(exclusion.err()).contains("names no case with MPA-99");
        assertThat(nowhere.status()).isEqualTo(2);
        assertThat(nowhere.err()).contains("there is no file /nowhere");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rfc5044/4", "rfc5044/4.4", "rfc5044/4.4/6", "MPA-4", "MPA-4.4-6", "mpa-4.4-6:wrong-crc"})
    void a_filter_is_a_document_a_section_a_requirement_or_the_start_of_a_case(String filter) {
        Run run = Run.of("conform", "--list", filter);

        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("MPA-4.4-6:wrong-crc@responder").doesNotContain("MPA-7.1-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--timeout 0", "--timeout -1", "--timeout 1000000000", "--settle -1", "--quiet-time NaN", "-i -1"
            })
    void times_that_are_none_are_refused(String flag) {
        Run run = Run.of(("conform --self MPA-4.4-6 " + flag).split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("is out of range");
    }

    @Test
    void a_folder_for_captures_that_cannot_be_made_is_said_before_the_run() throws Exception {
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
