package dev.jwarp.conformance.decode;

/**
 * Something that a requirement does not allow.
 *
 * @param id of the requirement in the catalogue
 * @param what was seen, in words
 */
public record Finding(String id, String what) {}
