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
        return Stream.of(Plan.workloads(quick), Tried.workloads(), Beside.workloads(quick), Threads.workloads())
                .flatMap(List::stream)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("has all goals but P15, which is measured apart")
    void goals(boolean quick) {
        Set<Integer> goals = new TreeSet<>();
        Plan.workloads(quick)
                .forEach(workload -> workload.comparisons()
                        .forEach(comparison ->
                                goals.add(Integer.parseInt(comparison.goal().substring(1)))));
        assertThat(goals).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19);
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
        Arguments arguments = Arguments.of(List.of("size=64", "jwarp.tcp.ring=4096"));
        assertThat(arguments.settings()).containsExactly(java.util.Map.entry("jwarp.tcp.ring", "4096"));
        assertThat(arguments.number("size", 1)).isEqualTo(64);
        assertThat(arguments.number("list", 1)).isEqualTo(1);
    }
}
