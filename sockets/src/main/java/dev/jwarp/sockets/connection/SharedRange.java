package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.MemoryRegion;

/**
 * Memory of the program that the peer of a stream may write to by offsets, once it is told by {@link StreamConnection#tell}.
 *
 * @param region the memory
 * @param entry of the peer's map
 * @param offset the peer's name for the first byte
 */
public record SharedRange(MemoryRegion region, int entry, long offset) {}
