package dev.jwarp.tools.stat;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code jwarp resource}: the objects of a running process on its devices, as in {@code rdma resource}. */
@Command(
        name = "resource",
        description = {
            "Show the objects of a running process: jwarp resource [show [qp|cq|mr|pd|cm_id|ah|srq|ctx]] PID [KEY"
                    + " VALUE]...",
            "A VALUE may be a list (RTS,ERR) or, for numbers, a range (1-6). Without PID the processes are listed."
        })
public final class ResourceCommand extends ObserveCommand {
    private static final List<String> OBJECTS = List.of("qp", "cq", "mr", "pd", "cm_id", "ah", "srq", "ctx");

    /** @param provider finds the processes */
    public ResourceCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider, OBJECTS);
    }

    @Override
    void show(Observation process, CommandWords asked) {
        if (asked.object() == null) {
            summary(process, asked);
            return;
        }
        for (ObservedRow row : process.all(asked.object())) {
            if (asked.welcome(row.fields())) {
                result(ObservedLine.of(row, details()).of(process.pid(), comm(process)));
            }
        }
    }

    private void summary(Observation process, CommandWords asked) {
        long index = 0;
        for (ObservedRow row : process.all("resource")) {
            if (asked.welcome(row.fields())) {
                String device = row.text("link").split("/", 2)[0];
                Map<String, Object> counts = new LinkedHashMap<>(row.fields());
                counts.remove("link");
                Map<String, Object> json = new LinkedHashMap<>();
                json.put("ifindex", index);
                json.put("ifname", device);
                json.putAll(counts);
                result(index + ": " + device + ": " + new ObservedLine(counts).text(), json);
            }
            index++;
        }
    }
}
