package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.sockets.connection.SocketSetting;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tables in docs/ that come from the code: they stand between two comment lines and must agree with the code. With
 * {@code -Ddocs.write=true} the test writes them.
 */
class GeneratedPagesTest {
    private static final Path DOCS = Source.TOP.resolve("docs");
    private static final String BEGIN = "<!-- from here to the end: made from the code by GeneratedPagesTest -->\n";

    @Test
    void errors() throws IOException {
        StringBuilder page =
                new StringBuilder(table("code", "name", "what it says", "the requester's work request gets", "source"));
        for (TerminateCode code : TerminateCode.values()) {
            page.append(row(
                    "`" + code.triple() + "`",
                    code.name(),
                    code.sentence(),
                    code.requesterStatus().name(),
                    code.source()));
        }
        page.append(table("status", "number", "what happened", "what to check"));
        for (WorkCompletionStatus status : WorkCompletionStatus.values()) {
            page.append(row(status.name(), Integer.toString(status.number()), status.sentence(), status.check()));
        }
        check("errors.md", page);
    }

    @Test
    void settings() throws IOException {
        StringBuilder page = new StringBuilder(table("key", "default", "values", "what it does"));
        Stream.concat(
                        RdmaProvider.load().settings().stream(),
                        SocketSetting.all().stream().map(EffectiveSetting::setting))
                .sorted(Comparator.comparing(Setting::key))
                .forEach(s -> page.append(row(
                        "`" + s.key() + "`",
                        s.defaultValue().isEmpty() ? "" : "`" + s.defaultValue() + "`",
                        s.allowed(),
                        s.sentence())));
        check("configuration.md", page);
    }

    @Test
    void counters() throws IOException {
        Map<String, String> all = new TreeMap<>();
        for (Progress progress : Progress.values()) {
            for (Device device : RdmaProvider.load().devices()) {
                try (Context context = device.open(progress, Map.of())) {
                    for (Counter counter : context.counters()) {
                        all.put(counter.name(), counter.sentence());
                    }
                }
            }
        }
        StringBuilder page = new StringBuilder(table("counter", "what it counts"));
        all.forEach((name, sentence) -> page.append(row("`" + name + "`", sentence)));
        check("counters.md", page);
    }

    private static String table(String... columns) {
        return "\n" + row(columns) + "|" + "---|".repeat(columns.length) + "\n";
    }

    private static String row(String... cells) {
        return Stream.of(cells)
                .map(cell -> cell.replace("\n", " ").replace("|", "\\|"))
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static void check(String name, CharSequence generated) throws IOException {
        Path page = DOCS.resolve(name);
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        assertThat(begin).as("%s has the line %s", name, BEGIN).isNotNegative();
        String wanted = text.substring(0, begin) + BEGIN + generated;
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(page, wanted);
        }
        assertThat(Files.readString(page))
                .as(
                        "docs/%s is out of date: run mvn -pl checks/architecture -am test -Dtest=GeneratedPagesTest -Ddocs.write=true"
                                + " -Dsurefire.failIfNoSpecifiedTests=false",
                        name)
                .isEqualTo(wanted);
    }
}
