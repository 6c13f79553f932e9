package dev.jwarp.rnic.core;

import org.jspecify.annotations.Nullable;

/**
 * What follows from an end: each step is done once, in order, and one that throws keeps none of the others from being done. A call
 * that comes again does those that threw. Needs no memory itself. One thread at a time.
 */
public final class LastSteps {
    private final @Nullable Runnable[] left;

    public LastSteps(Runnable... steps) {
        left = steps.clone();
    }

    /** Does what is left. If steps throw, all are tried before one exception is thrown. */
    public void run() {
        run(0);
    }

    private void run(int from) {
        for (int i = from; i < left.length; i++) {
            Runnable step = left[i];
            if (step != null) {
                try {
                    step.run();
                    left[i] = null;
                } finally {
                    if (left[i] != null) {
                        run(i + 1);
                    }
                }
            }
        }
    }
}
