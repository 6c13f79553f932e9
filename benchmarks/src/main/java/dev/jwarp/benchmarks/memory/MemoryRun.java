package dev.jwarp.benchmarks.memory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Prints bytes per peer of one datagram queue pair, and per connection, at the serving end: each figure comes from
 * separate processes with 0, few and many peers, so that it counts only memory that grows with their number.
 *
 * <pre>MemoryRun [--peers FEW,MANY] [--only REGEX]</pre>
 */
public final class MemoryRun {
    private static final double PUBLISHED = 0.24;

    private MemoryRun() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int few = 1_000;
        int many = 10_000;
        Pattern only = Pattern.compile("");
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--peers" -> {
                    String[] part = arguments[i + 1].split(",", -1);
                    few = Integer.parseInt(part[0]);
                    many = Integer.parseInt(part[part.length - 1]);
                }
                case "--only" -> only = Pattern.compile(arguments[i + 1]);
                default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
            }
        }
        System.out.printf(
                "Bytes at the serving end, after garbage collection; Java %d%n%n%-62s %21s %29s%n%-62s %21s %29s%n",
                Runtime.version().feature(),
                "",
                "of one of " + few,
                "one more, from " + few + " to " + many,
                "a peer",
                "heap  direct",
                "heap  direct  kernel  sum");
        double ud = 0;
        double rc = 0;
        for (Scenario scenario : Scenario.values()) {
            if (only.matcher(scenario.name().toLowerCase(Locale.ROOT)).find()) {
                Footprint none = measure(scenario, 0);
                Footprint first = measure(scenario, few);
                Footprint all = measure(scenario, many);
                Footprint one = first.perPiece(none, few);
                Footprint more = all.perPiece(first, many - few);
                long kernel = kernel(scenario, more);
                long sum = sum(scenario, more);
                System.out.printf(
                        "%-62s %21s %29s%n",
                        scenario.title,
                        one.heap() + "  " + one.direct(),
                        more.heap() + "  " + more.direct() + "  " + kernel + "  " + sum);
                ud = scenario == Scenario.RD_HANDLE ? sum : ud;
                rc = scenario.connected && (rc == 0 || sum < rc) ? sum : rc;
            }
        }
        if (ud > 0 && rc > 0) {
            System.out.printf(
                    Locale.ROOT,
                    "%nPublished saving at 10,000 clients: %.0f %%. Here, of the largest idle datagram peer (RD with handle)"
                            + " compared with the smallest connection: %.1f %%.%n",
                    100 * PUBLISHED,
                    100 * (1 - ud / rc));
        }
    }

    /**
     * {@return bytes of one more peer at the serving end: heap, direct buffers, and for connections the kernel's
     * memory}
     */
    public static long onePeer(Scenario scenario, int few, int many) throws IOException, InterruptedException {
        return sum(scenario, measure(scenario, many).perPiece(measure(scenario, few), many - few));
    }

    /** For connections the system counts both ends; for datagrams the sockets belong to the peers. */
    private static long kernel(Scenario scenario, Footprint more) {
        return scenario.connected ? more.kernel() / 2 : 0;
    }

    private static long sum(Scenario scenario, Footprint more) {
        return more.heap() + more.direct() + kernel(scenario, more);
    }

    private static Footprint measure(Scenario scenario, int peers) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                MeasuredEnd.class.getName(),
                scenario.name(),
                "" + peers));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (process.waitFor() != 0 || line == null) {
            throw new IOException(scenario + " with " + peers + " peers failed; its own words are above");
        }
        return Footprint.parse(line);
    }
}
