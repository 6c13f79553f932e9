package dev.jwarp.verbs;

import java.util.Arrays;

/**
 * What send and receive requests have in common: an id and a list of local memory. Reusable: fill, post, fill again;
 * the setters return the request itself. Posting checks it. Allocates only when a list is longer than every earlier
 * list of this object.
 *
 * <p>Threads: one at a time.
 *
 * @param <W> the kind of request
 */
public abstract sealed class WorkRequest<W extends WorkRequest<W>> permits SendWorkRequest, ReceiveWorkRequest {
    private long id;
    private int elementCount;
    private long[] addresses = new long[4];
    private int[] lengths = new int[4];
    private int[] lkeys = new int[4];

    WorkRequest() {}

    abstract W self();

    /**
     * Sets the id that the completion will carry.
     *
     * @param workRequestId any number; the completion carries it
     * @return this request
     */
    public final W id(long workRequestId) {
        id = workRequestId;
        return self();
    }

    /** {@return the id that the completion will carry} */
    public final long id() {
        return id;
    }

    /**
     * Adds a piece of local memory.
     *
     * @param address of the first byte
     * @param length bytes
     * @param lkey the key of the memory region
     * @return this request
     */
    public final W add(long address, int length, int lkey) {
        if (elementCount == addresses.length) {
            addresses = Arrays.copyOf(addresses, elementCount * 2);
            lengths = Arrays.copyOf(lengths, elementCount * 2);
            lkeys = Arrays.copyOf(lkeys, elementCount * 2);
        }
        addresses[elementCount] = address;
        lengths[elementCount] = length;
        lkeys[elementCount] = lkey;
        elementCount++;
        return self();
    }

    /**
     * Adds a piece of local memory.
     *
     * @param element the piece
     * @return this request
     */
    public final W add(ScatterGatherElement element) {
        RdmaException.requireArgument(element, "element");
        return add(element.address(), element.length(), element.lkey());
    }

    /**
     * Adds a part of a region.
     *
     * @param region registered memory
     * @param offset bytes from the start of the region
     * @param length bytes
     * @return this request
     */
    public final W add(MemoryRegion region, long offset, int length) {
        RdmaException.requireArgument(region, "region");
        return add(region.address() + offset, length, region.lkey());
    }

    /**
     * Adds a whole region.
     *
     * @param region registered memory
     * @return this request
     * @throws RdmaException INVALID_ARGUMENT if it has more than 2^31 - 1 bytes: add parts of it
     */
    public final W add(MemoryRegion region) {
        long length = RdmaException.requireArgument(region, "region").length();
        if (length > Integer.MAX_VALUE) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "An element has at most " + Integer.MAX_VALUE + " bytes, " + region
                            + " has more: add it part by part.");
        }
        return add(region.address(), (int) length, region.lkey());
    }

    /**
     * Takes all elements out.
     *
     * @return this request
     */
    public final W clearElements() {
        elementCount = 0;
        return self();
    }

    /** {@return how many elements there are} */
    public final int elementCount() {
        return elementCount;
    }

    /**
     * {@return the address of element {@code index}}
     *
     * @param index from 0 to the number of elements, exclusive
     */
    public final long address(int index) {
        return addresses[index];
    }

    /**
     * {@return the length of element {@code index} in bytes}
     *
     * @param index from 0 to the number of elements, exclusive
     */
    public final int length(int index) {
        return lengths[index];
    }

    /**
     * {@return the key of element {@code index}}
     *
     * @param index from 0 to the number of elements, exclusive
     */
    public final int lkey(int index) {
        return lkeys[index];
    }

    final void clearCommon() {
        id = 0;
        elementCount = 0;
    }
}
