package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The victim of a forged source (datagram-iWARP §9)")
class ReflectionTest {
    @Test
    @DisplayName(
            "gets at most three times the bytes sent in its name, for all kinds of datagrams, even with a validated address")
    void factor() throws IOException {
        try (Reflection reflection = new Reflection()) {
            List<Reflection.Row> rows = reflection.rows();
            System.out.print(Reflection.table(rows));
            assertThat(rows)
                    .allSatisfy(row -> assertThat(row.factor()).as(row.what()).isLessThanOrEqualTo(3));
            assertThat(rows.get(0).received()).as("CHALLENGEs").isPositive();
        }
    }
}
