package dev.jwarp.verbs;

import java.util.Arrays;

/**
 * The common part of send and receive requests: an id and a list of scatter/gather elements. Reusable: fill, post, fill
 * again. The setters return the request itself and do not check values; posting checks them. Allocates only if the list
 * is longer than every earlier list of this object.
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
     * Sets the id of the request.
     *
     * @param workRequestId any number; the completion carries it
     * @return this request
     */
    public final W id(long workRequestId) {
        id = workRequestId;
        return self();
    }

    /** {@return the id of the request} */
    public final long id() {
        return id;
    }

    /**
     * Adds an element of local memory.
     *
     * @param address address of the first byte
     * @param length length in bytes
     * @param lkey key of the memory region
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
     * Adds an element of local memory.
     *
     * @param element the element
     * @return this request
     */
    public final W add(ScatterGatherElement element) {
        RdmaException.requireArgument(element, "element");
        return add(element.address(), element.length(), element.lkey());
    }

    /**
     * Adds a part of a region.
     *
     * @param region the region
     * @param offset bytes from the start of the region
     * @param length length in bytes
     * @return this request
     */
    public final W add(MemoryRegion region, long offset, int length) {
        RdmaException.requireArgument(region, "region");
        return add(region.address() + offset, length, region.lkey());
    }

    /**
     * Adds a whole region.
     *
     * @param region the region
     * @return this request
     * @throws RdmaException INVALID_ARGUMENT if the region has more than 2^31 - 1 bytes: add parts of it instead
     */
    public final W add(MemoryRegion region) {
        long length = RdmaException.requireArgument(region, "region").length();
        if (length > Integer.MAX_VALUE) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "An element has at most " + Integer.MAX_VALUE + " bytes, but " + region
                            + " has more: add it in parts.");
        }
        return add(region.address(), (int) length, region.lkey());
    }

    /**
     * Removes all elements.
     *
     * @return this request
     */
    public final W clearElements() {
        elementCount = 0;
        return self();
    }

    /** {@return the number of elements} */
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
