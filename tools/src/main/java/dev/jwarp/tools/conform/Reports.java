package dev.jwarp.tools.conform;

import dev.jwarp.conformance.report.Capture;
import dev.jwarp.conformance.report.Findings;
import dev.jwarp.conformance.report.HtmlReport;
import dev.jwarp.conformance.report.JUnitReport;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.Version;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The report files of {@code jwarp conform}. */
final class Reports {
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    @Option(names = "--junit", paramLabel = "FILE", description = "Write the run as JUnit XML.")
    private @Nullable Path junit;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write the run as a single page with filters and every frame, without other files.")
    private @Nullable Path html;

    @Option(
            names = "--pcap",
            paramLabel = "DIRECTORY",
            description = "Write a capture of each failing case to this folder.")
    private @Nullable Path pcap;

    @Option(
            names = "--repro",
            paramLabel = "FILE.pcap",
            description =
                    "Write a capture of the first failing case to this file, and a script for --replay to FILE.txt next"
                            + " to it.")
    private @Nullable Path repro;

    /** {@return time, host and command line of a run that begins now} */
    static Findings.Origin origin(ParseResult given) {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "a host without a name";
        }
        return new Findings.Origin(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                Version.NUMBER,
                host,
                "jwarp " + given.originalArgs().stream().map(Reports::quoted).collect(Collectors.joining(" ")));
    }

    /** {@return a word, quoted for a shell} */
    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** {@return the file for the capture of the first failing case; null if there is none} */
    @Nullable
    Path repro() {
        return repro;
    }

    /** Fails if a file cannot be written, before the run instead of after it. */
    void check() {
        if (repro != null && repro.toString().endsWith(".txt")) {
            throw ToolFailure.usage("--repro names the capture, but " + repro + " is the name of its script");
        }
        for (Path file : new Path[] {junit, html, repro}) {
            Path folder = file == null ? null : file.toAbsolutePath().getParent();
            if (folder != null && !Files.isDirectory(folder)) {
                throw ToolFailure.usage("there is no folder " + folder + " for " + file.getFileName());
            }
            if (file != null && (Files.isDirectory(file) || (Files.exists(file) && !Files.isWritable(file)))) {
                throw ToolFailure.usage(file + " cannot be written");
            }
        }
        if (pcap != null) {
            try {
                Files.createDirectories(pcap);
            } catch (IOException e) {
                throw ToolFailure.usage("the folder " + pcap + " for --pcap cannot be made: " + e.getMessage());
            }
        }
    }

    /** Writes the requested reports. */
    void write(Findings findings) {
        try {
            if (junit != null) {
                JUnitReport.write(junit, findings);
            }
            if (html != null) {
                HtmlReport.write(html, findings);
            }
        } catch (IOException e) {
            throw ToolFailure.setup("could not write the report: " + e.getMessage());
        }
    }

    /**
     * {@return the file, or a sentence about a failure; null without a capture} Writes the capture of a case, if the
     * user wants captures.
     */
    @Nullable
    String capture(Result result) {
        if (pcap == null || result.wires().isEmpty()) {
            return null;
        }
        Path file = pcap.resolve(result.test().id().replace(':', '_').replace('@', '_') + ".pcap");
        try {
            Capture.write(file, result.wires());
        } catch (IOException e) {
            return "could not be written: " + e.getMessage();
        }
        return file.toString();
    }
}
