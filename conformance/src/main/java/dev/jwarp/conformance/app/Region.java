package dev.jwarp.conformance.app;

/**
 * Memory of the device under test, as the program above it advertised it.
 *
 * @param stag its STag
 * @param to its first byte
 * @param length bytes
 */
public record Region(long stag, long to, long length) {}
