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
     * that have not been carried out fail with LOC_PROT_ERR. The memory itself is the garbage collector's.
     *
     * @throws RdmaException RESOURCE_BUSY if memory windows are bound to it
     */
    @Override
    void close();
}
