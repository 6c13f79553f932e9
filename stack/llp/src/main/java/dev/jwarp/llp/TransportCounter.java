package dev.jwarp.llp;

/**
 * The value of a counter of a transport at one moment.
 *
 * @param name in lower case with underscores, such as {@code tcp_crc_mismatch}
 * @param value the value
 * @param sentence what the counter counts, without a full stop
 */
public record TransportCounter(String name, long value, String sentence) {}
