package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The lower connection of a stream")
class LowerConnectionTest {
    private static final List<String> CALLS = List.of("open", "close", "abort", "end", "settle");

    private final FakeLowerLayer layer = new FakeLowerLayer();
    private final LowerConnection lower = new LowerConnection();

    private void call(String name) {
        switch (name) {
            case "open" -> lower.open(layer);
            case "close" -> lower.close();
            case "abort" -> lower.abort();
            case "end" -> lower.end();
            default -> lower.settle();
        }
    }

    /** {@return how many of the state questions are true} Each one implies those before it. */
    private int answers() {
        List<Boolean> answers = List.of(lower.closing(), lower.gone(), lower.ended(), lower.settled());
        int yes = (int) answers.stream().filter(answer -> answer).count();
        assertThat(answers)
                .isEqualTo(Stream.iterate(0, i -> i + 1)
                        .limit(answers.size())
                        .map(i -> i < yes)
                        .toList());
        return yes;
    }

    @Test
    @DisplayName("moves forward only, for any sequence of two calls")
    void forward() {
        for (String first : CALLS) {
            for (String second : CALLS) {
                LowerConnectionTest one = new LowerConnectionTest();
                one.lower.open(one.layer);
                one.call(first);
                int before = one.answers();
                one.call(second);
                assertThat(one.answers())
                        .as(first + ", then " + second)
                        .isEqualTo(Math.max(before, CALLS.indexOf(second)));
            }
        }
    }

    @Test
    @DisplayName("passes close and abort to an open layer, and nothing after its end")
    void leftAlone() {
        lower.close();
        lower.abort();
        lower.doorbell();
        assertThat(answers()).as("closed before it was open: nothing to abort").isEqualTo(1);
        lower.open(layer);
        assertThat(answers()).isEqualTo(1);
        lower.abort();
        assertThat(layer.aborted).isTrue();
        lower.close();
        lower.doorbell();
        assertThat(layer.closeRequested).isFalse();
        assertThat(layer.doorbells).isZero();
    }
}
