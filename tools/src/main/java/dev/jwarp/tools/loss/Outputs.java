package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.figure.Drawing;
import dev.jwarp.tools.figure.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of the files that have the rows, besides the table. */
final class Outputs {
    @Option(names = "--csv", paramLabel = "FILE", description = "Write the rows as comma-separated values, too.")
    private @Nullable Path csv;

    @Option(
            names = "--json-file",
            paramLabel = "FILE",
            description = "Write the document of --json to a file, in addition to the table.")
    private @Nullable Path jsonFile;

    @Option(
            names = "--plot",
            paramLabel = "FOLDER",
            description =
                    "Draw goodput, arrived shares with theory, fates of messages, and latency, over the rate of loss,"
                            + " as SVG and PNG; separate figures for each round trip.")
    private @Nullable Path plot;

    /** Checks, before any row is measured, that the files can be written. */
    void check() {
        for (Path file : new Path[] {csv, jsonFile}) {
            if (file != null
                    && (Files.isDirectory(file)
                            || !Files.isDirectory(file.toAbsolutePath().resolveSibling("")))) {
                throw ToolFailure.usage(file + ": the folder does not exist, or the file is a folder");
            }
        }
        try {
            if (plot != null) {
                Files.createDirectories(plot);
                Drawing.check("; or draw elsewhere, from the file of --json-file, by --from FILE --plot FOLDER");
            }
        } catch (IOException e) {
            throw ToolFailure.usage("--plot " + plot + ": the folder cannot be made: " + e.getMessage());
        }
    }

    /**
     * Writes the files.
     *
     * @param document for JSON
     */
    void write(LossResult result, Function<LossResult, Json.Document> document) {
        try {
            if (csv != null) {
                Files.write(csv, LossReport.csv(List.of(result.where(), result.command()), result.rows()));
            }
            if (jsonFile != null) {
                Files.writeString(jsonFile, Json.text(document.apply(result)) + System.lineSeparator());
            }
            if (plot != null && !result.rows().isEmpty()) {
                LossPlots.write(plot, result);
            }
        } catch (IOException e) {
            throw ToolFailure.setup("the results cannot be written: " + e);
        }
    }

    /** Writes the figures of a result, each as SVG and as PNG. */
    private static final class LossPlots {
        private LossPlots() {}

        static void write(Path folder, LossResult result) throws IOException {
            for (Figure figure : LossFigures.of(result)) {
                Drawing.write(figure, folder, "jwarp loss");
            }
        }
    }
}
