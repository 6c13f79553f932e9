package dev.jwarp.tools.perf;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.perf.perftest.PerftestPeer;
import dev.jwarp.verbs.RdmaProvider;
import picocli.CommandLine;

/** Settings as a command line says them. */
final class Parsed {
    private Parsed() {}

    static PerfSettings settings(String... arguments) {
        PerfCommand command = new PerfCommand(Run.later("perf").console(), RdmaProvider::load, PerftestPeer.LANGUAGE);
        new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return command.checked(RdmaProvider.load());
    }
}
