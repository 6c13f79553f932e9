package dev.jwarp.ddp.llp;

/** What an owner moves, where one can ask it to do something behind the call that is under way. */
public interface Deferring {
    /**
     * Has {@code task} run when the owner is out of the call that is under way, and before it looks for output. Owner thread only;
     * allocates nothing.
     */
    void afterCall(AfterCalls.Task task);
}
