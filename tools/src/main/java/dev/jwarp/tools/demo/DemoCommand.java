package dev.jwarp.tools.demo;

import dev.jwarp.tools.Addresses;
import dev.jwarp.tools.Console;
import dev.jwarp.tools.Json;
import dev.jwarp.tools.Quantities;
import dev.jwarp.tools.StreamFlags;
import dev.jwarp.tools.Table;
import dev.jwarp.tools.Timeout;
import dev.jwarp.tools.ToolCommand;
import dev.jwarp.tools.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.RdmaProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jwarp demo}: moves a file in all three ways between two ends in this JVM, and compares. */
@Command(
        name = "demo",
        description = {
            "Move a file over loopback by RDMA Write, RDMA Read and Send/Receive, and compare what arrives.",
            "Server and client run in this process, each with a device context of its own. Time is counted while octets"
                    + " move: making, hashing and comparing them is left out."
        })
public final class DemoCommand extends ToolCommand {
    private static final long MEBIBYTE = 1 << 20;
    private static final long SEED = 20_401;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Supplier<RdmaProvider> provider;
    private @Nullable Result result;

    @Option(names = "--file", paramLabel = "FILE", description = "Move this file; default: one made up from a seed.")
    private @Nullable Path file;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "Size of the file that is made up, such as 4096, 64K, 1M; default 64M.")
    private @Nullable String size;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            description = "Seed of the file that is made up; default ${DEFAULT-VALUE}.")
    private long seed = SEED;

    @Option(
            names = "--message-size",
            paramLabel = "BYTES",
            defaultValue = "256K",
            description = "Bytes of one RDMA Write, RDMA Read or Send; default ${DEFAULT-VALUE}.")
    private String messageSize = "256K";

    @Option(
            names = "-p",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "The port on loopback; default one that is free.")
    private int port;

    @Option(
            names = "--pcap",
            paramLabel = "FILE",
            description = "Write what goes over the wire to this file; Wireshark opens it.")
    private @Nullable Path pcap;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long one end waits for the other, 0 without end; default 30.")
    private @Nullable Double timeout;

    @Option(names = "--quiet", description = "No sign of life each second.")
    private boolean quiet;

    @Option(
            names = "--corrupt",
            paramLabel = "OFFSET",
            description = "Spoil one octet of what arrives, to see that a difference is found.")
    private @Nullable String corrupt;

    @Mixin
    private StreamFlags stream = new StreamFlags();

    /** @param provider of the device */
    public DemoCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    /** What the demo found out, for JSON. */
    record Result(String source, long bytes, String sha256, String server, List<Row> operations) {}

    /** One line of the table. */
    record Row(
            String operation,
            long messages,
            long bytes,
            double timeMs,
            @Nullable Double rateMibPerS,
            String sha256,
            boolean equal,
            @Nullable Long firstDifference) {}

    @Override
    protected void execute() {
        DemoSettings settings = settingsOf();
        try (Content content = open();
                Content original = open()) {
            RdmaProvider rdma = provider.get();
            stream.check(rdma, console);
            Map<String, String> both = new LinkedHashMap<>(stream.settings());
            if (pcap != null) {
                both.put("jwarp.tcp.pcap", pcap.toAbsolutePath().toString());
            }
            DemoRun run = new DemoRun(rdma.devices().get(0), settings, console);
            List<DemoClient.Moved> moved = run.execute(content, original, both);
            tell(content, run, moved);
        }
    }

    private DemoSettings settingsOf() {
        long message = bytes("--message-size", messageSize);
        if (message < 1 || message > 16 * MEBIBYTE) {
            throw ToolFailure.usage("--message-size " + messageSize + " is out of range: 1 to 16M");
        }
        if (port < 0 || port > 65_535) {
            throw ToolFailure.usage("-p " + port + " is out of range: 1 to 65535, or 0 for one that is free");
        }
        if (file != null && size != null) {
            throw ToolFailure.usage("--size is for a file that is made up, not for --file");
        }
        if (pcap != null
                && (Files.isDirectory(pcap)
                        || !Files.isDirectory(pcap.toAbsolutePath().resolveSibling("")))) {
            throw ToolFailure.usage("--pcap " + pcap + ": there is no such folder, or it is one itself");
        }
        // About 16 MiB between two checks, but never more work requests than a queue holds.
        long messages = Math.max(1, Math.min(256, 16 * MEBIBYTE / message));
        return new DemoSettings(
                (int) message,
                (int) (messages * message),
                port,
                Timeout.limit(timeout, LIMIT, Link.FOREVER),
                corrupt == null ? -1 : bytes("--corrupt", corrupt),
                quiet);
    }

    private Content open() {
        return file != null
                ? Content.file(file)
                : Content.generated(bytes("--size", size == null ? "64M" : size), seed);
    }

    private static long bytes(String flag, String text) {
        try {
            return Quantities.bytes(text);
        } catch (NumberFormatException e) {
            throw ToolFailure.usage(flag + ": " + e.getMessage());
        }
    }

    private void tell(Content content, DemoRun run, List<DemoClient.Moved> moved) {
        Table table = new Table("operation", "messages", "bytes", "time_ms", "rate_MiB/s", "SHA-256");
        List<Row> rows = new ArrayList<>();
        List<String> differences = new ArrayList<>();
        for (DemoClient.Moved one : moved) {
            DemoServer.Arrived arrived = run.arrived(one.operation());
            DemoServer.Difference difference = arrived.difference();
            boolean equal = Arrays.equals(one.sha256(), arrived.sha256()) && difference == null;
            Double rate = Quantities.mebibytesPerSecond(one.bytes(), one.nanos());
            rows.add(new Row(
                    one.operation().title(),
                    one.messages(),
                    one.bytes(),
                    one.nanos() / 1e6,
                    rate,
                    hex(arrived.sha256()),
                    equal,
                    difference == null ? null : difference.offset()));
            table.row(
                    one.operation().title(),
                    Long.toString(one.messages()),
                    Long.toString(one.bytes()),
                    Quantities.oneDigit(one.nanos() / 1e6),
                    Quantities.oneDigit(rate),
                    equal ? "equal" : "DIFFERS");
            if (!equal) {
                differences.add(one.operation().title() + ": "
                        + (difference == null ? "the file changed while it was moved" : "first at " + difference));
            }
        }
        String sha256 = moved.isEmpty() ? "" : hex(moved.get(0).sha256());
        result = new Result(content.description(), content.size(), sha256, Addresses.text(run.server()), rows);
        line(content.size() + " bytes, " + content.description() + ", through " + Addresses.text(run.server()));
        table.lines().forEach(this::line);
        line("SHA-256 " + sha256);
        if (!differences.isEmpty()) {
            throw ToolFailure.failed("what arrived is not what was sent", differences.toArray(String[]::new));
        }
    }

    private static String hex(byte[] octets) {
        return HexFormat.of().formatHex(octets);
    }

    @Override
    protected @Nullable Object result() {
        return result;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return stream.effective(provider.get());
    }
}
