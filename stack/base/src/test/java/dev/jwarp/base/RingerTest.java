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
    @Label("runs its task once for several rings, and again for a ring after the task has started")
    void once() {
        ringer.ring();
        ringer.ring();
        assertThat(tasks).hasSize(1);
        ringer.heard();
        ringer.ring();
        assertThat(tasks).hasSize(2);
    }

    @Example
    @Label("rings again after its owner had no memory for the task")
    void noMemory() {
        outOfMemory = true;
        assertThatThrownBy(ringer::ring).isInstanceOf(OutOfMemoryError.class);
        outOfMemory = false;
        ringer.ring();
        assertThat(tasks).hasSize(1);
    }
}
