package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.Label;

@Label("A ringer")
class RingerTest {
    private final List<Runnable> tasks = new ArrayList<>();
    private boolean outOfMemory;
    private final Ringer ringer = new Ringer(
            task -> {
                if (outOfMemory) {
                    throw new OutOfMemoryError("thrown by a test");
                }
                tasks.add(task);
            },
            () -> {});

    @Example
    @Label("has its task run once, however often it is rung, and once more when it is rung after that was heard")
    void once() {
        ringer.ring();
        ringer.ring();
        assertThat(tasks).hasSize(1);
        ringer.heard();
        ringer.ring();
        assertThat(tasks).hasSize(2);
    }

    @Example
    @Label("whose owner had no memory for the task rings again the next time")
    void noMemory() {
        outOfMemory = true;
        assertThatThrownBy(ringer::ring).isInstanceOf(OutOfMemoryError.class);
        outOfMemory = false;
        ringer.ring();
        assertThat(tasks).hasSize(1);
    }
}
