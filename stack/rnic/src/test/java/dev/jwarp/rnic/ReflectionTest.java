package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Whom a forger names as the source of its datagrams (datagram-iWARP §9)")
class ReflectionTest {
    @Test
    @DisplayName(
            "gets no more than three times what was sent in its name, of no kind, though it has just proved its address")
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
