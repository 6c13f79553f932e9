package dev.jwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Rows as comma-separated values")
class CsvTest {
    record Inner(double p50, String unit) {}

    record Row(
            String name,
            long count,
            @Nullable Double rate,
            @Nullable Inner latencyUs) {}

    @Test
    @DisplayName("have a header, digits, quoted text, what is inside, and nothing for what was not measured")
    void rows() {
        List<Row> rows = List.of(
                new Row("a \"b\", c", 3, 1.5, new Inner(2, "us")),
                new Row("d", 4, Double.NaN, null),
                new Row("e", 5, null, new Inner(Double.NaN, "ms")));

        assertThat(Json.csv(2, "count,name\",rate,p50=latency_us/p50,unit=latency_us/unit\"", rows))
                .containsExactly(
                        "count,name,rate,p50,unit",
                        "3,\"a \"\"b\"\", c\",1.50,2.00,\"us\"",
                        "4,\"d\",,,",
                        "5,\"e\",,,\"ms\"");
    }
}
