package dev.jwarp.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code jwarp} command: prints its help where it is not told what to do. */
@Command(
        name = "jwarp",
        mixinStandardHelpOptions = true,
        version = "jwarp 0.1.0-SNAPSHOT",
        description = "iWARP (RDMA over TCP) in user space.")
public final class Main implements Runnable {
    /** Made by picocli. */
    public Main() {}

    /** Runs the command and ends the JVM with its exit status. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }
}
