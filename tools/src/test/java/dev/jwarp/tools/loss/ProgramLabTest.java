package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The program of jwarp loss --lab")
class ProgramLabTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Path SCRIPT = Path.of("../interop/loss/lab.py").toAbsolutePath();

    @TempDir
    private Path folder;

    private Path script(String name, String... lines) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private static String wanted(double loss, double rtt, String bottleneck) {
        LossPath path = new LossPath(loss, rtt, bottleneck.isEmpty() ? null : Bottleneck.of(bottleneck));
        LossTrial trial = new LossTrial(Service.UD_SEND, path, 64, 1, 1, 1500, 100, 1000, 1, 7, Map.of());
        return MAPPER.valueToTree(ProgramLab.PathRequest.of(trial)).toString();
    }

    /** {@return what the script answers} Commands of the system are scripts that write down their words. */
    private String lab(List<String> flags, String... lines) throws Exception {
        String note = "echo \"${0##*/} $*\" >>" + folder.resolve("log");
        script("ip", note, "case \"$*\" in *TCP_CONGESTION*) echo reno ;; esac");
        script("tc", note);
        script("setpriv", "shift 2", "exec \"$@\"");
        script("box", note, "echo up", "exec sleep 600");
        List<String> command = new ArrayList<>(List.of("python3", "-B", SCRIPT.toString()));
        command.addAll(flags);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().merge("PATH", folder + ":", (old, own) -> own + old);
        Process process = builder.start();
        process.getOutputStream().write((String.join("\n", lines) + "\n").getBytes(UTF_8));
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    @Test
    @DisplayName("netem gets half of the round trip at each end, the rate, and room for what waits or is on its way")
    void netem() throws Exception {
        String answers =
                lab(List.of("netem", "--tcp-congestion", "reno"), wanted(0.005, 0, ""), wanted(0, 60, "20M,0.5x"));

        assertThat(answers.lines()).hasSize(3).noneMatch(line -> line.contains("failure"));
        assertThat(log())
                .containsPattern(
                        "tc -n jwarp-loss-[0-9]+-a qdisc replace dev jwloss root netem limit 100000 loss 0.5000%\n")
                .containsPattern("tc .*-b qdisc .* netem limit 100 loss 0.0000% delay 30000us rate 20000000bit\n")
                .containsPattern("ip -n .*-b link set jwloss gso_max_segs 1\n")
                .containsPattern("ip -n .* route replace 10.77.77.2 dev jwloss src 10.77.77.1 congctl reno\n")
                .containsPattern("ip netns delete jwarp-loss-[0-9]+-b\n$");
    }

    @Test
    @DisplayName("The box gets the same in both directions, and the seed; it begins anew for another path only")
    void box() throws Exception {
        List<String> flags = List.of("box", "--box", folder.resolve("box").toString(), "--tcp-congestion", "reno");
        String path = wanted(0.01, 50, "20M,64K").replaceFirst("\"seed\":-?[0-9]+", "\"seed\":9");

        String answers = lab(flags, path, path, wanted(0.01, 50, ""));

        assertThat(answers.lines().toList())
                .hasSize(4)
                .last()
                .asString()
                .isEqualTo("{\"failure\": \"the box is a bottleneck: say which, as --bottleneck 20M,64K\"}");
        assertThat(log().lines().filter(line -> line.startsWith("box ")))
                .singleElement()
                .asString()
                .matches("box a=jwl[0-9]+a b=jwl[0-9]+b rate=20.000000 delay=25.000000 queue=65536b back-queue=65536b"
                        + " loss=0.010000 back-loss=0.010000 seed=9");
    }

    @Test
    @DisplayName("nft drops packets, and refuses a round trip and a bottleneck")
    void nft() throws Exception {
        assertThat(lab(List.of("nft", "--tcp-congestion", "reno"), wanted(0.01, 0, ""))
                        .lines())
                .hasSize(2);
        assertThat(log()).contains("iifname jwloss numgen random mod 100000 < 1000 drop;");
        assertThat(lab(List.of("nft", "--tcp-congestion", "reno"), wanted(0, 10, "")))
                .contains("nft only drops packets: --rtt and --bottleneck are for netem and box");
    }

    @Test
    @DisplayName("Another congestion control of TCP than the wanted one is a failure, as are flags that do not fit")
    void control() throws Exception {
        assertThat(lab(List.of("nft", "--tcp-congestion", "bbr")))
                .contains("{\"failure\": \"TCP has to use bbr, and a connection uses reno\"}");
        assertThat(lab(List.of("box"))).contains("box and --box FILE go together");
        assertThat(lab(List.of("nft", "--box", "/bin/true"))).contains("box and --box FILE go together");
        assertThat(lab(List.of("tc"))).contains("invalid choice: 'tc'");
    }

    @Test
    @DisplayName("Each end of a trial is a process where the program wants it, and the path follows the trials")
    void ends() throws Exception {
        Path there = script("there", "echo \"$*\" >>" + folder.resolve("log"), "shift", "exec \"$@\"");
        String end = "{\"address\":\"127.0.0.%d\",\"command\":[\"" + there + "\",\"at %1$d\"]}";
        Path program = script(
                "program",
                "echo '{\"description\":\"a wire\",\"network\":\"127.0.0.0/8\",\"ends\":[" + end.formatted(1) + ","
                        + end.formatted(2) + "]}'",
                "while read -r path; do echo \"$path\" >>" + folder.resolve("paths") + "; echo '{}'; done",
                "echo ended >>" + folder.resolve("paths"));

        Run run = Run.of(
                "loss",
                "--json",
                "--quiet",
                "--lab",
                program.toString(),
                "--rates",
                "1",
                "--sizes",
                "64",
                "--rtt",
                "2",
                "--services",
                "ud-send,rc-send",
                "--messages",
                "20",
                "--limit",
                "30",
                "--bottleneck",
                "1M,64K");

        assertThat(run.status()).as(run.toString()).isZero();
        JsonNode result = MAPPER.readTree(run.out()).path("result");
        assertThat(result.path("where").asText()).startsWith("a wire; a process at each end");
        assertThat(result.path("rows")).hasSize(2).allSatisfy(row -> {
            assertThat(row.path("whole").asInt()).isEqualTo(20);
            assertThat(row.path("loss_percent").asDouble()).isEqualTo(1);
            assertThat(row.path("retransmissions").isNull()).isFalse();
        });
        assertThat(log().lines())
                .satisfiesExactlyInAnyOrder(
                        target -> assertThat(target).matches("at 1 .* --role target --local 127.0.0.1 .*"),
                        source -> assertThat(source).matches("at 2 .* --role source --local 127.0.0.2 .*"));
        assertThat(Files.readAllLines(folder.resolve("paths")))
                .hasSize(5)
                .endsWith("ended")
                .first()
                .asString()
                .startsWith("{\"loss\":0.01,\"delay\":1.0,\"rate\":1000000,\"queue\":65536,\"seed\":");
    }

    @Test
    @DisplayName("A program that fails, ends or writes something else fails the command, which says so")
    void failures() throws Exception {
        Path fails = script("fails", "echo '{\"failure\":\"no wire here\"}'");
        Path ends = script("ends", "exit 1");
        Path other = script("other", "echo '{\"network\":1}'");

        assertThat(Run.of("loss", "--lab", fails.toString())).satisfies(run -> {
            assertThat(run.status()).isEqualTo(3);
            assertThat(run.err()).contains("error: --lab: no wire here");
        });
        assertThat(Run.of("loss", "--lab", ends.toString()).err())
                .contains("error: the program of --lab has ended: its last lines are above");
        assertThat(Run.of("loss", "--lab", other.toString()).err()).contains("error: the program of --lab wrote");
        assertThat(Run.of("loss", "--lab", "/no/such/program").err())
                .contains("error: the program of --lab cannot be started");
    }
}
