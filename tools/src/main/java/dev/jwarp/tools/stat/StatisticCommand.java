package dev.jwarp.tools.stat;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jwarp statistic}: the counters of a running process, as {@code rdma statistic} shows those of the kernel. */
@Command(
        name = "statistic",
        aliases = "stat",
        description = {
            "Show the counters and limits of a running process: jwarp stat [show] [link DEV/PORT] PID.",
            "The process must belong to the same user, except for root. Without PID the processes are listed."
        })
public final class StatisticCommand extends ObserveCommand {
    @Option(names = "--nonzero", description = "Leave out counters that are 0, and limits that were never used.")
    private boolean nonzero;

    /** @param provider finds the processes */
    public StatisticCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider, List.of());
    }

    @Override
    void show(Observation process, CommandWords asked) {
        for (ObservedRow link : process.all("link")) {
            if (asked.welcome(link.fields())) {
                show(process, link);
            }
        }
    }

    private void show(Observation process, ObservedRow link) {
        List<String> lines = new ArrayList<>(List.of("link " + link.text("link")));
        Map<String, Object> json = new LinkedHashMap<>(new ObservedLine(Map.of("link", link.text("link"))).json());
        for (ObservedRow counter : of(link, process.all("counter"))) {
            if (!nonzero || counter.number("value") != 0) {
                String sentence = details() ? "  # " + counter.text("sentence") : "";
                lines.add("    " + counter.text("name") + " " + counter.number("value") + sentence);
                json.put(counter.text("name"), counter.number("value"));
            }
        }
        List<Map<String, Object>> limits = new ArrayList<>();
        for (ObservedRow limit : of(link, process.all("limit"))) {
            if (!nonzero || limit.number("current") != 0 || limit.number("high-water") != 0) {
                ObservedLine line = limit(limit);
                lines.add("    limit " + line.text());
                limits.add(line.fields());
            }
        }
        json.put("limits", limits);
        result(String.join(System.lineSeparator(), lines), json);
    }

    private static List<ObservedRow> of(ObservedRow link, List<ObservedRow> rows) {
        return rows.stream()
                .filter(row -> row.text("link").equals(link.text("link")))
                .toList();
    }

    private static ObservedLine limit(ObservedRow limit) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", limit.text("name"));
        limit.fields().forEach(fields::putIfAbsent);
        fields.remove("link");
        return new ObservedLine(fields);
    }
}
