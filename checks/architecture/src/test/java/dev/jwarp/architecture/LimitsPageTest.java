package dev.jwarp.architecture;

import static dev.jwarp.architecture.LimitsPage.codes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.architecture.LimitsPage.Limit;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * docs/limits.md is complete, and names only existing settings, counters and tests, and the share of each peer; {@link
 * Bounds} finds the limits in the code.
 */
@DisplayName("The page of limits")
class LimitsPageTest {
    private static final String ATTRIBUTES = "DatagramAttributes.";
    private static final LimitsPage PAGE = LimitsPage.read();

    private static final Map<String, Setting> SETTINGS =
            RdmaProvider.load().settings().stream().collect(Collectors.toMap(Setting::key, setting -> setting));

    /** The range of a setting whose value is a number, of bytes or others, and not a time. */
    private static final Pattern COUNT = Pattern.compile(".*[0-9]+ to [0-9]+.*");

    private static final Pattern TIME = Pattern.compile(".*(seconds|second)\\b.*|.*-nanos");

    static List<Limit> limits() {
        return PAGE.limits();
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("has the right default, range and place of")
    void settings(Limit limit) throws ReflectiveOperationException {
        if (limit.setBy().startsWith("fixed")) {
            assertThat(limit.value()).isNotEmpty();
            return;
        }
        String key = codes(limit.setBy()).get(0);
        if (key.startsWith(ATTRIBUTES)) {
            Object value = DatagramAttributes.class
                    .getMethod(key.substring(ATTRIBUTES.length()))
                    .invoke(DatagramAttributes.builder(new InetSocketAddress(0)).build());
            assertThat(limit.value()).isEqualTo(value.toString());
        } else if (key.startsWith("jwarp.")) {
            assertThat(SETTINGS).containsKey(key);
            if (!limit.setBy().startsWith("follows: ")) {
                assertThat(SETTINGS.get(key).defaultValue()).isEqualTo(limit.value());
                assertThat(SETTINGS.get(key).allowed()).contains(limit.range());
            }
        }
    }

    @Test
    @DisplayName("has every setting that is a number, or says why that number limits nothing a peer can use up")
    void complete() {
        List<String> wanted = SETTINGS.values().stream()
                .filter(setting -> COUNT.matcher(setting.allowed()).matches())
                .filter(setting -> !TIME.matcher(setting.allowed()).matches()
                        && !TIME.matcher(setting.key()).matches())
                .map(Setting::key)
                .toList();
        assertThat(wanted).hasSizeGreaterThan(20);
        assertThat(PAGE.named()).containsAll(wanted);
    }

    @Test
    @DisplayName("names for each limit the share of one source, or says that there is none and why")
    void shares() {
        assertThat(limits())
                .isNotEmpty()
                .allSatisfy(limit -> assertThat(limit.share())
                        .as(limit.name())
                        .isNotEmpty()
                        .matches(
                                share -> !share.startsWith("none") || share.matches("none: .{10,}"),
                                "gives a reason for none"));
        assertThat(PAGE.others())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.get(1)).as(row.get(0)).matches(".{10,}"));
    }

    @Test
    @DisplayName("names existing counters, at least one for each limit and guard, or says why there is none")
    void counters() throws IOException {
        String page = Files.readString(Source.TOP.resolve("docs/counters.md"));
        List<String> cells =
                new ArrayList<>(limits().stream().map(Limit::counters).toList());
        PAGE.guards().forEach(row -> cells.add(row.get(2)));
        assertThat(cells)
                .isNotEmpty()
                .allSatisfy(cell -> assertThat(
                                codes(cell).isEmpty()
                                        ? cell.matches("(a line|in|none:) .+")
                                        : codes(cell).stream()
                                                .allMatch(counter -> page.contains("| `" + counter + "` |")))
                        .as(cell)
                        .isTrue());
    }

    @Test
    @DisplayName("names existing tests, at least one for each limit and guard")
    void namedTests() {
        List<String> cells = new ArrayList<>(limits().stream().map(Limit::tests).toList());
        PAGE.guards().forEach(row -> cells.add(row.get(3)));
        assertThat(cells)
                .hasSizeGreaterThan(40)
                .allSatisfy(cell -> assertThat(codes(cell))
                        .isNotEmpty()
                        .allSatisfy(test ->
                                assertThat(NamedTests.isThere(test)).as(test).isTrue()));
    }
}
