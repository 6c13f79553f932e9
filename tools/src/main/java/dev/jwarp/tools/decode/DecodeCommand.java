package dev.jwarp.tools.decode;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.jwarp.conformance.capture.CaptureException;
import dev.jwarp.conformance.capture.CaptureReader;
import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.decode.Decoder;
import dev.jwarp.conformance.decode.Item;
import dev.jwarp.conformance.decode.JsonLines;
import dev.jwarp.conformance.decode.Messages;
import dev.jwarp.conformance.decode.TextLines;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jwarp decode}: every FPDU and datagram of a capture in a line, and what is wrong with it. */
@Command(
        name = "decode",
        modelTransformer = DecodeCommand.JsonHelp.class,
        description = {
            "Show what a capture (pcap or pcapng) holds of iWARP and datagram-iWARP, a line for each FPDU or"
                    + " datagram, and below it each violation, with the requirement's id.",
            "Use tcpdump to capture: tcpdump -i eth0 -s 0 -U -w - tcp port 7174 | jwarp decode -"
        })
public final class DecodeCommand extends ToolCommand {
    private static final String STANDARD_INPUT = "-";

    private final InputStream standardInput;

    @Parameters(paramLabel = "FILE", description = "The capture; - for standard input.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String file;

    @Option(
            names = {"-p", "--port"},
            split = ",",
            paramLabel = "PORT",
            description = "Take conversations with this port for iWARP though their start is missing or wrong.")
    private Set<Integer> ports = new HashSet<>();

    @Option(names = "--messages", description = "Show one line for all segments of a message of a connection.")
    private boolean messages;

    @Option(names = "-v", description = "Show every field.")
    private boolean verbose;

    @Option(names = "-x", description = "Show the bytes, too.")
    private boolean hex;

    @Option(names = "--check", description = "End with 1 if anything is wrong with what was decoded.")
    private boolean check;

    private @Nullable JsonLines jsonLines;
    private @Nullable TextLines textLines;
    private long violations;
    private long items;

    /**
     * @param standardInput what {@code -} means
     */
    public DecodeCommand(Console console, InputStream standardInput) {
        super(console);
        this.standardInput = standardInput;
    }

    @Override
    protected void execute() {
        for (int port : ports) {
            if (port < 1 || port > 65_535) {
                throw ToolFailure.usage("--port " + port + " is out of range: 1 to 65535");
            }
        }
        if (file.equals(STANDARD_INPUT)) {
            decode(standardInput);
            return;
        }
        Path path = Path.of(file);
        if (!Files.exists(path)) {
            throw ToolFailure.usage("there is no file " + path);
        }
        if (Files.isDirectory(path)) {
            throw ToolFailure.usage(path + " is a directory; decode wants a capture file");
        }
        try (InputStream in = Files.newInputStream(path)) {
            decode(in);
        } catch (IOException e) {
            throw ToolFailure.failed(path + " cannot be read: " + e.getMessage());
        }
    }

    private void decode(InputStream in) {
        Messages sums = new Messages(this::show);
        Decoder decoder = new Decoder(ports, messages ? sums : this::show);
        CaptureException damage = null;
        try {
            CaptureReader reader = CaptureReader.of(in);
            Frame frame = reader.next();
            while (frame != null && !interrupted()) {
                decoder.frame(frame);
                frame = reader.next();
            }
        } catch (CaptureException e) {
            if (!e.damaged()) {
                throw ToolFailure.usage(file + ": " + e.getMessage());
            }
            damage = e;
        } catch (IOException e) {
            throw ToolFailure.failed(file + " cannot be read: " + e.getMessage());
        }
        decoder.end();
        sums.end();
        if (damage != null) {
            throw ToolFailure.failed(file + ": " + damage.getMessage(), "what came before is decoded");
        }
        console.endIfAsked();
        if (items == 0) {
            throw ToolFailure.usage(
                    "there is no iWARP in " + file + ": " + decoder.summary(),
                    "--port PORT takes a conversation for iWARP whose start was not captured");
        }
        if (check && violations > 0) {
            throw ToolFailure.failed(
                    violations + (violations == 1 ? " thing is" : " things are") + " wrong in " + file);
        }
    }

    private void show(Item item) {
        items++;
        violations += item.findings().size();
        if (interrupted()) {
            return;
        }
        if (json()) {
            console.line(jsonLines().object(item).toString());
        } else {
            textLines().lines(item).forEach(this::line);
        }
    }

    private JsonLines jsonLines() {
        if (jsonLines == null) {
            jsonLines = new JsonLines(hex);
        }
        return jsonLines;
    }

    private TextLines textLines() {
        if (textLines == null) {
            textLines = new TextLines(verbose, hex);
        }
        return textLines;
    }

    /** An object a line, so no document at the end; only a failure is told by a last line. */
    @Override
    protected void printDocument(String word, int status, @Nullable Object result, Json.@Nullable Failure failure) {
        if (failure != null) {
            console.line(JsonNodeFactory.instance
                    .objectNode()
                    .put("type", "error")
                    .put("status", word)
                    .put("exit_status", status)
                    .put("message", failure.message())
                    .toString());
        }
    }

    @Override
    protected @Nullable Object result() {
        return null;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return Map.of();
    }

    /** Here {@code --json} means something else than in other commands, and its help has to say so. */
    static final class JsonHelp implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            OptionSpec json = spec.findOption("--json");
            spec.remove(json);
            return spec.addOption(OptionSpec.builder(json)
                    .description("Print one JSON object a line instead of text.")
                    .build());
        }
    }
}
