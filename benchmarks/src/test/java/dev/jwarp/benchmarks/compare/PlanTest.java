package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The plan")
class PlanTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("compares only contenders that are in the workload, and has none in vain")
    void contenders(boolean quick) {
        for (Workload workload : all(quick)) {
            Set<String> names = new HashSet<>();
            workload.contenders()
                    .forEach(entry -> assertThat(names.add(entry.name())).isTrue());
            Set<String> used = new HashSet<>();
            workload.comparisons().forEach(comparison -> used.addAll(comparison.contenders()));
            assertThat(used).as(workload.title()).isEqualTo(names);
        }
    }

    private static List<Workload> all(boolean quick) {
        return Stream.of(
                        Plan.workloads(quick),
                        Tried.workloads(),
                        Gathering.workloads(),
                        Beside.workloads(quick),
                        Threads.workloads(),
                        SocketPlan.workloads(),
                        DisniPlan.workloads(),
                        MessagePlan.workloads(),
                        SocketTables.workloads())
                .flatMap(List::stream)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("has the goals that --only takes, but P15, which is measured apart")
    void goals(boolean quick) {
        Set<String> goals = new TreeSet<>(Set.of("P15"));
        all(quick).forEach(workload -> workload.comparisons().forEach(comparison -> goals.add(comparison.goal())));
        goals.removeIf(goal -> !goal.matches("[PSDM][0-9]+"));
        assertThat(goals).containsExactlyInAnyOrderElementsOf(Compare.ALL);
    }

    @Test
    @DisplayName("compares UD with RC also where both have segments of the same length")
    void equalSegments() {
        List<String> commands = Plan.workloads(false).stream()
                .filter(workload -> workload.comparisons().stream()
                        .anyMatch(one -> one.label().contains("/ RC, FPDUs of 1408 B")))
                .flatMap(workload -> workload.contenders().stream())
                .map(Workload.Entry::command)
                .toList();
        assertThat(commands)
                .filteredOn(command -> command.contains("service=ud") && command.contains("mtu=1436"))
                .hasSize(2);
        assertThat(commands)
                .filteredOn(command -> command.contains("service=rc") && command.endsWith("jwarp.mpa.emss=1408"))
                .hasSize(2);
    }

    @Test
    @DisplayName("has streams of reliable datagrams from 1 KiB to 1 MiB, Sends and Write-Records")
    void reliable() {
        assertThat(Beside.workloads(false).stream()
                        .flatMap(workload -> workload.contenders().stream())
                        .map(Workload.Entry::command)
                        .filter(command -> command.contains("service=rd") && command.contains("wait=spin")))
                .hasSize(2 * 2 * 6)
                .allSatisfy(
                        command -> assertThat(command).contains("latency=no").doesNotContain("op=read"))
                .anySatisfy(command -> assertThat(command).contains("op=write size=1048576"));
    }

    @Test
    @DisplayName("starts contenders with words that can be read")
    void words() {
        for (Workload workload : Plan.workloads(false)) {
            for (Workload.Entry entry : workload.contenders()) {
                List<String> words = Arrays.asList(entry.command().split(" ", -1));
                if (words.get(0).contains("java")) {
                    assertThat(Arguments.of(words.subList(2, words.size())).values())
                            .allSatisfy((key, value) -> assertThat(value).isNotEmpty());
                }
            }
        }
    }

    @Test
    @DisplayName("hands settings of jwarp through")
    void settings() {
        Arguments arguments = Arguments.of(List.of("size=64", "jwarp.tcp.linger=4096"));
        assertThat(arguments.settings()).containsExactly(java.util.Map.entry("jwarp.tcp.linger", "4096"));
        assertThat(arguments.number("size", 1)).isEqualTo(64);
        assertThat(arguments.number("list", 1)).isEqualTo(1);
    }
}
