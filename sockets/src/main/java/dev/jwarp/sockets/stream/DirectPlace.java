package dev.jwarp.sockets.stream;

/**
 * Where the {@link DirectWord} of an end is.
 *
 * @param address by which the peer names it, a multiple of 8
 * @param key of it
 */
record DirectPlace(long address, int key) {}
