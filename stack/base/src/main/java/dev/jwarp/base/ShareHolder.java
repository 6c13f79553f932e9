package dev.jwarp.base;

/** The holder of a {@link Share}. */
public interface ShareHolder {
    /**
     * Another one needs what this one holds: it gives back all of it, or at least a part, before this returns. One that cannot
     * gives nothing: another one is asked then. It must not ask for anything of the same resource here. On the owner's thread, within another holder's {@link Share#take}.
     */
    void takeBack(long nowNanos);
}
