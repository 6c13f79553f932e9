package dev.jwarp.verbs;

/**
 * A part of a memory region with an STag and rights of its own, usable through one queue pair: {@code ibv_mw}. It is
 * bound with {@link SendWorkRequest#bindWindow}, and each binding has a new STag.
 *
 * <p>Threads: any.
 */
public interface MemoryWindow extends AutoCloseable {
    /** {@return the domain} */
    ProtectionDomain protectionDomain();

    /**
     * {@return the STag of the binding posted last, 0 if none was}
     *
     * <p>The peer may get it in a Send that is posted to the same queue pair after the binding, or in any other way
     * once the binding has completed.
     */
    int rkey();

    /**
     * Frees the window and ends its binding: the peer's accesses are refused from then on. Waits for those in progress, as
     * {@link MemoryRegion#close} does.
     */
    @Override
    void close();
}
