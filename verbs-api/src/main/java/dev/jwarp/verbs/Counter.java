package dev.jwarp.verbs;

/**
 * A counter at one moment.
 *
 * @param name in lower case with underscores
 * @param value how often, or how many bytes
 * @param sentence what it counts
 */
public record Counter(String name, long value, String sentence) {}
