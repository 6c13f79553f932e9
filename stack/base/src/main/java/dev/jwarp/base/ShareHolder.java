package dev.jwarp.base;

/** The holder of a {@link Share}. */
public interface ShareHolder {
    /**
     * Another holder needs units: return all or a part of them before this call returns. If this holder returns none,
     * another one is asked. This holder must not request units of the same resource here. Called on the owner's thread,
     * within another holder's {@link Share#take}.
     */
    void takeBack(long nowNanos);
}
