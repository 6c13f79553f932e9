package dev.jwarp.benchmarks.compare;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Starts contenders by the first word of their command. */
final class Players {
    /**
     * Environment of UCX: TCP on loopback, no warnings on standard output about a version that the binding does not
     * expect.
     */
    static final Map<String, String> ENVIRONMENT =
            Map.of("UCX_TLS", "tcp", "UCX_NET_DEVICES", "lo", "UCX_LOG_LEVEL", "error");

    /** Aeron's buffers and its selector use internals of the JDK. */
    private static final List<String> OPENED = List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

    private static final List<String> QUIET_CRASH =
            List.of("-XX:+SuppressFatalErrorMessage", "-XX:-CreateCoredumpOnCrash");

    /**
     * Options for a JVM that is warm after a thousand messages: otherwise the warm-up of many JVMs with single messages
     * would take minutes.
     */
    private static final List<String> QUICK_COMPILER =
            List.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1");

    /**
     * Gives compiler threads priority over contenders that keep all cores busy: otherwise the warm-up takes nearly
     * twice as long. Only root can set priorities; other users get no warning, as it would mix with the contender's
     * output. The JDK's selectors box descriptors: those of sockets exceed 127, the end of the default cache of boxes,
     * because this class path has many open files. Compiler threads live as long as the JVM, so that their CPU time
     * never falls.
     */
    static final List<String> OF_ALL = List.of(
            "-XX:ThreadPriorityPolicy=1",
            "-XX:CompilerThreadPriority=-10",
            "-XX:-PrintWarnings",
            "-XX:AutoBoxCacheMax=4095",
            "-XX:-UseDynamicNumberOfCompilerThreads");

    /** First words of commands of JVMs, and of JVMs with another build. */
    static final String JAVA = "java ";

    static final String BEFORE = "before-";

    private final Path peers;
    private final @Nullable Path before;

    /**
     * Players of one run.
     *
     * @param peers the folder with those contenders in C that could be built
     * @param before the folder of another built checkout; null if there is none
     */
    Players(Path peers, @Nullable Path before) {
        this.peers = peers;
        this.before = before;
    }

    /** @throws IOException with the reason why the contender cannot take part */
    Player open(Workload.Entry entry, boolean oneCore) throws IOException {
        List<String> words = Arrays.asList(entry.command().split(" ", -1));
        List<String> rest = words.subList(1, words.size());
        return switch (words.get(0)) {
            case "java" -> child(entry.name(), with(processors(oneCore), Child.java(Worker.class, rest)), oneCore);
            case "before-java" -> child(entry.name(), with(processors(oneCore), before(rest)), oneCore);
            case "c1-java" -> {
                List<String> command = with(QUICK_COMPILER, Child.java(Worker.class, rest));
                yield child(entry.name(), with(processors(oneCore), command), oneCore);
            }
            case "java22" -> child(entry.name(), with(processors(oneCore), newer(rest)), oneCore);
            case "aeron" -> child(entry.name(), with(OPENED, Child.java(Worker.class, rest)), oneCore);
            case "fresh-java" ->
                new Fresh(() -> child(entry.name(), with(QUIET_CRASH, Child.java(Worker.class, rest)), oneCore));
            case "c" ->
                compiled(
                        entry.name(),
                        program(
                                "peer",
                                "benchmarks/peers could not be built: there is no cc, or it does not support this machine",
                                rest),
                        oneCore);
            case "fabric" -> compiled(entry.name(), program("fabric", "libfabric-dev is not installed", rest), oneCore);
            case "ucx" -> new UcxPerftest(rest.get(0), Integer.parseInt(rest.get(1)));
            case "fi" -> new FiPingpong(Integer.parseInt(rest.get(0)));
            case "iperf3" -> new Iperf(oneCore);
            default -> throw new IllegalArgumentException("no program runs " + entry.command());
        };
    }

    /** Uses the class path of the other checkout. */
    private List<String> before(List<String> rest) {
        String own = Path.of("").toAbsolutePath() + File.separator;
        String there = Objects.requireNonNull(before).toAbsolutePath() + File.separator;
        List<String> command = Child.java(Worker.class, rest);
        command.replaceAll(word -> word.equals(Child.CLASS_PATH)
                ? Arrays.stream(word.split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString().replace(own, there))
                        .collect(Collectors.joining(File.pathSeparator))
                : word);
        return command;
    }

    /** Uses a JVM of version 22 or newer, and benchmarks/foreign, which is compiled for it. */
    private List<String> newer(List<String> rest) throws IOException {
        String home = System.getenv("JAVA_22_HOME");
        Path classes = peers.resolve("foreign");
        if (home == null || !Files.isDirectory(classes)) {
            throw new IOException("there is no JDK 22 or newer; set JAVA_22_HOME to its folder");
        }
        String path = classes + File.pathSeparator + System.getProperty("java.class.path");
        List<String> command = new ArrayList<>(List.of(
                Path.of(home, "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-cp",
                path));
        if (rest.get(0).equals("foreign-echo")) {
            command.add("dev.jwarp.benchmarks.compare.ForeignEcho");
            command.addAll(rest.subList(1, rest.size()));
        } else {
            command.add(Worker.class.getName());
            command.addAll(rest);
        }
        return command;
    }

    private static Player child(String name, List<String> command, boolean oneCore) throws IOException {
        return new Child(name, with(OF_ALL, command), ENVIRONMENT, oneCore);
    }

    /** The JVM starts on all cores, which is faster, but with options as if it had only its later cores. */
    private static List<String> processors(boolean oneCore) {
        return oneCore ? List.of("-XX:ActiveProcessorCount=1") : List.of();
    }

    static List<String> with(List<String> flags, List<String> command) {
        List<String> more = new ArrayList<>(command);
        more.addAll(1, flags);
        return more;
    }

    private static Player compiled(String name, List<String> command, boolean oneCore) throws IOException {
        return new Child(name, command, ENVIRONMENT, oneCore);
    }

    private List<String> program(String name, String otherwise, List<String> arguments) throws IOException {
        Path program = peers.resolve(name);
        if (!Files.isExecutable(program)) {
            throw new IOException(otherwise);
        }
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        return command;
    }

    /** A new process for each round, for programs that cannot run two. */
    private static final class Fresh implements Player {
        /** The command that starts the process. */
        interface Start {
            Player start() throws IOException;
        }

        private static final int ATTEMPTS = 3;

        private final Start start;

        Fresh(Start start) {
            this.start = start;
        }

        @Override
        public Figures round(int millis) throws IOException {
            for (int left = ATTEMPTS; ; left--) {
                try (Player player = start.start()) {
                    player.ready();
                    player.settle();
                    return player.round(millis);
                } catch (IOException e) {
                    if (left == 1) {
                        throw e;
                    }
                }
            }
        }

        /** A new process is never warm. */
        @Override
        public boolean warmsUp() {
            return false;
        }

        @Override
        public void close() {
            // no process is open between rounds
        }
    }
}
