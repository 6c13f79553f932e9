package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.RdmaProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jwarp demo}: moves a file between two ends in this JVM by every operation, and compares the data. */
@Command(
        name = "demo",
        description = {
            "Move a file over loopback by RDMA Write, RDMA Read and Send/Receive through a connection, and by Write-Record"
                    + " and Read in datagrams, and compare what arrives.",
            "Both ends run in this process, each with its own device context. The time is that of the transfer: it does"
                    + " not include generating, hashing and comparing the bytes."
        })
public final class DemoCommand extends DeviceCommand {
    private static final long MEBIBYTE = 1 << 20;
    private static final long SEED = 20_401;
    private static final double MOST_LOSS = 0.5;
    private static final String INJECT = "jwarp.udp.inject";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Option(names = "--file", paramLabel = "FILE", description = "Move this file; default: one generated from a seed.")
    private @Nullable Path file;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "Size of the generated file, such as 4096, 64K, 1M; default 64M.")
    private @Nullable String size;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            description = "Seed of the generated file; default ${DEFAULT-VALUE}.")
    private long seed = SEED;

    @Option(names = "--datagram", description = "Only the operations in datagrams.")
    private boolean datagramsOnly;

    @Option(
            names = "--loss",
            paramLabel = "SHARE",
            description =
                    "Drop this share of datagrams, such as 5%%, chosen by --seed: the same seed makes the same holes."
                            + " Setting jwarp.udp.inject can do more.")
    private @Nullable String loss;

    @Option(
            names = "--message-size",
            paramLabel = "BYTES",
            description = "Bytes of one RDMA Write, RDMA Read or Send, default 256K; in datagrams 64K.")
    private @Nullable String messageSize;

    @Option(
            names = "-p",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "The port on loopback; default a free one.")
    private int port;

    @Option(
            names = "--pcap",
            paramLabel = "FILE",
            description =
                    "Write the packets of the connection, with --datagram those of the datagrams, to this file, for"
                            + " Wireshark.")
    private @Nullable Path pcap;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long one end waits for the other, 0 without end; default 30.")
    private @Nullable Double timeout;

    @Option(names = "--quiet", description = "No line of progress each second.")
    private boolean quiet;

    @Option(
            names = "--corrupt",
            paramLabel = "OFFSET",
            description = "Change the byte that arrives at this offset, to see that the difference is found.")
    private @Nullable String corrupt;

    /** @param provider of the device */
    public DemoCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    /** The result, for JSON. */
    record Result(
            String source,
            long bytes,
            String sha256,
            @Nullable String server,
            List<StreamReport.Row> operations,
            DatagramReport.@Nullable Result datagrams) {}

    @Override
    protected void execute() {
        checkFlags();
        DemoSettings connected = settingsOf("256K");
        DemoSettings unconnected = settingsOf("64K");
        String injected = injected();
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        List<String> differences = new ArrayList<>();
        if (!datagramsOnly) {
            differences.addAll(overConnection(rdma, connected));
        }
        if (differences.isEmpty()) {
            differences.addAll(overDatagrams(rdma, unconnected, injected));
        }
        if (!differences.isEmpty()) {
            throw ToolFailure.failed(
                    "the data that arrived differs from the data that was sent", differences.toArray(String[]::new));
        }
    }

    /** {@return what differs} */
    private List<String> overConnection(RdmaProvider rdma, DemoSettings settings) {
        try (Content content = open();
                Content original = open()) {
            StreamDemo demo = new StreamDemo(rdma.devices().get(0), settings, console);
            List<Transfer> moved = demo.execute(content, original, with("jwarp.tcp.pcap"));
            StreamReport report = new StreamReport(content, demo.server(), moved);
            result = new Result(
                    content.description(), content.size(), report.sha256(), report.server(), report.rows(), null);
            report.lines().forEach(this::line);
            line("SHA-256 " + report.sha256());
            return Transfer.differences(moved);
        }
    }

    /** {@return what differs} */
    private List<String> overDatagrams(RdmaProvider rdma, DemoSettings settings, @Nullable String injected) {
        Map<String, String> openWith = datagramsOnly ? with("jwarp.udp.pcap") : stream.settings();
        if (injected != null) {
            openWith.put(INJECT, injected);
        }
        try (Content content = open();
                Content original = open();
                DatagramEnds ends = new DatagramEnds(DatagramLink.device(rdma), settings, openWith, console)) {
            DatagramDemo demo = new DatagramDemo(ends, content, original, settings, console);
            List<DatagramTransfer> moved = new ArrayList<>();
            for (Transfer.Operation operation : Transfer.Operation.IN_DATAGRAMS) {
                moved.add(demo.move(operation));
            }
            DatagramReport report = new DatagramReport(content, ends, openWith.get(INJECT), moved);
            Result before = (Result) result;
            result = new Result(
                    content.description(),
                    content.size(),
                    report.sha256(),
                    before == null ? null : before.server(),
                    before == null ? List.of() : before.operations(),
                    report.result());
            report.lines().forEach(this::line);
            line("SHA-256 " + report.sha256());
            return Transfer.differences(moved);
        }
    }

    /** {@return the settings of both ends, with the capture file as value of {@code captureKey}} */
    private Map<String, String> with(String captureKey) {
        Map<String, String> both = new LinkedHashMap<>(stream.settings());
        if (pcap != null) {
            both.put(captureKey, pcap.toAbsolutePath().toString());
        }
        return both;
    }

    private @Nullable String injected() {
        if (loss == null) {
            return null;
        }
        if (stream.settings().containsKey(INJECT)) {
            throw ToolFailure.usage("--loss sets " + INJECT + ": give only one of them");
        }
        if (!loss.matches("[0-9]{1,3}([.][0-9]{1,9})?%?")) {
            throw ToolFailure.usage("--loss " + loss + " is not a share; write it as 5% or 0.05");
        }
        double share = Double.parseDouble(loss.replace("%", "")) / (loss.endsWith("%") ? 100 : 1);
        if (share > MOST_LOSS) {
            throw ToolFailure.usage("--loss " + loss + " is more than the demo can repair: at most 50%");
        }
        return "loss=" + loss + ",seed=" + seed;
    }

    private void checkFlags() {
        if (datagramsOnly && stream.anyOfConnections()) {
            throw ToolFailure.usage(
                    "--crc, --markers and --peer-to-peer are for connections: not with --datagram",
                    "every datagram has a CRC32C");
        }
        if (port < 0 || port > 65_535) {
            throw ToolFailure.usage("-p " + port + " is out of range: 1 to 65535, or 0 for a free one");
        }
        if (file != null && size != null) {
            throw ToolFailure.usage("--size is for a generated file, not for --file");
        }
        if (pcap != null
                && (Files.isDirectory(pcap)
                        || !Files.isDirectory(pcap.toAbsolutePath().resolveSibling("")))) {
            throw ToolFailure.usage("--pcap " + pcap + ": the folder does not exist, or the file is a folder");
        }
    }

    private DemoSettings settingsOf(String usualMessage) {
        String text = messageSize == null ? usualMessage : messageSize;
        long message = Quantities.bytes("--message-size", text);
        if (message < 1 || message > 16 * MEBIBYTE) {
            throw ToolFailure.usage("--message-size " + text + " is out of range: 1 to 16M");
        }
        // About 16 MiB between two checks, but never more work requests than a queue holds.
        long messages = Math.max(1, Math.min(256, 16 * MEBIBYTE / message));
        return new DemoSettings(
                (int) message,
                (int) (messages * message),
                port,
                Timeout.limit(timeout, LIMIT, Link.FOREVER),
                corrupt == null ? -1 : Quantities.bytes("--corrupt", corrupt),
                quiet);
    }

    private Content open() {
        return file != null
                ? Content.file(file)
                : Content.generated(Quantities.bytes("--size", size == null ? "64M" : size), seed);
    }
}
