package dev.jwarp.io;

import java.util.Locale;

/** How a caller of {@code await} waits; the settings of a transport say which of them it has. */
public enum WaitMode {
    /** In the selector: for many connections or ports, and for threads that share a processor. */
    SELECT,
    /** Reading again and again: no system call but the one that finds the bytes. */
    SPIN,
    /** In a blocking read of the only connection: one system call for waiting and reading. */
    BLOCK;

    /** {@return the one that a setting names, in small letters} */
    public static WaitMode of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
