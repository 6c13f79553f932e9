package dev.jwarp.tools.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.study.StudyCatalogue.Claim;
import dev.jwarp.tools.study.StudyCatalogue.Condition;
import dev.jwarp.tools.study.StudyCatalogue.Contender;
import dev.jwarp.tools.study.StudyCatalogue.Study;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The catalogue of studies")
class StudyCatalogueTest {
    @Test
    @DisplayName("has claims about points and figures that are measured")
    void whole() {
        List<Study> studies = StudyCatalogue.load().studies();

        assertThat(studies).isNotEmpty().extracting(Study::name).doesNotHaveDuplicates();
        for (Study study : studies) {
            assertThat(study.claims()).as(study.name()).isNotEmpty();
            assertThat(study.contenders())
                    .allMatch(contender -> (contender.name() == null) == (contender.series() != null));
            for (Claim claim : study.claims()) {
                assertThat(claim.says()).endsWith(".");
                assertThat(claim.source()).isNotBlank();
                assertThat(claim.published()).isNotBlank();
                assertThat(claim.when()).as(claim.says()).isNotEmpty();
                claim.when().forEach(condition -> check(study, condition));
            }
        }
    }

    private static void check(Study study, Condition condition) {
        assertThat(study.figures()).contains(condition.figure());
        if (condition.by() != null) {
            assertThat(study.figures()).contains(condition.by());
        }
        assertThat(condition.above() == null && condition.below() == null)
                .as("without a bound: %s", condition)
                .isFalse();
        String to = Objects.requireNonNullElse(condition.to(), condition.of());
        measures(study, condition.of(), condition.at());
        measures(study, to, condition.toAt() == null ? condition.at() : condition.toAt());
    }

    private static void measures(Study study, String name, @Nullable Double at) {
        assertThat(study.contenders())
                .as("%s of %s at %s", name, study.name(), at)
                .anyMatch(contender -> mayBe(contender, name) && hasPoint(study, contender, at));
    }

    private static boolean hasPoint(Study study, Contender contender, @Nullable Double at) {
        List<Double> points = study.points(contender);
        return at == null || points == null || points.contains(at);
    }

    private static boolean mayBe(Contender contender, String name) {
        return contender.series() == null ? contender.point(null).equals(name) : name.startsWith(contender.point(""));
    }

    @Test
    @DisplayName("refuses a misspelt name")
    void misspelt() {
        String text = "studies: [{name: a, title: b, x: c, figures: [], contenders: [], claims: [], pionts: [1]}]";
        assertThatThrownBy(() -> StudyCatalogue.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))))
                .hasMessageContaining("pionts");
    }

    @Test
    @DisplayName("finds studies by name, in its own order")
    void named() {
        StudyCatalogue catalogue = StudyCatalogue.load();

        assertThat(catalogue.named(List.of("loss", "verbs")))
                .extracting(Study::name)
                .containsExactly("verbs", "loss");
        assertThat(catalogue.named(List.of("all"))).isEqualTo(catalogue.studies());
        assertThatThrownBy(() -> catalogue.named(List.of("verb")))
                .isInstanceOf(ToolFailure.class)
                .hasMessageContaining("there is no study 'verb'")
                .hasMessageContaining("verbs");
    }
}
