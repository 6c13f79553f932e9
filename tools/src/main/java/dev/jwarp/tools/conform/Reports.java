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

/** The files that {@code jwarp conform} leaves when it is asked to. */
final class Reports {
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    @Option(names = "--junit", paramLabel = "FILE", description = "Write the run as JUnit XML.")
    private @Nullable Path junit;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write the run as one page with filters and every frame; it needs no other file.")
    private @Nullable Path html;

    @Option(names = "--pcap", paramLabel = "DIRECTORY", description = "Write a capture of each failing case there.")
    private @Nullable Path pcap;

    @Option(
            names = "--repro",
            paramLabel = "FILE.pcap",
            description = "Write a capture of the first case that fails there and, beside it, FILE.txt: a script that"
                    + " --replay repeats without the case.")
    private @Nullable Path repro;

    /** Says when, where and by what command line the run is made; at its beginning. */
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

    /** As a shell takes it. */
    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Where the first failing case is to be written, to be repeated; null if it is not. */
    @Nullable
    Path repro() {
        return repro;
    }

    /** Fails before the run, not after it, if a file could not be written. */
    void check() {
        if (repro != null && repro.toString().endsWith(".txt")) {
            throw ToolFailure.usage("--repro names the capture: " + repro + " is where its script would stand");
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

    /** Writes what was asked for. */
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

    /** Writes the capture of one case if captures are wanted; returns what to say of it. */
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
