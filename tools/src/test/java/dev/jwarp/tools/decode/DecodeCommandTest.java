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
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
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
    @DisplayName("a capture of siw in lines")
    void captureOfSiwInLines(String name) {
        Snapshot.assertMatches("decode-" + name, Run.of("decode", capture(name)));
    }

    @Test
    @DisplayName("messages are summed up")
    void messagesAreSummedUp() {
        Snapshot.assertMatches("decode-messages", Run.of("decode", "--messages", capture("siw-rping")));
    }

    @Test
    @DisplayName("fields and bytes are shown if asked for")
    void fieldsAndBytesAreShownIfAskedFor() {
        Snapshot.assertMatches("decode-fields", Run.of("decode", "-v", "-x", capture("siw-rping-rtr")));
    }

    static Stream<String> captures() throws IOException {
        try (Stream<Path> files = Files.list(CAPTURES)) {
            return files.map(Path::toString).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("captures")
    @DisplayName("every line of JSON is what its schema says")
    void everyLineOfJsonIsWhatItsSchemaSays(String file) throws Exception {
        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));
        for (List<String> more : List.of(
                List.<String>of(),
                List.of("--messages"),
                List.of("-x"),
                List.of("--stats", "--filter", "7", "--stream", "t0,u0"))) {
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
    @DisplayName("messages are counted, and how long requests waited")
    void messagesAreCounted() {
        Snapshot.assertMatches("decode-stats", Run.of("decode", "--messages", "--stats", capture("siw-rping")));
    }

    @Test
    @DisplayName("as JSON, an object a conversation")
    void statisticsAsJson() throws Exception {
        Run run = Run.of("decode", "--stats", "--json", capture("siw-rping"));

        String last = run.out().lines().reduce("", (before, line) -> line);
        JsonNode talk = new ObjectMapper().readTree(last);
        assertThat(talk.path("type").asText()).isEqualTo("statistics");
        assertThat(talk.path("stream").asInt()).isZero();
        JsonNode reads = talk.path("latencies").get(0);
        assertThat(reads.path("request").asText()).isEqualTo("RDMA Read");
        assertThat(reads.path("answered").asInt()).isPositive();
        assertThat(reads.path("nanos").path("median").asLong()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--stream=t0",
                "--stream=0",
                "--stream=t7,t0",
                "--filter=7174",
                "--filter=192.0.2.2",
                "--filter=192.0.2.2:7174"
            })
    @DisplayName("a conversation that is asked for is shown whole")
    void conversationThatIsAskedFor(String option) {
        String all = Run.of("decode", capture("siw-rping")).out();

        Run run = Run.of("decode", option, capture("siw-rping"));

        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).startsWith(all).endsWith("; left out: 0 lines of 0 conversations\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--stream=t1",
                "--stream=u0",
                "--filter=7175",
                "--filter=192.0.2.3",
                "--filter=192.0.2.2:7175",
                "--filter=::1"
            })
    @DisplayName("what is left out is said; if it is all there is, nothing matched")
    void whatIsLeftOutIsSaid(String option) {
        long lines = Run.of("decode", capture("siw-rping")).out().lines().count();

        Run run = Run.of("decode", "--check", option, capture("siw-rping"));

        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains("error: --stream and --filter choose none of the 1 conversation in ");
        assertThat(run.out().lines())
                .singleElement()
                .asString()
                .endsWith("; left out: " + lines + " lines of 1 conversation");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--stream=x0",
                "--stream=",
                "--stream=t",
                "--filter=70000",
                "--filter=717400",
                "--filter=99999999999",
                "--filter=192.0.2.2:0",
                "--filter=[::1"
            })
    @DisplayName("a conversation that cannot be is a mistake of the user")
    void conversationThatCannotBe(String option) {
        Run run = Run.of("decode", option, capture("siw-rping"));

        assertThat(run.status()).isIn(2, 3);
        assertThat(run.out()).isEmpty();
    }

    @Test
    @DisplayName("with check a violation is a failure")
    void withCheckViolationIsFailure() {
        assertThat(Run.of("decode", capture("siw-terminates")).status()).isZero();
        assertThat(Run.of("decode", "--check", capture("siw-rping")).status()).isZero();

        Run run = Run.of("decode", "--check", capture("siw-terminates"));

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).startsWith("error: 8 violations in ");
    }

    @Test
    @DisplayName("the tags of envelopes are checked with a file of keys")
    void tagsOfEnvelopes() throws Exception {
        JsonNode vectors = new ObjectMapper()
                .readTree(DecodeCommandTest.class.getResourceAsStream("/dev/jwarp/vectors/envelope.json"));
        byte[] envelope = HexFormat.of()
                .parseHex(vectors.path("vectors").get(0).path("hex").asText());
        String capture =
                Files.write(folder.resolve("envelope.pcap"), pcap(envelope)).toString();
        StringBuilder lines = new StringBuilder();
        vectors.path("receiver")
                .path("keys")
                .forEach(key -> lines.append(key.asText()).append('\n'));
        Path keys = Files.writeString(folder.resolve("keys"), lines);
        Path other = Files.writeString(
                folder.resolve("other"), lines.toString().replaceAll("hex:[0-9a-fA-F]+", "hex:" + "5a".repeat(32)));
        Path none = Files.writeString(folder.resolve("none"), "no key");

        assertThat(Run.of("decode", "--check", capture).status()).isZero();
        assertThat(Run.of("decode", "--check", "--keys", keys.toString(), capture)
                        .status())
                .isZero();
        Run wrong = Run.of("decode", "--check", "--keys", other.toString(), capture);
        assertThat(wrong.status()).isEqualTo(1);
        assertThat(wrong.out()).contains("! DG-K.1-1: the tag is not that of key");
        Run refused = Run.of("decode", "--keys", none.toString(), capture);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("line 1 is no key");
    }

    /** One datagram of UDP over IPv4, in a pcap of raw IP. */
    private static byte[] pcap(byte[] datagram) {
        int length = 28 + datagram.length;
        ByteBuffer file = ByteBuffer.allocate(40 + length);
        file.putInt(0xA1B2C3D4).putInt(0x0002_0004).putLong(0).putInt(65_535).putInt(101);
        file.putLong(0).putInt(length).putInt(length);
        file.putShort((short) 0x4500).putShort((short) length).putInt(0).putInt(0x4011_0000);
        file.putInt(0xC000_0201).putInt(0xC000_0202); // documentation's addresses
        file.putShort((short) 7174).putShort((short) 7174).putShort((short) (8 + datagram.length));
        return file.putShort((short) 0).put(datagram).array();
    }

    @Test
    @DisplayName("a file that is no capture is refused")
    void fileThatIsNoCaptureIsRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("x"), "hello, world");

        Run run = Run.of("decode", file.toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("is neither pcap nor pcapng: it begins with 68656c6c");
    }

    @Test
    @DisplayName("a file that is cut short is shown as far as it goes")
    void fileThatIsCutShortIsShownAsFarAsItGoes() throws Exception {
        byte[] whole = Files.readAllBytes(CAPTURES.resolve("siw-rping.pcap"));
        Path file = Files.write(folder.resolve("short.pcap"), Arrays.copyOf(whole, 3000));

        Run run = Run.of("decode", file.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("RDMA Read Request");
        assertThat(run.err())
                .contains(
                        "the capture ends in the middle of frame 11, at byte 3000", "everything before it is decoded");
    }

    @Test
    @DisplayName("a failure is the last line of JSON")
    void failureIsLastLineOfJson() throws Exception {
        Path file = Files.write(folder.resolve("empty"), new byte[0]);

        Run run = Run.of("decode", "--json", file.toString());

        JsonNode line = new ObjectMapper().readTree(run.out());
        assertThat(line.path("type").asText()).isEqualTo("error");
        assertThat(line.path("exit_status").asInt()).isEqualTo(2).isEqualTo(run.status());
        assertThat(line.path("message").asText()).endsWith("the file is empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--port=x", "--port=70000", "--unknown", "--filter=717400"})
    @DisplayName("a command line that makes no sense is one line of JSON")
    void commandLineThatMakesNoSenseIsOneLineOfJson(String option) throws Exception {
        Run run = Run.of("decode", "--json", option, capture("siw-rping"));

        JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Files.readString(SCHEMA));
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out().lines()).hasSize(1);
        JsonNode line = new ObjectMapper().readTree(run.out());
        assertThat(schema.validate(line)).as(run.out()).isEmpty();
        assertThat(line.path("type").asText()).isEqualTo("error");
        assertThat(line.path("exit_status").asInt()).isEqualTo(2);
    }

    @Test
    @DisplayName("a capture without iWARP says what there was")
    void captureWithoutIwarpSaysWhatThereWas() throws Exception {
        byte[] whole = Files.readAllBytes(CAPTURES.resolve("siw-rping.pcap"));
        // The file's header and three frames: the handshake of TCP.
        Path file = Files.write(folder.resolve("handshake.pcap"), Arrays.copyOf(whole, 24 + 3 * 16 + 74 + 74 + 66));

        Run run = Run.of("decode", file.toString());

        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains("3 frames: 3 of TCP in 1 connection, 0 of UDP", "--port PORT decodes");
        assertThat(Run.of("decode", "--port", "7174", file.toString()).err()).doesNotContain("--port PORT decodes");
    }
}
