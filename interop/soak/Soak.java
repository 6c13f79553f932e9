import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Moderate load of every kind for any time, in one process; at intervals all threads stop between two operations, and
 * the resources of the process are recorded. The result is a verdict on whether the resources grow.
 */
public final class Soak {
    private static final Queue<String> FAILURES = new ConcurrentLinkedQueue<>();
    /** Rounds hold it shared, a sample alone. */
    private static final ReentrantReadWriteLock REST = new ReentrantReadWriteLock(true);

    private static volatile boolean over;
    private static int status = 1;

    /** A world with the thread that keeps it going. */
    private record Going(World world, AtomicLong rounds, Thread thread) {}

    private Soak() {}

    /** Notes what should not have happened. */
    static void failed(String who, Throwable why) {
        StackTraceElement[] where = why.getStackTrace();
        FAILURES.add(who + ": " + why + (where.length > 0 ? " at " + where[0] : ""));
        if (FAILURES.size() > 20) {
            over = true;
        }
    }

    /** Arguments: seconds, seconds between samples, milliseconds between rounds, folder, remark, what to leak on purpose or "-". */
    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[0]);
        double interval = Double.parseDouble(arguments[1]);
        long pace = Long.parseLong(arguments[2]);
        Path folder = Path.of(arguments[3]);
        String remark = arguments[4];
        if (seconds == 0) {
            judge(Sample.read(folder.resolve("soak.csv")), remark, folder);
            System.exit(status);
        }
        List<Going> all = new ArrayList<>();
        try {
            for (Progress progress : Progress.values()) {
                start(all, new Connections(progress, true), pace);
                start(all, new Connections(progress, false), pace);
                start(all, new Datagrams(QueuePairType.UD, progress), pace);
                start(all, new Datagrams(QueuePairType.RD, progress), pace);
            }
            start(all, new Looks(), 1000);
            if (!arguments[5].equals("-")) {
                start(all, new Leak(arguments[5]), 250);
            }
            sample(all, seconds, interval, folder);
            judge(Sample.read(folder.resolve("soak.csv")), remark, folder);
        } finally {
            over = true;
            for (Going going : all) {
                going.thread().join(60_000);
                going.world().close();
            }
        }
        System.exit(status);
    }

    private static void start(List<Going> all, World world, long pace) {
        AtomicLong rounds = new AtomicLong();
        Thread thread = new Thread(() -> {
            while (!over) {
                REST.readLock().lock();
                try {
                    world.round();
                    rounds.incrementAndGet();
                } catch (Exception | Error e) {
                    failed(world.name(), e);
                } finally {
                    REST.readLock().unlock();
                }
                LockSupport.parkNanos(pace * 1_000_000);
            }
        }, world.name());
        thread.start();
        all.add(new Going(world, rounds, thread));
    }

    /** Keeps nothing but the file, as the heap is what is measured. */
    private static void sample(List<Going> all, double seconds, double interval, Path folder) throws IOException {
        boolean first = true;
        long start = System.nanoTime();
        try (PrintWriter csv = new PrintWriter(folder.resolve("soak.csv").toFile())) {
            for (double due = interval; due <= seconds && !over; due += interval) {
                while (!over && (System.nanoTime() - start) / 1e9 < due) {
                    LockSupport.parkNanos(50_000_000);
                }
                Sample sample;
                REST.writeLock().lock();
                try {
                    settle();
                    Map<String, Long> rounds = new LinkedHashMap<>();
                    all.forEach(going -> rounds.put(going.world().name(), going.rounds().get()));
                    double cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
                    sample = Sample.take((System.nanoTime() - start) / 1e9, cpu, rounds);
                } finally {
                    REST.writeLock().unlock();
                }
                if (first) {
                    csv.println(sample.header());
                    first = false;
                }
                csv.println(sample.row());
                csv.flush();
            }
        }
    }

    /** Servers close what their clients have closed; until nothing changes any more, but not for ever. */
    private static void settle() {
        Map<String, Long> before = Map.of();
        for (int i = 0, same = 0; i < 100 && same < 4; i++) {
            Observation now = RdmaProvider.load().observe(ProcessHandle.current().pid());
            same = Sample.tables(now).equals(before) ? same + 1 : 0;
            before = Sample.tables(now);
            LockSupport.parkNanos(50_000_000);
        }
    }

    private static void judge(List<Sample> samples, String remark, Path folder) throws IOException {
        List<String> worlds = samples.get(0).values().keySet().stream()
                .dropWhile(name -> !name.equals("cpu_seconds"))
                .skip(1)
                .toList();
        Verdict verdict = new Verdict(samples, worlds);
        Sample last = samples.get(samples.size() - 1);
        String load = String.format(
                "%s; %.1f minutes, %d samples, %.0f %% of one core",
                remark, last.get("seconds") / 60, samples.size(), 100 * last.get("cpu_seconds") / last.get("seconds"));
        try (PrintWriter page = new PrintWriter(folder.resolve("soak.txt").toFile())) {
            List<String> lines = new ArrayList<>(List.of(load));
            lines.addAll(verdict.lines());
            FAILURES.forEach(failure -> lines.add("  FAIL " + failure));
            boolean well = verdict.flat() && FAILURES.isEmpty();
            lines.add(well ? "flat: nothing grows" : "NOT flat, see the lines with FAIL");
            lines.forEach(System.out::println);
            lines.forEach(page::println);
            status = well ? 0 : 1;
        }
        Plots.draw(samples, load, folder);
    }

    /** Asks for what {@code jwarp stat} and {@code jwarp resource} show. */
    private static final class Looks implements World {
        @Override
        public String name() {
            return "stat";
        }

        @Override
        public void round() {
            RdmaProvider rdma = RdmaProvider.load();
            if (rdma.observable().isEmpty() || rdma.observe(ProcessHandle.current().pid()).all("qp").isEmpty()) {
                throw new IllegalStateException("jwarp resource shows no queue pairs");
            }
        }

        @Override
        public void close() {}
    }

    /** Leaks on purpose, so that the verdict fails. */
    private static final class Leak implements World {
        private final String what;
        private final List<Object> kept = new ArrayList<>();

        Leak(String what) {
            this.what = what;
        }

        @Override
        public String name() {
            return "leak";
        }

        @Override
        public void round() throws Exception {
            kept.add(switch (what) {
                case "heap" -> new byte[64 << 10];
                case "direct" -> ByteBuffer.allocateDirect(64 << 10);
                case "fds" -> new java.io.FileInputStream("/dev/null");
                case "threads" -> {
                    Thread thread = new Thread(() -> LockSupport.park());
                    thread.setDaemon(true);
                    thread.start();
                    yield thread;
                }
                case "tables" -> RdmaProvider.load().devices().get(0).open();
                default -> throw new IllegalArgumentException("no such leak: " + what);
            });
        }

        @Override
        public void close() {}
    }
}
