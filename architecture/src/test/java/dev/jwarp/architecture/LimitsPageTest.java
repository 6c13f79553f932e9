package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/limits.md names settings, counters and tests that there are, and no limit is missing. */
@DisplayName("The page of limits")
class LimitsPageTest {
    private static final Path TOP = Path.of("").toAbsolutePath().getParent();
    private static final Path DOCS = TOP.resolve("docs");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final String ATTRIBUTES = "DatagramAttributes.";

    /** Settings of datagrams that bound nothing that a peer can make grow. */
    private static final Set<String> NO_LIMITS = Set.of(
            "jwarp.datagram.transport",
            "jwarp.datagram.pad",
            "jwarp.datagram.segments-per-turn",
            "jwarp.datagram.cookie-nanos",
            "jwarp.datagram.weight",
            "jwarp.rd.congestion",
            "jwarp.rd.error-scope",
            "jwarp.rd.give-up",
            "jwarp.rd.loss-tolerance",
            "jwarp.udp.resolve-challenge");

    private static final Map<String, Setting> SETTINGS =
            RdmaProvider.load().settings().stream().collect(Collectors.toMap(Setting::key, setting -> setting));

    /** One row of the first table. */
    record Limit(String name, String value, String range, String setBy, String counters, String tests) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static List<List<String>> rows(String title) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(DOCS.resolve("limits.md"))) {
            if (line.startsWith("## Limits of connections")) {
                break; // a table of its own
            }
            if (line.startsWith("| " + title)) {
                inside = true;
            } else if (!line.startsWith("|")) {
                inside = false;
            } else if (inside && !line.startsWith("|---")) {
                String[] cells = line.substring(1, line.lastIndexOf('|')).split("\\|", -1);
                rows.add(Arrays.stream(cells).map(String::strip).toList());
            }
        }
        return rows;
    }

    static List<Limit> limits() throws IOException {
        return rows("limit").stream()
                .map(row -> new Limit(row.get(0), row.get(1), row.get(2), row.get(3), row.get(4), row.get(6)))
                .toList();
    }

    private static List<String> codes(String cell) {
        return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("tells default, range and place of")
    void settings(Limit limit) throws ReflectiveOperationException {
        if (limit.setBy.startsWith("fixed")) {
            return;
        }
        String key = codes(limit.setBy).get(0);
        if (key.startsWith(ATTRIBUTES)) {
            Object value = DatagramAttributes.class
                    .getMethod(key.substring(ATTRIBUTES.length()))
                    .invoke(DatagramAttributes.builder(new InetSocketAddress(0)).build());
            assertThat(limit.value).isEqualTo(value.toString());
        } else {
            assertThat(SETTINGS).containsKey(key);
            assertThat(SETTINGS.get(key).defaultValue()).isEqualTo(limit.value);
            assertThat(SETTINGS.get(key).allowed()).contains(limit.range);
        }
    }

    @Test
    @DisplayName("has every setting that is a limit")
    void complete() throws IOException {
        List<String> named =
                limits().stream().flatMap(limit -> codes(limit.setBy).stream()).toList();
        List<String> wanted = SETTINGS.keySet().stream()
                .filter(key -> key.startsWith("jwarp.datagram.")
                        || key.startsWith("jwarp.rd.")
                        || key.startsWith("jwarp.udp.notify")
                        || key.startsWith("jwarp.udp.resolve"))
                .filter(key -> !NO_LIMITS.contains(key))
                .toList();
        assertThat(named).containsAll(wanted);
    }

    @Test
    @DisplayName("names counters that there are, one at least for each limit and guard")
    void counters() throws IOException {
        String page = Files.readString(DOCS.resolve("counters.md"));
        List<String> cells =
                new ArrayList<>(limits().stream().map(Limit::counters).toList());
        rows("guard").forEach(row -> cells.add(row.get(2)));
        assertThat(cells)
                .isNotEmpty()
                .allSatisfy(cell -> assertThat(codes(cell))
                        .isNotEmpty()
                        .allSatisfy(counter -> assertThat(page).contains("| `" + counter + "` |")));
    }

    @Test
    @DisplayName("names tests that there are, one at least for each limit and guard")
    void namedTests() throws IOException {
        List<String> cells = new ArrayList<>(limits().stream().map(Limit::tests).toList());
        rows("guard").forEach(row -> cells.add(row.get(3)));
        assertThat(cells)
                .hasSizeGreaterThan(40)
                .allSatisfy(cell -> assertThat(codes(cell))
                        .isNotEmpty()
                        .allSatisfy(test ->
                                assertThat(NamedTests.isThere(test)).as(test).isTrue()));
    }
}
