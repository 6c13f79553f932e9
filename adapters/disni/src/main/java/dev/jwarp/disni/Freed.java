package dev.jwarp.disni;

import java.io.IOException;

/** Whether a stateful verb call was freed. One thread at a time, like the call. */
final class Freed {
    private boolean freed;

    void free() {
        freed = true;
    }

    boolean isValid() {
        return !freed;
    }

    /** Throws if the call was freed. */
    void check() throws IOException {
        if (freed) {
            throw new IOException("The stateful verb call was freed: create another one.");
        }
    }
}
