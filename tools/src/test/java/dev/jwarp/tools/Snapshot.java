package dev.jwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.cli.Version;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Output as it was reviewed, in files beside the tests. After a wanted change, {@code mvn test -Dsnapshots=write}
 * writes them anew; look at the difference before you commit it.
 */
public final class Snapshot {
    private static final Path FOLDER = Path.of("src/test/resources/dev/jwarp/tools/snapshots");

    private Snapshot() {}

    /** Compares the whole run: status, standard output, standard error. */
    public static void assertMatches(String name, Run run, Mask... masks) {
        String text = "exit " + run.status() + "\n--- stdout\n" + run.out() + "--- stderr\n" + run.err();
        for (Mask mask : masks) {
            text = text.replaceAll(mask.pattern(), mask.replacement());
        }
        compare(name + ".txt", text.replace(Version.NUMBER, "VERSION"));
    }

    /** Compares a text that is no run's. */
    static void assertMatches(String name, String text) {
        compare(name + ".txt", text.replace(Version.NUMBER, "VERSION"));
    }

    /** What differs from run to run, and what stands for it. */
    public record Mask(String pattern, String replacement) {}

    private static void compare(String file, String actual) {
        try {
            if ("write".equals(System.getProperty("snapshots"))) {
                Files.createDirectories(FOLDER);
                Files.writeString(FOLDER.resolve(file), actual);
            }
            try (InputStream in = Snapshot.class.getResourceAsStream("snapshots/" + file)) {
                String expected = "write".equals(System.getProperty("snapshots"))
                        ? Files.readString(FOLDER.resolve(file))
                        : in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                assertThat(actual).as("snapshot " + file).isEqualTo(expected);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
