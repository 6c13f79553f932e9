package dev.jwarp.tools.udping;

import java.util.Locale;

/** What a ping consists of. */
enum PingKind {
    /** A Send there, and the same bytes back by a Send. */
    SEND,
    /** A Write-Record there, and a Send back that says how much of it came. */
    WRITE,
    /** A Read of the server's memory. */
    READ;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
