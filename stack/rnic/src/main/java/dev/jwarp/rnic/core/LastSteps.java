package dev.jwarp.rnic.core;

import java.util.List;
import java.util.function.Consumer;

/**
 * What follows from an end: each step is done once, in order, and one that throws keeps none of the others from being done. A call
 * that comes again does those that threw. Needs no memory itself. One thread at a time.
 *
 * @param <T> what has ended
 */
public final class LastSteps<T> {
    private final T ended;
    private final List<Consumer<T>> steps;

    /** A bit for each. */
    private int done;

    /** @param steps up to 32, which many may share */
    public LastSteps(T ended, List<Consumer<T>> steps) {
        this.ended = ended;
        this.steps = steps;
    }

    /** Does what is left. If steps throw, all are tried before one exception is thrown. */
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
