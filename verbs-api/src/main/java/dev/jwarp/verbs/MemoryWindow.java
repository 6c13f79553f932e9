package dev.jwarp.verbs;

/**
 * A part of a memory region with its own STag and access rights, accessible through one queue pair: {@code ibv_mw}.
 * {@link SendWorkRequest#bindWindow} binds the window; each binding has a new STag.
 *
 * <p>Threads: any.
 */
public interface MemoryWindow extends AutoCloseable {
    /** {@return the protection domain} */
    ProtectionDomain protectionDomain();

    /**
     * {@return the STag of the binding posted last; 0 if none was posted}
     *
     * <p>Send the STag to the peer in a Send posted to the same queue pair after the binding, or in any way after the
     * binding has completed.
     */
    int rkey();

    /**
     * Frees the window and ends its binding: later accesses of the peer are refused. Waits for accesses in progress, as
     * {@link MemoryRegion#close} does.
     */
    @Override
    void close();
}
