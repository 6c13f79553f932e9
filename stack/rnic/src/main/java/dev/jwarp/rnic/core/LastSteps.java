package dev.jwarp.rnic.core;

import java.util.List;
import java.util.function.Consumer;

/**
 * The clean-up steps after an end. Each step is done once, in order; the steps after a step that throws are done, too.
 * A further call repeats the steps that threw. Allocates nothing itself. One thread at a time.
 *
 * @param <T> type of the object that has ended
 */
public final class LastSteps<T> {
    private final T ended;
    private final List<Consumer<T>> steps;

    /** A bit for each step. */
    private int done;

    /** @param steps up to 32; the list may be shared */
    public LastSteps(T ended, List<Consumer<T>> steps) {
        this.ended = ended;
        this.steps = steps;
    }

    /**
     * Does the steps that are not done. Steps that throw do not stop the others; one exception is thrown at the end.
     */
    public void run() {
        run(0);
    }

    private void run(int from) {
        for (int i = from; i < steps.size(); i++) {
            int step = 1 << i;
            if ((done & step) == 0) {
                try {
                    steps.get(i).accept(ended);
                    done |= step;
                } finally {
                    if ((done & step) == 0) {
                        run(i + 1);
                    }
                }
            }
        }
    }
}
