import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Resources of this process at one moment, by name, in the order of the columns.
 *
 * @param values seconds, bytes and numbers
 */
record Sample(Map<String, Double> values) {
    /** Things that are counted; {@code jwarp resource} has the same names. */
    static final List<String> TABLES = List.of("qp", "cq", "pd", "cm_id", "mr", "ctx", "srq", "ah", "mw");

    /** What begins the name of a column that says how much of a limit is used, in all contexts. */
    static final String USED = "used:";

    /** Takes a sample between two operations. Collects garbage first. */
    static Sample take(double seconds, double cpuSeconds, Map<String, Long> rounds) throws IOException {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("seconds", seconds);
        collect();
        Runtime runtime = Runtime.getRuntime();
        values.put("heap_bytes", (double) (runtime.totalMemory() - runtime.freeMemory()));
        values.put("direct_bytes", (double) direct());
        values.put("rss_bytes", 1024.0 * status("VmRSS:"));
        values.put("threads", (double) status("Threads:"));
        values.put("fds", (double) descriptors());
        Observation all = RdmaProvider.load().observe(ProcessHandle.current().pid());
        tables(all).forEach((name, count) -> values.put(name, (double) count));
        all.all("limit").stream()
                .filter(row -> row.fields().containsKey("current") && !TABLES.contains(row.text("name")))
                .forEach(row -> values.merge(USED + row.text("name"), (double) row.number("current"), Double::sum));
        values.put("cpu_seconds", cpuSeconds);
        rounds.forEach((name, count) -> values.put(name, (double) count));
        return new Sample(values);
    }

    /** Collects garbage, until the JVM has freed the direct memory of buffers that were found dead: a thread of its own does. */
    private static void collect() {
        System.gc();
        long before = Long.MAX_VALUE;
        for (int i = 0; i < 20 && direct() < before; i++) {
            before = direct();
            System.gc();
            LockSupport.parkNanos(30_000_000);
        }
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** {@return how many there are of everything} */
    static Map<String, Long> tables(Observation all) {
        Map<String, Long> sums = new LinkedHashMap<>();
        for (String name : TABLES) {
            sums.put(name, all.all("resource").stream().mapToLong((ObservedRow row) -> row.number(name)).sum());
        }
        return sums;
    }

    static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private static long status(String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }

    double get(String name) {
        return values.getOrDefault(name, 0.0);
    }

    String header() {
        return String.join(",", values.keySet());
    }

    String row() {
        return values.values().stream()
                .map(value -> value == Math.rint(value) ? Long.toString(value.longValue()) : String.format("%.3f", value))
                .collect(Collectors.joining(","));
    }

    /** {@return the rows of a file of such lines} */
    static List<Sample> read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        String[] names = lines.get(0).split(",");
        return lines.stream()
                .skip(1)
                .map(line -> {
                    String[] cells = line.split(",");
                    Map<String, Double> values = new LinkedHashMap<>();
                    for (int i = 0; i < names.length; i++) {
                        values.put(names[i], Double.parseDouble(cells[i]));
                    }
                    return new Sample(values);
                })
                .toList();
    }
}
