package dev.jwarp.tools.stat;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaProvider;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code jwarp link}: the links of a running process, as {@code rdma link} shows those of the kernel. */
@Command(
        name = "link",
        description = {
            "Show the links of a running process: jwarp link [show] [DEV[/PORT]] PID.",
            "The process must belong to the same user, except for root. Without PID the processes are listed."
        })
public final class LinkCommand extends ObserveCommand {
    /** @param provider finds the processes */
    public LinkCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider, List.of());
    }

    @Override
    void show(Observation process, CommandWords asked) {
        for (ObservedRow link : process.all("link")) {
            if (asked.welcome(link.fields())) {
                result(ObservedLine.of(link, details()));
            }
        }
    }
}
