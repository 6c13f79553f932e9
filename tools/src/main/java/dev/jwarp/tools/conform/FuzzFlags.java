package dev.jwarp.tools.conform;

import dev.jwarp.conformance.repro.Script;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of {@code jwarp conform --fuzz}. */
final class FuzzFlags {
    @Option(
            names = "--fuzz",
            paramLabel = "N",
            description = "Instead of the cases: N mutated conversations, and a good client after every 500.")
    @Nullable
    Long count;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description =
                    "With --fuzz: the same seed makes the same conversations. Default: a new seed each time, which is"
                            + " printed.")
    @Nullable
    Long seed;

    @Option(
            names = "--good-start",
            description = "With --fuzz: do not mutate the start-up frames, for a device that crashes on them.")
    boolean goodStart;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            description =
                    "Instead of the cases: replay the conversations that an earlier --fuzz has kept, or the script"
                            + " of an earlier --repro.")
    @Nullable
    Path replay;

    @Option(
            names = "--keep",
            paramLabel = "DIRECTORY",
            defaultValue = ".",
            description = "The folder where --fuzz keeps the conversations that broke the device; default: this one.")
    Path keep = Path.of(".");

    @Option(
            names = "--restart",
            paramLabel = "COMMAND",
            description =
                    "A shell command that starts the device's program. It runs after the program has ended: after a"
                            + " crash, which fails the case that caused it, or after each connection of a program that"
                            + " accepts only one. With --profile perftest and rsockets it runs before each connection.")
    @Nullable
    String restart;

    void check() {
        if (count != null && count < 1) {
            throw ToolFailure.usage("--fuzz " + count + " is out of range: 1 and more");
        }
    }

    /** {@return the lines of a script to replay; null if there is none} */
    @Nullable
    List<String> script() {
        if (replay == null) {
            return null;
        }
        try {
            List<String> lines = Files.readAllLines(replay);
            return Script.is(lines) ? lines : null;
        } catch (NoSuchFileException e) {
            throw ToolFailure.usage("--replay " + replay + ": there is no such file");
        } catch (IOException e) {
            throw ToolFailure.usage("--replay " + replay + " cannot be read: " + e.getMessage());
        }
    }

    boolean wanted() {
        return count != null || replay != null;
    }
}
