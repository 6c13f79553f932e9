package dev.jwarp.base;

/** When a holder is asked to give something back. */
public enum ShareTurn {
    /** Before all others of its size: it counts as twice as large then. So one of its own source has it, too. */
    FIRST,
    /** As its size says. */
    BY_SIZE,
    /** Not at all, though what it holds counts for its source. */
    NEVER
}
