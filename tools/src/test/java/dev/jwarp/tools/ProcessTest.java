package dev.jwarp.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What only a process of its own can show: signals, pipes. */
class ProcessTest {
    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly); // one that did not end as it should
    }

    @ParameterizedTest(name = "SIG{0} ends it with {1}")
    @CsvSource({"INT, 130", "TERM, 143"})
    @DisplayName("a signal ends a server after its last words")
    void signalEndsServerAfterItsLastWords(String signal, int status) throws Exception {
        assumeHeard(signal);
        Process server = start(jwarp("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0"));
        starting().until(() -> err().contains("listening on"));

        new ProcessBuilder("kill", "-" + signal, Long.toString(server.pid()))
                .start()
                .waitFor();

        assertThat(server.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).as(err()).isEqualTo(status);
        assertThat(out()).contains("0 rounds; clients: 0 served");
        assertThat(err()).doesNotContain("Exception");
    }

    static Stream<Object[]> signalEndsTesterThatWaits() {
        return Whole.rows(2, "TERM", "INT");
    }

    @ParameterizedTest(name = "SIG{0}")
    @MethodSource
    @DisplayName("a signal ends a tester that waits with its reports written and the devices command ended")
    void signalEndsTesterThatWaits(String signal) throws Exception {
        assumeHeard(signal);
        Path pid = folder.resolve("pid");
        Path page = folder.resolve("page.html");
        Path xml = folder.resolve("r.xml");
        Process tester = start(jwarp(
                "conform",
                "--listen",
                "127.0.0.1:0",
                "--timeout",
                "30",
                "--html",
                page.toString(),
                "--junit",
                xml.toString(),
                "--peer-command",
                "echo $$ >" + pid + "; exec sleep 600"));
        starting().until(() -> Files.exists(pid) && Files.size(pid) > 0);
        long command = Long.parseLong(Files.readString(pid).strip());

        new ProcessBuilder("kill", "-" + signal, Long.toString(tester.pid()))
                .start()
                .waitFor();

        assertThat(tester.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(out()).as(err()).contains("Finished in", "0 failed");
        assertThat(page).isNotEmptyFile();
        assertThat(xml).isNotEmptyFile();
        await().until(() ->
                !ProcessHandle.of(command).map(ProcessHandle::isAlive).orElse(false));
        assertThat(err()).doesNotContain("Exception");
    }

    @Test
    @DisplayName("a reader that has read enough ends an endless ping without a stack")
    void readerThatHasReadEnough() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0")) {
            List<String> quoted = jwarp("rping", "-c", "-v", "-a", "127.0.0.1", "-p", Listeners.port(server)).stream()
                    .map(word -> "'" + word + "'")
                    .toList();
            Process pipe = new ProcessBuilder(
                            "bash", "-c", String.join(" ", quoted) + " | head -1; echo ${PIPESTATUS[0]}")
                    .redirectError(folder.resolve("pipe.err").toFile())
                    .start();

            assertThat(new String(pipe.getInputStream().readAllBytes(), UTF_8).lines())
                    .hasSize(2)
                    .satisfies(lines -> assertThat(lines.get(0)).startsWith("ping data: rdma-ping-0: "))
                    .satisfies(lines -> assertThat(lines.get(1)).isEqualTo("141"));
            assertThat(Files.readString(folder.resolve("pipe.err"))).doesNotContain("Exception");
        }
    }

    @Test
    @DisplayName("help through head shows no stack")
    void helpThroughHeadShowsNoStack() throws Exception {
        List<String> quoted =
                jwarp("completion").stream().map(word -> "'" + word + "'").toList();
        Process pipe = new ProcessBuilder("bash", "-c", String.join(" ", quoted) + " | head -1")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(pipe.getInputStream().readAllBytes(), UTF_8)).isEqualTo("#!/usr/bin/env bash\n");
    }

    /** Opens a device when the JVM already ends, as a command does that Ctrl-C meets between two connections. */
    static final class OpensAtTheEnd {
        public static void main(String[] arguments) {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() ->
                            RdmaProvider.load().devices().get(0).open(Map.of()).close()));
        }
    }

    @Test
    @DisplayName("A device that is opened while the JVM ends warns of nothing")
    void noWarningAtTheEnd() throws Exception {
        List<String> command = new ArrayList<>(jwarp());
        command.set(command.size() - 1, OpensAtTheEnd.class.getName());
        // The command's own logging, which warns: that of tests hides it.
        command.add(
                1,
                "-Dlogback.configurationFile="
                        + Path.of("src/main/resources/logback.xml").toUri());
        Process process = start(command);

        assertThat(process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(process.exitValue()).as(err()).isZero();
        assertThat(err()).isEmpty();
    }

    /** Runs command lines one after another, each an argument, and tells of each how it ended. */
    static final class Several {
        public static void main(String[] lines) {
            for (String line : lines) {
                Run run = Run.of(line.split(" "));
                System.out.println(run.status() + " " + run.err().replace("\n", "\t"));
            }
        }
    }

    @Test
    @DisplayName(
            "Two ends of perf on one core sleep while they wait, which is said once; where they cannot, that is said;"
                    + " who has set how to wait is not overruled")
    void oneCore() throws Exception {
        String few = " --self -n 20 --warmup 0";
        List<String> command = new ArrayList<>(jwarp(
                "perf send_lat" + few,
                "perf send_bw" + few,
                "perf write_lat" + few,
                "perf send_lat" + few + " --set jwarp.progress.wait=spin --json"));
        command.set(command.indexOf(Main.class.getName()), Several.class.getName());
        command.add(1, "-XX:ActiveProcessorCount=1");
        Process process = start(command);

        assertThat(process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(process.exitValue()).as(err()).isZero();
        List<String> runs = out().lines().toList();
        assertThat(runs).hasSize(4).allMatch(run -> run.startsWith("0 "));
        assertThat(saidOfTheCore(runs.get(0)))
                .singleElement()
                .asString()
                .contains("they sleep until something arrives");
        assertThat(saidOfTheCore(runs.get(1)))
                .singleElement()
                .asString()
                .contains("they sleep until something arrives");
        assertThat(saidOfTheCore(runs.get(2)))
                .singleElement()
                .asString()
                .contains("each waits until the other one is interrupted");
        assertThat(saidOfTheCore(runs.get(3))).isEmpty();
    }

    private static List<String> saidOfTheCore(String run) {
        return Stream.of(run.split("\t"))
                .filter(line -> line.contains("1 core"))
                .toList();
    }

    @Test
    @DisplayName("Help has the same order where capital letters are others")
    void sameOrderInTurkish() throws Exception {
        List<String> command = new ArrayList<>(jwarp("help", "conform"));
        command.addAll(1, List.of("-Duser.language=tr", "-Duser.country=TR"));
        Process process = start(command);

        assertThat(process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(out().indexOf("\n      --private-data="))
                .isPositive()
                .isLessThan(out().indexOf("\n      --profile="));
    }

    /** A JVM may take many seconds to begin on a busy machine. */
    private static ConditionFactory starting() {
        return await();
    }

    @Test
    @DisplayName("what jwarp warns of while it examines itself does not run through the report")
    void selfExaminationIsQuiet() throws Exception {
        List<String> examination = jwarp("conform", "--self", "-i", "0", "MPA-7.1.1-2");
        examination.add(1, "-Dlogback.configurationFile=logback.xml"); // not that of tests
        Process quiet = start(examination);
        assertThat(quiet.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(quiet.exitValue()).as(err()).isZero();
        assertThat(err()).doesNotContain(" WARN ");

        List<String> loud = new ArrayList<>(examination);
        loud.add(1, "-Ddev.jwarp.log=WARN");
        assertThat(start(loud).waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(err()).contains(" WARN ");
    }

    private Process start(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        started.add(process);
        return process;
    }

    /** A shell without job control starts background jobs with SIGINT ignored, and their children inherit that. */
    private static void assumeHeard(String signal) throws IOException {
        Path status = Path.of("/proc/self/status");
        boolean ignored = signal.equals("INT")
                && Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1 << 1) != 0);
        assumeThat(ignored).as("SIGINT is ignored by this process").isFalse();
    }

    private String out() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    static List<String> jwarp(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
