package dev.jwarp.verbs;

/**
 * The value of a counter at one moment.
 *
 * @param name in lower case with underscores
 * @param value number of events or bytes
 * @param sentence what the counter counts
 */
public record Counter(String name, long value, String sentence) {}
