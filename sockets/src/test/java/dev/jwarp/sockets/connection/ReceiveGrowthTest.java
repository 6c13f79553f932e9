package dev.jwarp.sockets.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sockets.stream.ReceivePlace;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("More memory to receive in")
class ReceiveGrowthTest {
    private long now = Long.MAX_VALUE - 5; // the clock may run over
    private boolean none;
    private final List<Integer> asked = new ArrayList<>();
    private final ReceiveGrowth growth = new ReceiveGrowth(() -> now);
    private final ReceivePlace small = place(10);

    private static ReceivePlace place(int length) {
        return new ReceivePlace(ByteBuffer.allocate(length), 0, length);
    }

    private ReceivePlace memory(int length) {
        asked.add(length);
        if (none) {
            throw new RdmaException(RdmaErrorCode.LIMIT_REACHED, "there is none");
        }
        return place(length);
    }

    @Test
    @DisplayName("is not asked for for 60 s after there was none, by anyone, and then again")
    void pause() {
        none = true;
        assertThat(growth.larger(small, 40, this::memory)).isSameAs(small);
        none = false;
        now += ReceiveGrowth.PAUSE_NANOS - 1;
        assertThat(growth.larger(place(20), 80, this::memory).memory().capacity())
                .isEqualTo(20);
        assertThat(asked).containsExactly(40);

        now++;
        assertThat(growth.larger(small, 40, this::memory).memory().capacity()).isEqualTo(40);
        assertThat(growth.larger(place(20), 80, this::memory).memory().capacity())
                .isEqualTo(80);
    }
}
