package dev.jwarp.benchmarks.compare;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Runs contenders in turn, A B C A B C, each in a JVM of its own, and prints medians and, round by round, ratios to the
 * first of each workload. Only the ratios mean something on a shared machine.
 *
 * <pre>Compare [--rounds N] [--millis N] [--cores 1|2] [--only REGEX]</pre>
 */
final class Compare {
    private final int rounds;
    private final int millis;
    private final int cores;
    private final Pattern only;

    private Compare(int rounds, int millis, int cores, Pattern only) {
        this.rounds = rounds;
        this.millis = millis;
        this.cores = cores;
        this.only = only;
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = 7;
        int millis = 1000;
        int cores = 2;
        Pattern only = Pattern.compile("");
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--rounds" -> rounds = number(value);
                case "--millis" -> millis = number(value);
                case "--cores" -> cores = number(value);
                case "--only" -> only = Pattern.compile(value);
                default -> usage("unknown option " + arguments[i]);
            }
        }
        if (rounds < 1 || millis < 1 || cores < 1 || cores > 2) {
            usage("--rounds and --millis take a number from 1 on, --cores 1 or 2");
        }
        new Compare(rounds, millis, cores, only).run();
    }

    private static int number(String text) {
        return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
    }

    private static void usage(String sentence) {
        System.err.println("compare: " + sentence);
        System.exit(2);
    }

    private void run() throws IOException {
        System.out.printf(
                Locale.ROOT,
                "%d rounds of %d ms after 2 of warm-up, both ends in one JVM on loopback, %d core%s; Java %s%n",
                rounds,
                millis,
                cores,
                cores == 1 ? "" : "s",
                Runtime.version().feature());
        for (Contenders.Workload workload : Contenders.workloads(cores)) {
            measure(workload);
        }
    }

    private void measure(Contenders.Workload workload) throws IOException {
        List<Child> children = new ArrayList<>();
        try {
            for (String name : workload.contenders()) {
                if (children.isEmpty() || only.matcher(name).find()) {
                    children.add(new Child(name));
                }
            }
            for (int round = -2; round < rounds; round++) {
                for (Child child : children) {
                    Figures figures = child.round(millis);
                    if (round >= 0) {
                        child.results.add(figures);
                    }
                }
            }
        } finally {
            children.forEach(Child::close);
        }
        print(workload, children);
    }

    private static void print(Contenders.Workload workload, List<Child> children) {
        boolean latency = workload.latency();
        String first = workload.contenders().get(0);
        System.out.printf(
                Locale.ROOT,
                "%n%s, ratio to %s (%s)%n",
                workload.title(),
                first,
                latency ? "less is better" : "more is better");
        System.out.printf(
                "%-26s %12s %12s %8s %16s %10s %10s%n",
                "contender",
                latency ? "p50 [us]" : "MB/s",
                latency ? "p99 [us]" : "kmsg/s",
                "ratio",
                "(min..max)",
                "B/op",
                "CPU ns/op");
        List<Figures> base = children.get(0).results;
        for (Child child : children) {
            List<Figures> rows = child.results;
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                ratios.add(rows.get(i).value(latency) / base.get(i).value(latency));
            }
            ratios.sort(null);
            System.out.printf(
                    Locale.ROOT,
                    "%-26s %12.2f %12.2f %8.2f %16s %10.2f %10.0f%n",
                    child.name,
                    median(rows.stream().map(f -> f.value(latency)).toList()),
                    median(rows.stream()
                            .map(f -> latency ? f.p99 / 1e3 : f.operations * 1e6 / f.nanos)
                            .toList()),
                    median(ratios),
                    String.format(Locale.ROOT, "(%.2f..%.2f)", ratios.get(0), ratios.get(ratios.size() - 1)),
                    median(rows.stream()
                            .map(f -> (double) f.allocated / f.operations)
                            .toList()),
                    median(rows.stream().map(f -> (double) f.cpu / f.operations).toList()));
        }
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** One line of a worker. */
    private record Figures(long operations, long octets, long nanos, long p50, long p99, long allocated, long cpu) {
        double value(boolean latency) {
            return latency ? p50 / 1e3 : octets * 1e3 / nanos;
        }
    }

    /** A worker JVM. */
    private final class Child {
        final String name;
        final List<Figures> results = new ArrayList<>();
        private final Process process;
        private final BufferedReader out;
        private final BufferedWriter in;

        Child(String name) throws IOException {
            this.name = name;
            List<String> command = new ArrayList<>();
            if (cores == 1) {
                command.addAll(List.of("taskset", "-c", "0"));
            }
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(
                    java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName(), name));
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
            line();
        }

        Figures round(int millis) throws IOException {
            in.write(millis + "\n");
            in.flush();
            String[] f = line().split("\t", -1);
            return new Figures(
                    Long.parseLong(f[0]),
                    Long.parseLong(f[1]),
                    Long.parseLong(f[2]),
                    Long.parseLong(f[3]),
                    Long.parseLong(f[4]),
                    Long.parseLong(f[5]),
                    Long.parseLong(f[6]));
        }

        private String line() throws IOException {
            String line = out.readLine();
            if (line == null) {
                throw new IOException("the worker for " + name + " ended early; its own words are above");
            }
            return line;
        }

        void close() {
            process.destroy();
        }
    }
}
