package dev.jwarp.base;

/** When a holder is asked to return units. */
public enum ShareTurn {
    /**
     * Before all others of its size: the holder counts as twice as large. Holders of its own source can displace it
     * too.
     */
    FIRST,
    /** By its size. */
    BY_SIZE,
    /** Never; its units still count for its source. */
    NEVER
}
