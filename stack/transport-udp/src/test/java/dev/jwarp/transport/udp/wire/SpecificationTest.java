package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The specification, with its extensions, agrees with the code. */
@DisplayName("docs/draft-jwarp-datagram-iwarp*-00.md")
class SpecificationTest {
    private static final String DOCUMENTS = "../../docs/draft-jwarp-datagram-iwarp%s-00.md";
    private static final Pattern EXAMPLE =
            Pattern.compile("^# ([A-Z0-9-]+)\\n(.*?)^~~~", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINE = Pattern.compile("^ *(\\d+)  ([0-9A-F]+)(?:\\*(\\d+))?(?:  .*)?$");

    private static String document() throws IOException {
        StringBuilder all = new StringBuilder();
        for (String name : List.of("", "-keys", "-groups", "-resolving")) {
            all.append(document(name));
        }
        return all.toString();
    }

    private static String document(String name) throws IOException {
        return Files.readString(Path.of(DOCUMENTS.formatted(name)));
    }

    record Example(String id, List<String> lines) {
        @Override
        public String toString() {
            return id;
        }
    }

    static Stream<Example> examples() throws IOException {
        return EXAMPLE.matcher(document())
                .results()
                .map(found -> new Example(found.group(1), found.group(2).lines().toList()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    @DisplayName("has the bytes of the vectors in its examples, at their offsets")
    void example(Example example) {
        StringBuilder hex = new StringBuilder();
        for (String line : example.lines()) {
            Matcher parts = LINE.matcher(line);
            assertThat(parts.matches()).as(line).isTrue();
            assertThat(hex.length() / 2).as(line).isEqualTo(Integer.parseInt(parts.group(1)));
            String times = parts.group(3);
            hex.append(parts.group(2).repeat(times == null ? 1 : Integer.parseInt(times)));
        }
        Vector vector = Vectors.datagrams(false).stream()
                .filter(v -> v.id().equals(example.id()))
                .findFirst()
                .orElseThrow();
        assertThat(hex).hasToString(HexFormat.of().withUpperCase().formatHex(vector.octets()));
    }

    @Test
    @DisplayName("has an example of every Kind")
    void everyKind() throws IOException {
        String document = document();
        List<String> ids = examples().map(Example::id).toList();
        assertThat(Vectors.datagrams(false).stream()
                        .filter(v -> ids.contains(v.id()))
                        .map(v -> v.json().path("kind").asText()))
                .contains(Arrays.stream(Kind.values())
                        .filter(kind -> document.contains(kind.name().replace('_', '-'))
                                || document.contains(kind.name().replace('_', ' ')))
                        .map(Kind::name)
                        .toArray(String[]::new));
    }

    @Test
    @DisplayName("names every counter of failed checks")
    void everyCounter() throws IOException {
        String document = document();
        assertThat(Vectors.datagrams(true))
                .extracting(vector -> vector.json().path("counter").asText())
                .allSatisfy(counter -> assertThat(document).contains("`" + counter + "`"));
    }

    @Test
    @DisplayName("has the code's tables of statuses and reasons")
    void codeTables() throws IOException {
        String document = document("-resolving");
        for (ServiceStatus status : ServiceStatus.values()) {
            if (status.number() >= 0) {
                assertThat(document)
                        .contains(row(
                                status.number(),
                                switch (status) {
                                    case FOUND -> "OK";
                                    case NO_QUEUE_PAIR -> "NO_QP_OF_TYPE";
                                    default -> status.name();
                                }));
            }
        }
        for (RdResetReason reason : RdResetReason.values()) {
            assertThat(document("")).contains(row(reason.number(), reason.name()));
        }
    }

    private static String row(int number, String name) {
        return "| %d | %s | ".formatted(number, name);
    }
}
