package dev.jwarp.messaging;

import java.util.concurrent.ThreadFactory;

/** Makes the threads of this package: none of them keeps a process alive. */
final class Daemons {
    private Daemons() {}

    /** {@return a factory of threads with that name} */
    static ThreadFactory named(String name) {
        return task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            return made;
        };
    }
}
