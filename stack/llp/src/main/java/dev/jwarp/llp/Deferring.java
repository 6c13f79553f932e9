package dev.jwarp.llp;

/** Something that runs tasks after the current call of its owner. */
public interface Deferring {
    /**
     * Runs {@code task} right after the current call of the owner, before the owner checks for output. Owner thread
     * only; allocates nothing.
     */
    void afterCall(AfterCalls.Task task);
}
