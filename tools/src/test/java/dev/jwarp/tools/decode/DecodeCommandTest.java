package dev.jwarp.tools.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code jwarp decode} as its user sees it; how captures are read is tested beside the decoder. */
class DecodeCommandTest {
    private static final Path CAPTURES = Path.of("../conformance/src/test/resources/dev/jwarp/conformance/captures");

    private static final Path SCHEMA = Path.of("../docs/conformance/decode.schema.json");

    @TempDir
    private Path folder;

    private static String capture(String name) {
        return CAPTURES.resolve(name + ".pcap").toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"siw-rping", "siw-terminates"})
    void a_capture_of_siw_in_lines(String name) {
        Snapshot.assertMatches("decode-" + name, Run.of("decode", capture(name)));
    }

    @Test
    void messages_are_summed_up() {
        Snapshot.assertMatches("decode-messages", Run.of("decode", "--messages", capture("siw-rping")));
    }

    @Test
    void fields_and_octets_are_shown_if_asked_for() {
        Snapshot.assertMatches("decode-fields", Run.of("decode", "-v", "-x", capture("siw-rping-rtr")));
    }

    static Stream<String> captures() throws IOException {
        try (Stream<Path> files = Files.list(CAPTURES)) {
            return files.map(Path::toString).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("captures")
    void every_line_of_json_is_what_its_schema_says(String file) throws Exception {
        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));
        for (List<String> more : List.of(List.<String>of(), List.of("--messages"), List.of("-x"))) {
            Run run = Run.of(Stream.concat(Stream.of("decode", "--json", file), more.stream())
                    .toArray(String[]::new));

            assertThat(run.status()).as(run.err()).isZero();
            for (String line : run.out().lines().toList()) {
                JsonNode object = new ObjectMapper().readTree(line);
                assertThat(schema.validate(object)).as(line).isEmpty();
            }
        }
    }

    @Test
    void with_check_a_violation_is_a_failure() {
        assertThat(Run.of("decode", capture("siw-terminates")).status()).isZero();
        assertThat(Run.of("decode", "--check", capture("siw-rping")).status()).isZero();

        Run run = Run.of("decode", "--check", capture("siw-terminates"));

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).startsWith("error: 8 things are wrong in ");
    }

    @Test
    void a_file_that_is_no_capture_is_refused() throws Exception {
        Path file = Files.writeString(folder.resolve("x"), "hello, world");

        Run run = Run.of("decode", file.toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("is neither pcap nor pcapng: it begins with 68656c6c");
    }

    @Test
    void a_file_that_is_cut_short_is_shown_as_far_as_it_goes() throws Exception {
        byte[] whole = Files.readAllBytes(CAPTURES.resolve("siw-rping.pcap"));
        Path file = Files.write(folder.resolve("short.pcap"), Arrays.copyOf(whole, 3000));

        Run run = Run.of("decode", file.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("RDMA Read Request");
        assertThat(run.err())
                .contains("the capture ends in the middle of frame 11, at octet 3000", "what came before is decoded");
    }

    @Test
    void a_failure_is_the_last_line_of_json() throws Exception {
        Path file = Files.write(folder.resolve("empty"), new byte[0]);

        Run run = Run.of("decode", "--json", file.toString());

        JsonNode line = new ObjectMapper().readTree(run.out());
        assertThat(line.path("type").asText()).isEqualTo("error");
        assertThat(line.path("exit_status").asInt()).isEqualTo(2).isEqualTo(run.status());
        assertThat(line.path("message").asText()).endsWith("the file is empty");
    }

    @Test
    void a_capture_without_iwarp_says_what_there_was() throws Exception {
        byte[] whole = Files.readAllBytes(CAPTURES.resolve("siw-rping.pcap"));
        // The file's header and three frames: the handshake of TCP.
        Path file = Files.write(folder.resolve("handshake.pcap"), Arrays.copyOf(whole, 24 + 3 * 16 + 74 + 74 + 66));

        Run run = Run.of("decode", file.toString());

        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains("3 frames: 3 of TCP in 1 connections, 0 of UDP");
    }
}
