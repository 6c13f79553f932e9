package dev.jwarp.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/** Registered memory: {@code ibv_mr}. Threads: any. */
public interface MemoryRegion extends AutoCloseable {
    /** {@return the domain} */
    ProtectionDomain protectionDomain();

    /**
     * {@return the registered memory, from index 0 to {@link #length}: the same object at every call, big-endian; set
     * positions only if no other thread uses it, or take a {@code duplicate()}}
     */
    ByteBuffer buffer();

    /** {@return the address of the first octet; tell it to the peer together with {@link #rkey}} */
    long address();

    /** {@return octets} */
    int length();

    /** {@return the key for local scatter/gather elements} */
    int lkey();

    /** {@return the key (STag) for the peer; it cannot be guessed} */
    int rkey();

    /** {@return what it may be used for; cannot be changed} */
    Set<AccessFlag> access();

    /**
     * Deregisters. From then on the peer's accesses are refused, and so are new work requests; requests posted before
     * that have not been carried out fail with LOC_PROT_ERR. Waits for peers' data that is being placed at this moment: when
     * this returns, no octet of a peer comes into the memory any more, so that it may be used for something else. It may
     * still be read for a while: what was on its way to a peer, of Sends, Writes and Read Responses, is sent from it. Memory
     * that is freed by hand must therefore outlive the completions of its requests, and the peer's Reads. The registration
     * itself keeps a direct buffer alive as long as it needs it.
     *
     * @throws RdmaException RESOURCE_BUSY if memory windows are bound to it; INTERNAL if a placement does not end,
     *     a bug of jwarp: the memory must not be used again then
     */
    @Override
    void close();
}
