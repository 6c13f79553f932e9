package dev.jwarp.verbs;

/**
 * A range of local memory: {@code ibv_sge}. Work requests store their elements in arrays; this record is for programs
 * that store an element themselves.
 *
 * @param address address of the first byte, within the region's addresses
 * @param length length in bytes, 0 to 2^31 - 1. A longer part of a region takes several elements; the elements of a
 *     message may have up to 2^32 - 1 bytes in all ({@link PortAttributes#maxMessageSize}).
 * @param lkey key of the region
 */
public record ScatterGatherElement(long address, int length, int lkey) {
    /**
     * {@return a part of a region}
     *
     * @param region the memory region
     * @param offset bytes from the start of the region
     * @param length length in bytes
     */
    public static ScatterGatherElement of(MemoryRegion region, long offset, int length) {
        RdmaException.requireArgument(region, "region");
        return new ScatterGatherElement(region.address() + offset, length, region.lkey());
    }
}
