package dev.jwarp.tools.stat;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The base of commands that observe a running process. Without a pid they list processes. */
abstract class ObserveCommand extends ToolCommand {
    private final Supplier<RdmaProvider> provider;
    private final List<String> objects;
    private final List<Map<String, Object>> results = new ArrayList<>();
    private boolean looked;

    @Parameters(
            paramLabel = "WORD",
            description = "[show] [OBJECT] [DEV[/PORT]] [PID] [KEY VALUE]..., as for rdma of iproute2; words may be"
                    + " abbreviated. Without PID the processes are listed.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = {"-d", "--details"},
            description = "Show all fields.")
    private boolean details;

    @Option(names = "-j", description = "The same as --json.")
    private boolean asJson;

    @Option(
            names = {"-p", "--pretty"},
            description = "Accepted without effect: JSON always has a line for each value.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean pretty;

    /**
     * Makes the command.
     *
     * @param objects the kinds of objects that the command can show
     */
    ObserveCommand(Console console, Supplier<RdmaProvider> provider, List<String> objects) {
        super(console);
        this.provider = provider;
        this.objects = objects;
    }

    @Override
    protected boolean json() {
        return asJson || super.json();
    }

    @Override
    protected final void execute() {
        RdmaProvider rdma = provider.get();
        Set<String> devices = rdma.devices().stream().map(Device::name).collect(Collectors.toSet());
        CommandWords asked = CommandWords.parse(words, objects, devices::contains);
        if (asked.pid() == null) {
            list(rdma, asked);
            return;
        }
        Observation process = rdma.observe(asked.pid());
        looked = true;
        show(process, asked);
        for (ObservedRow cut : process.all("cut")) {
            console.note("only the first " + cut.number("shown") + " objects of kind " + cut.text("object")
                    + " of a link are shown");
        }
        if (results.isEmpty() && !asked.filters().isEmpty()) {
            throw ToolFailure.usage("nothing of process " + asked.pid() + " matches " + String.join(" ", words));
        }
    }

    /** Shows the requested objects. */
    abstract void show(Observation process, CommandWords asked);

    private void list(RdmaProvider rdma, CommandWords asked) {
        if (asked.object() != null || !asked.filters().isEmpty()) {
            throw ToolFailure.usage("the pid of the process is missing", "without words the processes are listed");
        }
        looked = true;
        for (long pid : rdma.observable()) {
            try {
                result(process(rdma.observe(pid)));
            } catch (RdmaException e) {
                // The process has ended, or does not answer. The other processes are listed.
                console.note(String.valueOf(e.getMessage()));
            }
        }
        if (results.isEmpty()) {
            console.note("no process of this user has a jwarp device open");
        }
    }

    private static ObservedLine process(Observation process) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("pid", process.pid());
        fields.put("comm", comm(process));
        fields.put(
                "links",
                process.all("link").stream().map(link -> link.text("link")).collect(Collectors.joining(",")));
        for (String object : List.of("qp", "cq", "pd", "cm_id", "mr", "ctx")) {
            fields.put(
                    object,
                    process.all("resource").stream()
                            .mapToLong(row -> row.number(object))
                            .sum());
        }
        return new ObservedLine(fields);
    }

    static String comm(Observation process) {
        return process.all("process").stream()
                .map(row -> row.text("comm"))
                .findFirst()
                .orElse("");
    }

    final boolean details() {
        return details;
    }

    /** One line of results, as text or for JSON. */
    final void result(ObservedLine line) {
        result(line.text(), line.json());
    }

    /** One line of results, with a text that differs from the fields. */
    final void result(String text, Map<String, Object> json) {
        line(text);
        results.add(json);
    }

    @Override
    protected final @Nullable Object result() {
        return looked ? results : null;
    }

    @Override
    protected final Map<String, Json.EffectiveSetting> settings() {
        return Map.of();
    }
}
