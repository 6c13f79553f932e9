package dev.jwarp.io;

import java.util.Locale;

/** How a caller of {@code await} waits; a setting of the transport selects the mode. */
public enum WaitMode {
    /** In the selector: for several connections or ports, and for threads that share a processor. */
    SELECT,
    /** Spinning reads: no system call except the one that finds the bytes. */
    SPIN,
    /** In a blocking read of the only connection: one system call waits and reads. */
    BLOCK;

    /** {@return the mode with that name in lower case} */
    public static WaitMode of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
