package dev.jwarp.tools.decode;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.jwarp.conformance.capture.CaptureException;
import dev.jwarp.conformance.capture.CaptureReader;
import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.datagram.KeyRing;
import dev.jwarp.conformance.decode.Decoder;
import dev.jwarp.conformance.decode.Item;
import dev.jwarp.conformance.decode.JsonLines;
import dev.jwarp.conformance.decode.Messages;
import dev.jwarp.conformance.decode.TextLines;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jwarp decode}: prints a line for every FPDU and datagram of a capture, and the violations in it. */
@Command(
        name = "decode",
        modelTransformer = DecodeCommand.JsonHelp.class,
        description = {
            "Show the iWARP and datagram-iWARP in a capture (pcap or pcapng): a line for each FPDU or datagram, and"
                    + " below it each violation, with the requirement's id.",
            "Use tcpdump to capture: tcpdump -i eth0 -s 0 -U -w - tcp port 7174 | jwarp decode -f -"
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
            description = "Decode conversations with this port as iWARP even if their start is missing or wrong.")
    private Set<Integer> ports = new HashSet<>();

    @Option(names = "--messages", description = "Show one line for all segments of a message of a connection.")
    private boolean messages;

    @Option(names = "-v", description = "Show every field.")
    private boolean verbose;

    @Option(names = "-x", description = "Show the bytes, too.")
    private boolean hex;

    @Option(names = "--check", description = "Exit with status 1 if there is a violation.")
    private boolean check;

    @Option(
            names = {"-f", "--follow"},
            description = "Wait for more at the end of FILE, until the pipe ends or Ctrl-C; then print a summary.")
    private boolean follow;

    @Option(
            names = "--stats",
            description = "At the end show, for each conversation, messages and their sizes, and for TCP the time from"
                    + " requests to their responses.")
    private boolean stats;

    @Option(
            names = "--stream",
            split = ",",
            paramLabel = "STREAM",
            description = "Show only this conversation, named as in the output: t0 or u3. More than one is allowed.")
    private List<String> streams = new ArrayList<>();

    @Option(
            names = "--filter",
            split = ",",
            paramLabel = "END",
            description =
                    "Show only conversations with this HOST, PORT or HOST:PORT at one end. More than one is allowed.")
    private List<String> ends = new ArrayList<>();

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description = "Check the tags of authenticated envelopes, and decrypt them, with the keys in this file (as"
                    + " jwarp.udp.keys).")
    private @Nullable Path keys;

    private @Nullable JsonLines jsonLines;
    private @Nullable TextLines textLines;
    private final TalkCounts statistics = new TalkCounts();
    private long violations;
    private long items;

    /** @param standardInput the input of {@code -} */
    public DecodeCommand(Console console, InputStream standardInput) {
        super(console);
        this.standardInput = standardInput;
    }

    @Override
    protected void execute() {
        ports.forEach(port -> ToolFailure.inRange("--port", port, 1, 65_535));
        KeyRing ring = keyRing();
        Messages sums = new Messages(this::show);
        Consumer<Item> shown = messages ? sums : this::show;
        TalkFilter selection = new TalkFilter(streams, ends, stats ? shown.andThen(statistics) : shown);
        try (InputStream in = open()) {
            decode(in, ring, sums, selection);
        } catch (IOException e) {
            throw ToolFailure.failed(file + " cannot be read: " + e.getMessage());
        }
    }

    private @Nullable KeyRing keyRing() {
        try {
            return keys == null ? null : KeyRing.read(keys);
        } catch (IllegalArgumentException e) {
            throw ToolFailure.usage("--keys " + e.getMessage());
        }
    }

    private InputStream open() throws IOException {
        if (file.equals(STANDARD_INPUT)) {
            return follow
                    ? new LiveInput(() -> standardInput, false, console.interruption())
                    : new FilterInputStream(standardInput) {
                        @Override
                        public void close() {
                            // Standard input stays open.
                        }
                    };
        }
        Path path = Path.of(file);
        if (!Files.exists(path)) {
            throw ToolFailure.usage("there is no file " + path);
        }
        if (Files.isDirectory(path)) {
            throw ToolFailure.usage(path + " is a directory; decode reads a capture file");
        }
        return follow
                ? new LiveInput(() -> Files.newInputStream(path), Files.isRegularFile(path), console.interruption())
                : Files.newInputStream(path);
    }

    private void decode(InputStream in, @Nullable KeyRing ring, Messages sums, TalkFilter selection)
            throws IOException {
        Decoder decoder = new Decoder(ports, ring, selection, stream -> {
            sums.ended(stream);
            statistics.ended(stream);
        });
        CaptureException damage = null;
        try {
            CaptureReader reader = CaptureReader.of(in);
            Frame frame = reader.next();
            while (frame != null && !interrupted()) {
                decoder.frame(frame);
                frame = reader.next();
            }
        } catch (CaptureException e) {
            // After the user's interruption an incomplete last packet is not damage: it is still being written.
            if (!interrupted()) {
                if (!e.damaged()) {
                    throw ToolFailure.usage(file + ": " + e.getMessage());
                }
                damage = e;
            }
        }
        decoder.end();
        sums.end();
        conclude(decoder, selection);
        if (damage != null) {
            throw ToolFailure.failed(file + ": " + damage.getMessage(), "everything before it is decoded");
        }
        if (check && violations > 0) {
            throw ToolFailure.failed(violations + (violations == 1 ? " violation" : " violations") + " in " + file);
        }
        console.endIfAsked();
        if (items > 0) {
            return;
        }
        if (selection.streamsLeftOut() == 0) {
            String sentence = "there is no iWARP in " + file + ": " + decoder.summary();
            throw ports.isEmpty()
                    ? ToolFailure.usage(
                            sentence, "--port PORT decodes a conversation as iWARP if its start was not captured")
                    : ToolFailure.usage(sentence);
        }
        throw ToolFailure.usage("--stream and --filter choose none of the "
                + TalkFilter.count(selection.streamsLeftOut(), "conversation") + " in " + file);
    }

    /** Prints statistics and summary at the end, if the user wants them. */
    private void conclude(Decoder decoder, TalkFilter selection) {
        if (stats) {
            statistics.end();
            TalkCountsPage.lines(statistics).forEach(this::line);
            if (json()) {
                TalkCountsPage.objects(statistics).forEach(object -> console.line(object.toString()));
            }
        }
        if (follow || selection.isNarrow()) {
            line("-- " + decoder.summary() + selection.summary());
            if (json()) {
                console.line(selection.object(decoder.summary()).toString());
            }
        }
    }

    private void show(Item item) {
        items++;
        violations += item.findings().size();
        if (console.interruption().signal() == Interruption.SIGPIPE) {
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

    @Override
    public void refuse(ToolFailure why) {
        printDocument("usage", ExitStatus.USAGE.code(), null, new Json.Failure(why.sentence(), why.details()));
    }

    /** Prints nothing after success, because each line is an object of its own; prints a last line for a failure. */
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

    /** Replaces the help of {@code --json}, which prints one object a line here. */
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
