package dev.jwarp.conformance.decode;

/**
 * A breach of a requirement.
 *
 * @param id of the requirement in the catalogue
 * @param what the breach in words
 */
public record Finding(String id, String what) {}
