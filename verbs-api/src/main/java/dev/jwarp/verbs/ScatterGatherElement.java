package dev.jwarp.verbs;

/**
 * A piece of local memory: {@code ibv_sge}. Work requests keep their elements in arrays; this record is for programs
 * that want to keep one.
 *
 * @param address of the first byte, within the region's addresses
 * @param length bytes; may be 0. At most 2^31 - 1: a longer part of a region takes several elements, and a message may have
 *     2^32 - 1 bytes of all its elements ({@link PortAttributes#maxMessageSize})
 * @param lkey the key of the region
 */
public record ScatterGatherElement(long address, int length, int lkey) {
    /**
     * {@return a part of a region}
     *
     * @param region the memory region
     * @param offset bytes from the start of the region
     * @param length bytes
     */
    public static ScatterGatherElement of(MemoryRegion region, long offset, int length) {
        RdmaException.requireArgument(region, "region");
        return new ScatterGatherElement(region.address() + offset, length, region.lkey());
    }
}
